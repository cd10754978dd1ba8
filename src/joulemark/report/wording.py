"""Figures in words and digits, the same in the terminal and on the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from joulemark.metrics.catalogue import definitions
from joulemark.metrics.energy_per import PER_CORRECT
from joulemark.metrics.latency import MIN_VALUES
from joulemark.metrics.media import DEFINITIONS as MEDIA
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_kind
from joulemark.report.lineage import of_meters, of_rates
from joulemark.report.of_load import OF_LOAD, is_loaded

DASH = "—"
NO_INTERVAL = "no interval"
_AROUND = frozenset({"aa_band"})  # how far from something, to either side
_UNITS = {"1": "", "1/J": " per J", "1/W": " per W", "1/s": " per s"}
_PERCENTAGES = frozenset(
    {
        "accuracy",
        "accuracy_excluding_failed",
        "accuracy_excluding_truncated",
        "foreign_cpu_share",
        "stolen_cpu_share",
        "engine_prefill_share",
        "loaded_prompt_share",
        "steady_share_of_run",
        "kv_used_share_mean",
        "kv_used_share_max",
        "decode_token_share",
        "slo_share",
        "slo_share_correct",
        "aa_band",
        "harness_share",
    }
)
# their sentences say nothing beside a detail, which is one of its own
_TOLD_BY_DETAIL = frozenset(
    {
        Reason.NOT_APPLICABLE,
        Reason.NOT_REPORTED,
        Reason.NOTHING_SCORED,
        Reason.CPU_NOT_OBSERVED,
        Reason.TOO_FEW_ITEMS,
    }
)
_NOT_ASKED_FOR = frozenset(
    {Reason.NO_PRICE, Reason.NO_GRID_INTENSITY, Reason.NO_EMBODIED, Reason.NO_WALL_CALIBRATION}
)
_OF_MEDIA = frozenset(defined.name for defined in MEDIA)
_INTERVALS = {"ci95": "95 % interval", "bound": "meter's bound"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure as a reader sees it; where it is withheld, ``text`` is a dash and ``why`` a sentence."""

    name: str
    title: str
    text: str
    interval: str = ""
    why: str = ""


def printable(text: str, *, keep_spaces: bool = False) -> str:
    """Return foreign text on one line, without the control characters that steer a terminal."""
    line = text if keep_spaces else " ".join(text.split())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def decimals(value: float, width: float | None = None) -> int:
    """Return how many decimals show ``value`` to four digits, or an interval's width to two."""
    if width is not None and width > 0:
        return min(12, max(0, 1 - math.floor(math.log10(width))))
    if value == 0:
        return 0
    return min(12, max(0, 3 - math.floor(math.log10(abs(value)))))


def _scale(name: str, value: Value) -> tuple[float, str]:
    if name in _PERCENTAGES:
        return 100.0, " %"
    size = abs(value.value or 0.0)
    if value.unit == "s" and size < 1:
        return 1e3, " ms"
    if value.unit == "J" and size >= 1e6:
        return 1e-6, " MJ"
    if value.unit == "J" and size >= 1e5:
        return 1e-3, " kJ"
    return 1.0, _UNITS.get(value.unit, f" {value.unit}")


def number(value: float, places: int) -> str:
    """Return a number with thousands apart, and no minus before a zero."""
    text = f"{value:,.{places}f}"
    return text.removeprefix("-") if not float(text.replace(",", "")) else text


def figure_texts(name: str, value: Value) -> tuple[str, str]:
    """Return the number with its unit, and its interval with its kind; a dash and nothing when withheld."""
    if value.value is None:
        return DASH, ""
    factor, unit = _scale(name, value)
    if value.lo is None or value.hi is None or value.interval is None:
        text = number(value.value * factor, decimals(value.value * factor)) + unit
        text = f"± {text}" if name in _AROUND else text
        return text, f"{NO_INTERVAL}: {why_no_interval(value)}" if value.interval_reason else ""
    width = (value.hi - value.lo) * factor
    places = max(decimals(value.value * factor, width), 0) if width else decimals(value.value * factor)
    lo, point, hi = (number(x * factor, places) for x in (value.lo, value.value, value.hi))
    return point + unit, f"{_INTERVALS[value.interval]} {lo} … {hi}{unit}"


def around_texts(name: str, mean: float, sigma: float, unit: str) -> tuple[str, str]:
    """Return a mean and its deviation, both to the second digit of the deviation."""
    factor, told = _scale(name, Value(mean, unit))
    places = decimals(mean * factor, sigma * factor)
    return number(mean * factor, places) + told, number(sigma * factor, places) + told


def why_no_interval(value: Value) -> str:
    """Return why a known figure has no interval, or nothing."""
    reason = value.interval_reason
    return "" if reason is None else " ".join(filter(None, (reason.text, printable(value.detail))))


def why(value: Value) -> str:
    """Return the sentence that says why a figure is null, or nothing."""
    if value.reason is None:
        return ""
    detail = printable(value.detail)
    if value.reason in _TOLD_BY_DETAIL and detail:
        return detail
    return " ".join(filter(None, (value.reason.text, detail)))


def shown(summary: Summary) -> list[Shown]:
    """Return the scalar figures of a run in the order of the definitions."""
    rows = []
    for defined in definitions():
        if defined.name not in summary.figures or _is_beside_the_point(defined.name, summary):
            continue
        value = summary.figures[defined.name]
        text, interval = figure_texts(defined.name, value)
        rows.append(Shown(defined.name, defined.title, text, interval, why(value)))
    return rows


def _is_beside_the_point(name: str, summary: Summary) -> bool:
    """Tell which rows a reader is spared (the JSON has all): those that repeat or lack another one.

    Without joules the energy per correct answer alone says so. One request at a time is no load.
    """
    if name in OF_LOAD and not is_loaded(summary):
        return True
    if name in _OF_MEDIA:
        # the run asked for words, or nothing came of it
        return summary.figures[name].reason in (Reason.NOT_APPLICABLE, Reason.NOTHING_SCORED)
    if name == "mean_score":
        return summary.figures["accuracy"].reason is not Reason.REAL_VALUED_SCORE
    if name == "accuracy_excluding_failed":
        return not summary.verdicts["failed"]
    if name == "accuracy_excluding_truncated":
        return not summary.verdicts["truncated"]
    if summary.figures[name].reason in _NOT_ASKED_FOR:
        return True  # not asked for; the page says how to
    return _lacks_a_meter(name, summary)


def _lacks_a_meter(name: str, summary: Summary) -> bool:
    if name == PER_CORRECT.name or of_rates(name):
        return False  # says so for all of them; asked for by whoever named the rate
    figures = summary.figures
    return figures[name].value is None and figures["total_joules"].value is None and of_meters(name)


def too_few(summary: Summary) -> str:
    """Return why single percentiles are dashes, or nothing where none is for want of values."""
    forms = [form for one in summary.latency.values() for form in (one.answered, one.with_failures)]
    if not any(value.reason is Reason.TOO_FEW_ITEMS for form in forms for value in form.values()):
        return ""
    needed = ", ".join(f"p{percent} needs {n}" for percent, n in MIN_VALUES.items() if n > 1)
    return f"A percentile of too few values is left out: {needed}."


def is_answered(summary: Summary) -> bool:
    """Tell whether any request was answered: without one no figure of an answer is known."""
    return all(caveat.code != "nothing_completed" for caveat in summary.caveats)


def how_far(summary: Summary) -> str:
    """Return how many of the wanted answers there are, or nothing for a run that has them all."""
    if summary.n_wanted is None or summary.n_requests >= summary.n_wanted:
        return ""
    return f"{summary.n_requests:,} of {summary.n_wanted:,} answers"


def how_measured(summary: Summary) -> str:
    """Return the settings that a comparison needs, in one sentence; what is not known is not named."""
    said = summary.setup
    cache = "unknown" if said["prefix_cache"] is None else "on" if said["prefix_cache"] else "off"
    told = (
        f"{said['threads']} threads" if said["threads"] is not None else "",
        "seed not set" if said["seed"] is None else f"seed {said['seed']}",
        f"temperature {said['temperature']:g}",
        f"max tokens {said['max_tokens']}",
        f"{said['concurrency']} at a time" if said["concurrency"] not in (None, 1) else "",
        f"engine {said['engine_version']}" if said["engine_version"] else "",
        f"prompt cache {cache}",
        str(said["machine"] or ""),
    )
    return "How it was measured: " + ", ".join(printable(part) for part in told if part)


def gathered(reasons: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Gather (title, sentence) pairs by sentence, so that one cause is told once."""
    by_sentence: dict[str, list[str]] = {}
    for title, sentence in reasons:
        if sentence:
            by_sentence.setdefault(sentence, []).append(title)
    return by_sentence


def missing(summary: Summary) -> dict[str, list[str]]:
    """Return why figures are null: each sentence with the titles it belongs to."""
    titles = {defined.name: defined.title for defined in definitions()}
    rows = [(row.title, row.why) for row in shown(summary)]
    for name, latency in summary.latency.items():
        if latency.answered[50].reason is not Reason.NOT_SCHEDULED:  # a closed loop: nothing is missing
            rows.append((titles[name], why(latency.answered[50])))
    rows.extend((f"Energy of {printable(n)}", why(value)) for n, value in summary.other_energy.items())
    if summary.tier_reason is not None:
        rows.append(("Tier", tier_sentence(summary)))
    return gathered(rows)


def tier_sentence(summary: Summary) -> str:
    """Return what the tier means, or why there is none."""
    if summary.measurement_tier is not None:
        return TIERS[summary.measurement_tier]
    if summary.replayed:
        return "A replayed trace is no measurement of this run."
    if is_simulated_kind(summary.engine):
        return "A simulation is no measurement."
    if summary.tier_reason is Reason.NOT_APPLICABLE:
        return "A wall meter alone is not on the ladder of tiers."
    return summary.tier_reason.text if summary.tier_reason else ""


TIERS: Mapping[str, str] = {
    "A": "an external power analyzer measured",
    "B": "the device's own telemetry, and a wall meter beside it",
    "C": "the device's own telemetry alone",
}
METHODS: Mapping[str, str] = {
    "counter": "energy counter",
    "integrated": "integrated power",
    "meter": "energy register",
}


def source_sentence(summary: Summary) -> str:
    """Return which meter the headline rests on, or a dash."""
    if summary.headline_source is None:
        return DASH
    kind = METHODS.get(summary.energy_source or "", "")
    told = f"{printable(summary.headline_source)}, {kind}, scope {printable(summary.headline_scope or '')}"
    if is_simulated_kind(summary.engine):
        return f"SIMULATED: {told}"
    return f"REPLAYED: {told}" if summary.replayed else told
