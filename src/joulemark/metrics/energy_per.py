"""Joules per correct answer, per request and per token, and what follows from the same total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.accuracy import is_correct, why_not_scored
from joulemark.metrics.answer_blocks import AnswerBlocks
from joulemark.metrics.cost_interval import block_interval, cost_interval
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.item_costs import joules_or_reason
from joulemark.metrics.token_doubt import CONTRADICTED, WITHHELD_WHEN, counts_contradicted
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

TOTAL = MetricDefinition(
    "total_joules",
    "Energy of the measured windows",
    "J",
    r"E = \sum_w E_w",
    ("telemetry.energy_j", "windows"),
    ("no meter saw the part that runs the model", "the meter failed in a measured window"),
    "metered; failed and retried work and the gaps between items are inside",
)
PER_CORRECT = MetricDefinition(
    "joules_per_correct_answer",
    "Energy per correct answer",
    "J",
    r"E / n_\mathrm{correct}",
    ("total_joules", "items.correct"),
    ("there are no joules", "no answer was correct", "the score is real-valued"),
    "the published async-energy methodology; interval: joint bootstrap of (energy, correct) per item, "
    "10,000 resamples, 95 %, unattributed joules spread evenly; withheld below 10 scored items and "
    "when more than 5 % of the resamples hold no correct answer. Where the meter is too slow for single "
    "answers: of blocks of at least ten of its renewals, percentiles widened by Student's t (Hesterberg "
    "2015); withheld below 10 blocks",
)
PER_CORRECT_BOUND = MetricDefinition(
    "joules_per_correct_answer_bound",
    "… with the meter's bound",
    "J",
    r"[E_\mathrm{lo}, E_\mathrm{hi}] / n_\mathrm{correct}",
    ("total_joules", "items.correct"),
    ("there are no joules", "no answer was correct", "the score is real-valued"),
    "the meter's bound (to hold in at least 99 % of cases); no statistics over items",
)
PER_REQUEST = MetricDefinition(
    "joules_per_request",
    "Energy per request",
    "J",
    r"E / n_\mathrm{requests}",
    ("total_joules", "items"),
    ("there are no joules", "there are no requests"),
    "failed requests count as requests",
)
PER_TOKEN = MetricDefinition(
    "joules_per_token",
    "Energy per output token",
    "J",
    r"E / \sum_i n_{\mathrm{completion},i}",
    ("total_joules", "items.completion_tokens"),
    (
        "there are no joules",
        "any request has no token count",
        "no token was generated",
        WITHHELD_WHEN,
    ),
    "prompt processing is inside the numerator; compare on the same task only",
)
IPJ = MetricDefinition(
    "ipj",
    "Correct answers per joule",
    "1/J",
    r"n_\mathrm{correct} / E",
    ("total_joules", "items.correct"),
    ("there are no joules", "nothing could be scored", "the score is real-valued"),
    "intelligence per joule, as the published methodology counts it",
)
NET = MetricDefinition(
    "net_joules",
    "Energy above the loaded idle",
    "J",
    r"E - P_\mathrm{loaded\,idle}\, t",
    ("total_joules", "baselines.loaded_idle_w", "windows"),
    (
        "there are no joules",
        "no loaded idle of this machine, engine, model and power limit is on file (`joulemark calibrate`)",
    ),
    "may be negative; interval: the meter's bounds of the run and of the idle power together",
)
MEAN_POWER = MetricDefinition(
    "mean_power_w",
    "Mean power",
    "W",
    r"E / t",
    ("total_joules", "windows"),
    ("there are no joules",),
    "energy over the length of the measured windows",
)
PER_WATT = MetricDefinition(
    "accuracy_per_watt",
    "Accuracy per GPU watt",
    "1/W",
    r"\mathrm{accuracy} / \bar P_\mathrm{gpu}",
    ("accuracy", "total_joules", "windows"),
    ("there are no GPU watts", "nothing could be scored"),
    "the published async-energy methodology",
)
SOURCE = MetricDefinition(
    "energy_source",
    "How the headline energy was metered",
    "counter, integrated or meter",
    r"\text{counter: its difference; integrated: power over time; meter: its register}",
    ("meters.source", "headline_scope"),
    ("there are no joules",),
    "the published async-energy methodology; a device's counter is preferred where it passes its self-test",
)
DEFINITIONS = (
    PER_CORRECT,
    PER_CORRECT_BOUND,
    TOTAL,
    PER_REQUEST,
    PER_TOKEN,
    IPJ,
    NET,
    MEAN_POWER,
    PER_WATT,
    SOURCE,
)


def _per_correct_divisor(items: Sequence[Item], *, real_valued: bool) -> int | Reason:
    reason = why_not_scored(items, real_valued=real_valued)
    if reason is not None:
        return reason
    return sum(map(is_correct, items)) or Reason.NOTHING_CORRECT


def joules_per_correct_answer_bound(
    total: MeasuredOrWithheld, items: Sequence[Item], *, real_valued: bool = False
) -> Value:
    """Return the headline with the *meter's* bound instead of a confidence interval.

    ``real_valued`` as of `why_not_scored`.
    """
    divisor = _per_correct_divisor(items, real_valued=real_valued)
    if isinstance(total, Withheld):
        return energy_value(total)
    if isinstance(divisor, Reason):
        return withheld("J", divisor)
    return energy_value(total, divisor=divisor)


def joules_per_correct_answer(
    total: MeasuredOrWithheld,
    items: Sequence[Item],
    attributions: Mapping[tuple[str, int], Attribution],
    *,
    blocks: AnswerBlocks | None = None,
    real_valued: bool = False,
) -> Value:
    """Return all metered joules over the number of correct answers, with its bootstrap interval.

    ``attributions`` are item energies by ``Item.key``. What is not attributed (idle and residual) is spread
    evenly over the items, so that the resampled ratio is centred on the figure itself. An item without an
    energy withholds the interval, not the figure, unless there are ``blocks``: then these are resampled.
    ``n`` is the number of distinct items. ``real_valued`` as of `why_not_scored`.
    """
    figure = joules_per_correct_answer_bound(total, items, real_valued=real_valued)
    if figure.value is None or isinstance(total, Withheld):
        return figure
    if blocks is None:
        interval = cost_interval(total.joules, items, joules_or_reason(attributions))
    else:
        interval = block_interval(total.joules, items, blocks)
    if interval.lo is None or interval.hi is None:
        why, detail = interval.reason, interval.detail
        return Value(figure.value, "J", interval_reason=why, n=interval.n, detail=detail)
    return Value(
        figure.value, "J", interval.lo, interval.hi, "ci95", n=interval.n, interval_method=interval.method
    )


def joules_per_request(total: MeasuredOrWithheld, items: Sequence[Item]) -> Value:
    """Return metered joules over requests, failed ones included; the interval is the meter's bound."""
    if isinstance(total, Withheld):
        return energy_value(total)
    if not items:
        return withheld("J", Reason.NOTHING_SCORED, detail="No request was made.")
    return energy_value(total, divisor=len(items))


def completion_tokens(items: Sequence[Item]) -> int | Value:
    """Return the sum of output tokens, or the withheld value.

    Withheld when any request lacks its count, and when what was seen contradicts too much of them.
    """
    missing = sum(item.completion_tokens is None for item in items)
    if missing:
        return withheld(
            "tokens", Reason.NOT_REPORTED, detail=f"{missing} of {len(items)} requests have no token count."
        )
    if counts_contradicted(items):
        return withheld("tokens", Reason.NOT_REPORTED, detail=CONTRADICTED)
    return sum(item.completion_tokens or 0 for item in items)


def joules_per_token(total: MeasuredOrWithheld, items: Sequence[Item]) -> Value:
    """Return metered joules over output tokens; the interval is the meter's bound."""
    if isinstance(total, Withheld):
        return energy_value(total)
    tokens = completion_tokens(items)
    if isinstance(tokens, Value):
        assert tokens.reason is not None
        return withheld("J", tokens.reason, detail=tokens.detail)
    if not tokens:
        return withheld("J", Reason.NO_TOKEN_SEEN)
    return energy_value(total, divisor=tokens)


def correct_per_joule(
    total: MeasuredOrWithheld, items: Sequence[Item], *, real_valued: bool = False
) -> Value:
    """Return correct answers per joule; 0 is a real 0 here: nothing was correct."""
    if isinstance(total, Withheld):
        return withheld("1/J", total.reason, detail=total.detail)
    reason = why_not_scored(items, real_valued=real_valued)
    if reason is not None:
        return withheld("1/J", reason)
    if total.joules <= 0:
        return withheld("1/J", Reason.NO_SAMPLES, detail="The metered energy is 0 J.")
    return Value(sum(map(is_correct, items)) / total.joules, "1/J", n=len(items))


def mean_power_w(total: MeasuredOrWithheld, duration_s: float | None) -> Value:
    """Return the mean power of the measured windows with the meter's bound."""
    if isinstance(total, Withheld):
        return withheld("W", total.reason, detail=total.detail)
    if not duration_s:
        return withheld("W", Reason.OUTSIDE_TIMELINE, detail="The measured windows have no length.")
    return energy_value(total, divisor=duration_s, unit="W")


def net_joules(total: MeasuredOrWithheld, loaded_idle_w: Value, duration_s: float | None) -> Value:
    """Return joules above the loaded idle; only with a measured loaded baseline, and may be negative.

    ``loaded_idle_w`` is a power with its bound, or withheld with the reason (see `standby.idle_power_w`).
    """
    if isinstance(total, Withheld):
        return energy_value(total)
    if loaded_idle_w.value is None or loaded_idle_w.reason is not None:
        return withheld("J", loaded_idle_w.reason or Reason.NO_BASELINE, detail=loaded_idle_w.detail)
    if not duration_s:
        return withheld("J", Reason.OUTSIDE_TIMELINE, detail="The measured windows have no length.")
    idle_w = loaded_idle_w.value
    lowest_w = idle_w if loaded_idle_w.lo is None else loaded_idle_w.lo
    highest_w = idle_w if loaded_idle_w.hi is None else loaded_idle_w.hi
    return Value(
        total.joules - idle_w * duration_s,
        "J",
        total.lo - highest_w * duration_s,
        total.hi - lowest_w * duration_s,
        "bound",
    )


def accuracy_per_watt(share_correct: Value, total: MeasuredOrWithheld, duration_s: float | None) -> Value:
    """Return accuracy over mean GPU watts; null where the total is not a GPU's."""
    power = mean_power_w(total, duration_s)
    if isinstance(total, MeasuredEnergy) and any(s.kind not in ("gpu", "module") for s in total.scopes):
        return withheld("1/W", Reason.NOT_APPLICABLE, detail="The headline is not a GPU's energy.")
    for value in (power, share_correct):
        if value.reason is not None:
            return withheld("1/W", value.reason, detail=value.detail)
    if not power.value or share_correct.value is None:
        return withheld("1/W", Reason.NO_SAMPLES, detail="The metered energy is 0 J.")
    return Value(share_correct.value / power.value, "1/W")
