"""One run against another: ratios B over A with intervals, and what may not be compared.

Runs that asked the same questions in the same words are paired: what both were asked is compared item by
item, which takes the items' own spread out of the interval. Other runs are compared as independent samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics import compare_figures as figures_of
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.compare_definitions import (
    ACCURACY,
    CPU_PER_CORRECT,
    DEFINITIONS,
    PER_CORRECT,
    PER_CORRECT_BOUND,
    PER_REQUEST,
    PER_TOKEN,
    SCORES,
    TOKENS_EACH,
    TTFT,
)
from joulemark.metrics.compare_figures import RATIOS
from joulemark.metrics.compare_grounds import BUSY_MACHINE, Refusal, notes, refusals
from joulemark.metrics.compare_scores import mean_score_difference, score_notes
from joulemark.metrics.compare_settings import Difference, differences, questions_differ
from joulemark.metrics.cost_transfer import cost_transfer
from joulemark.metrics.paired_proportions import McNemar, mcnemar
from joulemark.metrics.paired_sides import Resamples, side
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import MeasuredEnergy

NEUTRAL = {ACCURACY.name: 0.0, SCORES.name: 0.0}  # no difference; of a ratio it is 1


@dataclass(frozen=True, slots=True)
class Split:
    """Why the energy of a request changed: through that of a token, or through the number of tokens.

    The logarithms add up: ``per_request = per_token + tokens``. The shares are parts of the whole and add up
    to 1; one is negative where the two pull apart. All null where a ratio is, the shares also where the
    energies of a request cannot be told apart.
    """

    per_request: float | None = None
    per_token: float | None = None
    tokens: float | None = None
    share_per_token: float | None = None
    share_tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """B against A by the names of the contract.

    ``figures`` by their definitions' names: ratios are B / A, differences B − A. ``questions`` are the
    settings by which the two did not ask the same, empty for paired runs. ``n_items`` are compared (of A and
    of B), ``left_out`` those of a paired run that the other lacks. ``outcomes`` are null where runs are not
    paired or not scored. ``headline`` names the figure to lead with. ``transfer`` is what A's cost model
    misses of B, in per cent.
    """

    paired: bool
    questions: tuple[str, ...]
    n_items: tuple[int, int]
    left_out: tuple[int, int]
    headline: str
    figures: Mapping[str, Value]
    split: Split
    outcomes: McNemar | None
    differences: tuple[Difference, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[Caveat, ...]
    transfer: Value

    def told_apart(self, name: str) -> bool | None:
        """Tell whether a figure shows a difference at 95 %; null where it has no interval over items.

        The energy per correct answer also has to clear what the meters can have missed: null where its items
        tell a difference and nobody knows what the meters missed of them.
        """
        value = self.figures[name]
        if value.lo is None or value.hi is None or value.interval != "ci95":
            return None
        if _holds(value, name) or name != PER_CORRECT.name:
            return not _holds(value, name)
        return None if self.within_bound is None else not self.within_bound

    @property
    def within_bound(self) -> bool | None:
        """Whether the meters' bounds alone leave room for no difference in energy; null without bounds."""
        bound = self.figures[PER_CORRECT_BOUND.name]
        return None if bound.lo is None else _holds(bound, PER_CORRECT_BOUND.name)

    def items_needed(self, name: str) -> int | None:
        """Return about how many items would tell a difference of this size apart, each run asked as many.

        The interval's width goes with 1 / sqrt(n), so it needs n (half width / distance)**2 items; to two
        digits, rounded up. Null where the difference is told apart already, is exactly none, or has no
        interval.
        """
        value = self.figures[name]
        if value.value is None or value.lo is None or value.hi is None or not _holds(value, name):
            return None
        if name in NEUTRAL:
            distance, half = abs(value.value), (value.hi - value.lo) / 2
        else:
            distance, half = abs(math.log(value.value)), math.log(value.hi / value.lo) / 2
        if distance < 1e-9:
            return None
        needed = math.ceil(max(self.n_items) * max(1.0, (half / distance) ** 2))
        step: int = 10 ** max(0, len(str(needed)) - 2)
        return -(-needed // step) * step


def _holds(value: Value, name: str) -> bool:
    assert value.lo is not None
    assert value.hi is not None
    return value.lo <= NEUTRAL.get(name, 1.0) <= value.hi


def compare(a: RunView, b: RunView, names: tuple[str, str] = ("A", "B")) -> Comparison:
    """Compare run B with run A. Pure: the same two runs always give the same comparison.

    ``names`` are the letters by which reasons and notes call them.
    """
    found = differences(a, b)
    asked_a, asked_b = ({item.item_id for item in run.measured_items} for run in (a, b))
    shared = sorted(asked_a & asked_b)
    questions = questions_differ(a, b, found)
    paired = not questions and bool(shared)
    ids_a, ids_b = (shared, shared) if paired else (sorted(asked_a), sorted(asked_b))
    side_a, side_b = side(names[0], a, ids_a), side(names[1], b, ids_b)
    drawn = Resamples(side_a, side_b, paired=paired)
    figures = {
        name: figures_of.ratio(side_a, side_b, drawn, over, under) for name, (over, under) in RATIOS.items()
    }
    figures[PER_CORRECT_BOUND.name] = figures_of.energy_bound(figures[PER_CORRECT.name], side_a, side_b)
    figures[TTFT.name] = figures_of.ttft_ratio(side_a, side_b, paired=paired)
    figures[ACCURACY.name] = figures_of.accuracy_difference(side_a, side_b, paired=paired)
    figures[SCORES.name] = mean_score_difference(side_a, side_b, drawn, paired=paired)
    refused = refusals(a, b, found, names)
    for refusal in reversed(refused):
        for name in refusal.figures:
            figures[name] = withheld(figures[name].unit, refusal.reason, detail=refusal.text)
    scored = figures[ACCURACY.name].value is not None
    told = (*notes(a, b, found, names), *score_notes(side_a, side_b, figures[SCORES.name], paired=paired))
    return Comparison(
        paired=paired,
        questions=questions,
        n_items=(len(ids_a), len(ids_b)),
        left_out=(len(asked_a) - len(shared), len(asked_b) - len(shared)) if paired else (0, 0),
        headline=_headline(a, b, figures, refused),
        figures={d.name: figures[d.name] for d in DEFINITIONS},
        split=_split(figures),
        outcomes=mcnemar(side_a.items, side_b.items) if paired and scored else None,
        differences=found,
        refusals=refused,
        notes=tuple(sorted(told, key=lambda caveat: not caveat.loud)),
        transfer=cost_transfer(a, b, found, refused, names),
    )


def _headline(a: RunView, b: RunView, figures: Mapping[str, Value], refused: Sequence[Refusal]) -> str:
    """Return the energy per correct answer, or the nearest to it that the two runs can have.

    Of a request where answers are not right or wrong; processor time where a run has no joules.
    """
    metered = all(isinstance(run.headline_energy, MeasuredEnergy) for run in (a, b))
    if metered:
        graded = figures[ACCURACY.name].value is not None
        return PER_CORRECT.name if graded or figures[PER_REQUEST.name].value is None else PER_REQUEST.name
    if figures[CPU_PER_CORRECT.name].value is not None:
        return CPU_PER_CORRECT.name
    busy = any(refusal.code == BUSY_MACHINE for refusal in refused)
    return ACCURACY.name if busy and figures[ACCURACY.name].value is not None else PER_CORRECT.name


def _split(figures: Mapping[str, Value]) -> Split:
    whole = figures[PER_REQUEST.name]
    per_token, tokens = figures[PER_TOKEN.name].value, figures[TOKENS_EACH.name].value
    if whole.value is None or per_token is None or tokens is None:
        return Split()
    logs = math.log(whole.value), math.log(per_token), math.log(tokens)
    if whole.lo is None or _holds(whole, PER_REQUEST.name):
        return Split(*logs)
    return Split(*logs, logs[1] / logs[0], logs[2] / logs[0])
