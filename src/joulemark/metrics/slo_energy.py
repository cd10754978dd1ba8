"""What a correct answer costs that came in time: joules per correct answer at a service level objective."""

from __future__ import annotations

import math

from joulemark.metrics.accuracy import is_correct, why_not_scored, wilson_interval
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.loaded_definitions import PER_CORRECT
from joulemark.metrics.loaded_energy import loaded_joules_per_correct
from joulemark.metrics.loaded_requests import segment_requests
from joulemark.metrics.run_view import RunView
from joulemark.metrics.slo import KEPT_FROM, NO_LIMIT, Slo, meets
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason

_NOT_TOLD = "for any correct answer it cannot be told"
SHARE_CORRECT = MetricDefinition(
    "slo_share_correct",
    "Correct answers within the limits",
    "1",
    r"\frac{1}{m} \sum_q n_{\mathrm{correct,kept},q} / n_q",
    (*KEPT_FROM, "items.correct"),
    (NO_LIMIT, "no steady state was found", "the score is real-valued", "nothing could be graded", _NOT_TOLD),
    "of the counted requests of the steady window's segment, failed ones too; limits are kept as in "
    "slo_share; repeats of one of the m questions count as one trial, as in accuracy; interval: Wilson, 95 %",
)
JOULES_PER_CORRECT = MetricDefinition(
    "slo_joules_per_correct_answer",
    "Energy per correct answer within the limits",
    "J",
    r"(E_\mathrm{steady} / T_\mathrm{steady})"
    r" \cdot \sum_i n_{\mathrm{completion},i} / n_\mathrm{correct,kept}",
    (PER_CORRECT.name, *KEPT_FROM),
    (
        NO_LIMIT,
        f"{PER_CORRECT.name} is withheld",
        _NOT_TOLD,
        "no correct answer kept the limits",
    ),
    f"as {PER_CORRECT.name}, and an answer that came too late is worth nothing: those in time pay for it; "
    "limits are kept as in slo_share; interval as there",
)
DEFINITIONS = (SHARE_CORRECT, JOULES_PER_CORRECT)


def joules_per_correct_answer_at(run: RunView, slo: Slo) -> Value:
    """Return loaded joules over the correct answers that kept the limits of ``slo``.

    All counted requests of the steady window's segment pay; an answer that came too late is worth nothing.
    Withheld where it cannot be told of a correct answer whether it came in time.
    """
    kept = _kept(run, slo)
    if isinstance(kept, Withheld):
        return withheld("J", kept.reason, detail=kept.detail)
    return loaded_joules_per_correct(run, lambda item: item.key in kept)


def share_correct_at(run: RunView, slo: Slo) -> Value:
    """Return the share (0..1) of correct answers within ``slo``, of the segment's counted requests.

    Repeats of a question are not independent, so it enters once, with its mean over them, as in accuracy;
    ``n`` is the number of questions.
    """
    items, kept = segment_requests(run), _kept(run, slo)
    if isinstance(items, Withheld):
        return withheld("1", items.reason, detail=items.detail)
    if isinstance(kept, Withheld):
        return withheld("1", kept.reason, detail=kept.detail)
    reason = why_not_scored(items, real_valued=run.real_valued)
    if reason is not None:
        return withheld("1", reason)
    by_question: dict[str, list[bool]] = {}
    for item in items:
        by_question.setdefault(item.item_id, []).append(item.key in kept)
    m = len(by_question)
    successes = min(math.fsum(sum(each) / len(each) for each in by_question.values()), m)
    lo, hi = wilson_interval(successes, m)
    return Value(successes / m, "1", lo, hi, "ci95", n=m)


def _kept(run: RunView, slo: Slo) -> frozenset[tuple[str, int]] | Withheld:
    """Return which correct answers kept the limits, by ``Item.key``."""
    items = segment_requests(run)
    if isinstance(items, Withheld):
        return items
    right = [item for item in items if is_correct(item)]
    told = [meets(item, run.chunks.get(item.key, ()), slo) for item in right]
    if None in told:
        unknown = f"For {told.count(None)} of {len(right)} correct answers it cannot be told."
        return Withheld(Reason.NOT_REPORTED, unknown)
    return frozenset(item.key for item, met in zip(right, told, strict=True) if met)
