"""Accuracy with a Wilson interval, and how many answers became what."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.finite_share import Z_95 as Z_95
from joulemark.metrics.finite_share import wilson_bounds
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Item, Verdict
from joulemark.record.reason import Reason

SCORED, UNSCORED = "scored", "unscored"
VERDICT_NAMES = (*(verdict.value for verdict in Verdict), SCORED, UNSCORED)

ACCURACY = MetricDefinition(
    "accuracy",
    "Accuracy",
    "1",
    r"k / n, \text{ interval } \frac{k + z^2/2 \pm z\sqrt{k(n-k)/n + z^2/4}}{n + z^2}",
    ("items.correct", "items.verdict"),
    ("no answer could be scored", "the score is real-valued", "answers are still to be graded"),
    "E. B. Wilson (1927); failed requests count as not correct; repeats of an item count as one trial",
)
ACCURACY_EXCLUDING_FAILED = MetricDefinition(
    "accuracy_excluding_failed",
    "Accuracy without failed requests",
    "1",
    r"k / (n - n_\mathrm{failed})",
    ("items.correct", "items.verdict"),
    ("no answer could be scored", "the score is real-valued", "answers are still to be graded"),
    "E. B. Wilson (1927); requests that failed are left out",
)
DEFINITIONS = (ACCURACY, ACCURACY_EXCLUDING_FAILED)


def wilson_interval(
    successes: float, trials: float, population: float | None = None, within: float = 0.0
) -> tuple[float, float]:
    """Return the 95 % score interval of a proportion (Wilson 1927); ``trials`` > 0.

    A fractional number of successes is allowed: it is a mean over repeats. ``population``: the trials were
    drawn from so many without replacement, and the proportion is that of them all (`finite_share`);
    ``within`` of the variance would come anew if they were made again (`asked_again`).
    """
    if not 0 <= successes <= trials or trials <= 0:
        raise ValueError(f"{successes} successes of {trials} trials make no proportion")
    lo, hi = wilson_bounds(successes, trials, math.inf if population is None else population, within=within)
    return float(lo), float(hi)


def is_ungraded(item: Item) -> bool:
    """Tell whether the item is a request that has no right answer, answered or not."""
    return item.reasons.get("correct") == Reason.NOT_GRADED


def is_graded_later(item: Item) -> bool:
    """Tell whether the item's answer is still to be graded: its verdict comes from another journal."""
    return item.verdict is None and item.reasons.get("verdict") == Reason.GRADED_LATER


def is_scored(item: Item) -> bool:
    """Tell whether the item counts as correct or not correct; a failed request does, if it can be graded."""
    return item.correct is not None or (item.verdict is Verdict.FAILED and not is_ungraded(item))


def is_correct(item: Item) -> bool:
    """Tell whether the answer was correct; a failed request never is."""
    return item.correct is True and item.verdict is not Verdict.FAILED


def has_real_values(items: Iterable[Item]) -> bool:
    """Tell whether an answer has a score and is neither correct nor not."""
    return any(
        item.correct is None and item.score is not None and item.verdict is not Verdict.FAILED
        for item in items
    )


def why_not_scored(items: Sequence[Item], *, real_valued: bool = False) -> Reason | None:
    """Return why a set of items has no notion of correct, or null when it has one.

    ``real_valued``: the task says so, whatever its answers look like (`RunView.real_valued`). As long as one
    answer is still to be graded nothing is said of all: it could be any of the two.
    """
    if any(map(is_graded_later, items)):
        return Reason.GRADED_LATER
    if real_valued or has_real_values(items):
        return Reason.REAL_VALUED_SCORE
    if not any(is_scored(item) for item in items):
        return Reason.NOT_GRADED if any(map(is_ungraded, items)) else Reason.NOTHING_SCORED
    return None


def accuracy(
    items: Sequence[Item],
    *,
    include_failed: bool = True,
    real_valued: bool = False,
    population: int | None = None,
    within: float = 0.0,
) -> Value:
    """Return the share of correct answers with its Wilson interval; ``n`` is the number of distinct items.

    Repeats of one item are not independent, so an item enters once, with its mean over repeats.
    ``real_valued`` as of `why_not_scored`. ``population``: the items are a sample of so many, and the
    interval is that of the share among them all; null: of any number of such items, which is what a report
    and a comparison use. ``within`` as of `wilson_interval`.
    """
    left_out = frozenset() if include_failed else frozenset({Verdict.FAILED})
    return accuracy_without(
        items,
        left_out,
        detail="Every request failed.",
        real_valued=real_valued,
        population=population,
        within=within,
    )


def accuracy_without(
    items: Sequence[Item],
    left_out: frozenset[Verdict],
    *,
    detail: str,
    real_valued: bool = False,
    population: int | None = None,
    within: float = 0.0,
) -> Value:
    """Return the accuracy of the requests whose verdict is none of ``left_out``; ``detail`` for none left."""
    reason = why_not_scored(items, real_valued=real_valued)
    if reason is not None:
        return withheld("1", reason)
    by_item: dict[str, list[bool]] = {}
    for item in items:
        if is_scored(item) and item.verdict not in left_out:
            by_item.setdefault(item.item_id, []).append(is_correct(item))
    if not by_item:
        return withheld("1", Reason.NOTHING_SCORED, detail=detail)
    trials = len(by_item)
    successes = math.fsum(sum(outcomes) / len(outcomes) for outcomes in by_item.values())
    point = min(successes / trials, 1.0)
    if population is None:
        lo, hi = wilson_interval(min(successes, trials), trials)
        return Value(point, "1", lo, hi, "ci95", n=trials)
    asked = len({item.item_id for item in items})
    # what is left out of the sample is left out of the task alike
    sampled = max(population * trials / asked, trials)
    lo, hi = wilson_interval(min(successes, trials), trials, sampled, within)
    method = f"of all {population:,} questions, of which {asked:,} were asked"
    return Value(point, "1", lo, hi, "ci95", n=trials, interval_method=method)


def verdict_of(item: Item) -> str:
    """Return the item's verdict; ``scored`` for a real-valued score without one, ``unscored`` for neither."""
    if item.verdict is not None:
        return item.verdict.value
    return SCORED if item.score is not None else UNSCORED


def verdict_counts(items: Sequence[Item]) -> dict[str, int]:
    """Count requests by `verdict_of`; all of `VERDICT_NAMES` are always present, in that order."""
    seen = Counter(map(verdict_of, items))
    return {name: seen[name] for name in VERDICT_NAMES}
