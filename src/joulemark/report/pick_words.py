"""A pick in words and digits, the same in the terminal and on the page."""

from __future__ import annotations

import re

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.picking import (
    Kept,
    Named,
    Picked,
    Priced,
    Ranked,
    RuledOut,
    Table,
    TextWorkload,
    Workload,
)
from joulemark.metrics.picking.bounded_model import bounded_note
from joulemark.metrics.picking.constraints import FITS, Constraint
from joulemark.metrics.picking.pick import not_full
from joulemark.metrics.value import Value
from joulemark.report.simulated_points import simulated_words
from joulemark.report.wording import DASH, figure_texts, number, printable, why

OBJECTIVES = {
    "joules_per_correct": "energy per correct answer",
    "joules": "energy per request",
    "usd": "cost per request",
    "gco2e": "CO2e per request",
    "usd_per_correct": "cost per correct answer",
    "gco2e_per_correct": "CO2e per correct answer",
}
SHORT = {
    "joules_per_correct": "J a correct answer",
    "joules": "J a request",
    "usd": "$ a request",
    "gco2e": "gCO2e a request",
    "usd_per_correct": "$ a correct answer",
    "gco2e_per_correct": "gCO2e a correct answer",
}
KINDS = {
    "measured": "measured",
    "published": "MODELLED: published rows, scaled by their output tokens",
    "simulated": "SIMULATED, not measured",
}
FIGURES = {
    "accuracy": "accuracy",
    "ttft_mean": "mean time to the first token",
    "e2el_mean": "mean time of the whole answer",
    "tpot_mean": "mean time per output token",
    "workload_joules": "energy per request",
    "workload_usd": "cost per request",
    "workload_gco2e": "CO2e per request",
    "workload_joules_per_correct": "energy per correct answer",
    "workload_requests_kwh_per_day": "energy of its requests a day",
    "workload_kwh_per_day": "energy a day, standby included",
    "workload_usd_per_day": "cost a day, standby included",
    "workload_gco2e_per_day": "CO2e a day, standby included",
}
BY_OUTPUT_ALONE = "priced by output tokens alone"
_ORDER = (
    "Measured rows stand first, then published ones (modelled), then simulated ones: no order of costs is "
    "told between them."
)
_OWN_LENGTHS = ", with the lengths of its own run"


def title(found: Picked) -> str:
    """Return what was asked, for instance ``What to run for 1,200 prompt and 300 completion tokens``."""
    workload = found.workload
    day = workload.requests_per_day
    a_day = "" if day is None else f", {day:,.0f} requests a day"
    if isinstance(workload, TextWorkload):
        return f"What to run for {printable(workload.told)}{a_day}{_limits(found)}"
    return f"What to run for {_lengths(workload)} a request{a_day}{_limits(found)}"


def _limits(found: Picked) -> str:
    said = [constraint_words(one) for one in found.wanted.constraints]
    return f"; asked for: {', '.join(said)}" if said else ""


def constraint_words(one: Constraint) -> str:
    """Return a limit in words, for instance ``accuracy of at least 70 %``."""
    if isinstance(one, Named):
        return f"{one.name} {printable(one.wanted)}"
    if one is FITS:
        return "requests that fit in a day"
    unit = "s" if one.name.rpartition("_")[2][:1] in ("p", "m") and one.name[:4] != "mean" else "1"
    limit = figure_texts(one.name, Value(one.bound, unit))[0]
    words = FIGURES.get(one.name, one.name.removeprefix("workload_").replace("_", " "))
    return f"{words} of at {'least' if one.at_least else 'most'} {limit}"


def _lengths(workload: Workload) -> str:
    said = []
    for name, mean, variance in (
        ("prompt", workload.prompt_tokens, workload.covariance[0][0]),
        ("completion", workload.completion_tokens, workload.covariance[1][1]),
    ):
        sd = f" ± {variance**0.5:,.0f}" if variance > 0 else ""
        said.append(f"{mean:,.0f}{sd} {name}")
    source = "" if workload.n is None else f" ({printable(workload.told)})"
    return f"{' and '.join(said)} tokens{source}"


def leads(found: Picked) -> list[str]:
    """Return the answer in a sentence or two, or that there is none."""
    if not found.tables:
        n = len(found.ruled_out) + len(found.not_priced)
        return [nothing_words(n), *filter(None, (without_accuracy(found),))]
    table = found.tables[0]
    best = table.rows[0]
    value = best.priced.figures[found.wanted.figure]
    text = ranged(found.wanted.figure, value)
    said = [f"{named(best.priced.candidate.point)}: {text} {_of(found)}{_evidence(table)}."]
    tied = [row for row in table.rows[1:] if row.ranks is not None and row.ranks[0] == 1]
    chance = best.probability.value
    if tied and best.ranks is not None:
        names = ", ".join(named(row.priced.candidate.point) for row in tied[:3])
        more = f" and {len(tied) - 3} more" if len(tied) > 3 else ""
        percent = "" if chance is None else f" It is the best with a probability of {chance_of(chance)}."
        said.append(f"Cannot be told from {names}{more}.{percent}")
    elif chance is not None:
        said.append(f"It is the best of {len(table.rows)} with a probability of {chance_of(chance)}.")
    elif len(table.rows) > 1:
        said.append(why(best.probability))
    if note := not_full(best.priced):
        said.append(printable(note))
    if note := bounded_note(best.priced.candidate.model):
        said.append(note)
    if len({one.kind for one in found.tables}) > 1 or table.kind != "measured":
        said.append(_ORDER)
    return said


def nothing_words(n: int) -> str:
    """Return that none of n configurations keeps what was asked."""
    return f"Nothing of {n:,} configurations can be picked; below is why."


def without_accuracy(found: Picked) -> str:
    """Return how many would be ranked if the accuracy did not count, and how to ask, or nothing."""
    if not found.n_per_request:
        return ""
    n = found.n_per_request
    rows = (
        "1 configuration lacks only its accuracy"
        if n == 1
        else f"{n:,} configurations lack only their accuracy"
    )
    what = OBJECTIVES[found.per_request]
    return f"{rows}: rank by {what} (`--by {found.per_request}`) to see {'it' if n == 1 else 'them'}."


def _evidence(table: Table) -> str:
    """Return what an answer rests on where it is not a measurement, to stand beside its figure."""
    if table.kind == "measured":
        return ""
    if table.kind == "simulated":
        return ", simulated"
    return f", modelled from a published row of {printable(table.task or 'a task that is not told')}"


def _of(found: Picked) -> str:
    return {"joules": "a request", "usd": "a request", "gco2e": "a request"}.get(
        found.wanted.by, "a correct answer"
    )


def chance_of(share: float) -> str:
    """Return a probability in per cent: draws make nothing certain."""
    if share < 0.001:
        return "<0.1 %"
    return ">99.9 %" if share > 0.999 else percent_of(share)


def percent_of(share: float) -> str:
    """Return a share in per cent."""
    return f"{number(100 * share, 1)} %"


def table_title(table: Table) -> str:
    """Return what is in a table: kind of evidence, tier, scope, and the task where it counts."""
    told = [KINDS[table.kind]]
    if table.kind == "measured":
        told.append(f"tier {table.tier}" if table.tier else "no tier")
    if table.scope:
        told.append(f"joules of {printable(table.scope)}")
    if table.task and table.kind == "published":
        told.append(f"task {printable(table.task)}")
    elif table.task:
        told.append(f"accuracy of {printable(table.task)}")
    return ", ".join(told)


def named(point: OperatingPoint) -> str:
    """Return a configuration with its model."""
    return f"{printable(point.model).rpartition('/')[2]} on {printable(point.label)}"


def rank_text(row: Ranked) -> str:
    """Return a rank, or the range of ranks that noise leaves open."""
    if row.ranks is None:
        return DASH
    first, last = row.ranks
    return str(first) if first == last else f"{first}–{last}"


def ranged(name: str, value: Value) -> str:
    """Return a figure with its interval in brackets; a dash where it is withheld."""
    text, interval = figure_texts(name, value)
    if value.value is None or value.lo is None or value.hi is None:
        return text
    unit = "".join(text.partition(" ")[1:])
    ends = re.sub(r"^(95 % interval|meter's bound) ", "", interval).removesuffix(unit)
    return f"{text} ({ends})"


def failed_words(check: Kept) -> str:
    """Return by what a configuration was ruled out: the figure, and the limit that it does not keep."""
    constraint = check.constraint
    if isinstance(constraint, Named):
        have = "not known" if check.text is None else printable(check.text)
        return f"{constraint.name} {have}, {printable(constraint.wanted)} is asked for"
    assert check.value is not None
    if constraint is FITS:
        hours = "" if check.value.value is None else f"{number(24 * check.value.value, 1)} h"
        return f"a day's requests take it {hours}, of 24 h"
    name = constraint.name
    title_of = FIGURES.get(name, name.removeprefix("workload_").replace("_", " "))
    own = ""
    if name not in FIGURES and not name.startswith("workload_"):
        own = _OWN_LENGTHS
    have = (
        ranged(name, check.value) if check.met is not None else f"not known ({why(check.value).rstrip('.')})"
    )
    least = "at least" if constraint.at_least else "at most"
    limit = figure_texts(name, Value(constraint.bound, check.value.unit))[0]
    return f"{title_of}{own} {have}, {least} {limit} is asked for"


def ruled_out_line(one: RuledOut) -> str:
    """Return a configuration with everything that it fails by."""
    return f"{named(one.priced.candidate.point)}: {'; '.join(map(failed_words, one.failed))}"


def not_priced_lines(found: Picked) -> list[str]:
    """Return why configurations have no figure to rank by, each reason once."""
    by_text: dict[str, list[str]] = {}
    for one in found.not_priced:
        by_text.setdefault(one.text, []).append(named(one.candidate.point))
    return [
        f"{labels[0] if len(labels) == 1 else f'{labels[0]} and {len(labels) - 1} more'}: {printable(text)}"
        for text, labels in by_text.items()
    ]


def row_notes(row: Ranked) -> list[str]:
    """Return what has to be known of one row: extrapolation, tests of transfer, limits within noise."""
    priced = row.priced
    notes = list(priced.extrapolated)
    for one in priced.candidate.transfers:
        error = one.error
        assert error.value is not None
        interval = "" if error.lo is None or error.hi is None else f" ({error.lo:+.1f} … {error.hi:+.1f})"
        notes.append(
            f"Its cost model priced the requests of {printable(one.task)} {error.value:+.1f} % off"
            f"{interval}, which is in its interval."
        )
    notes += [f"Noise decides whether it keeps: {failed_words(c)}." for c in row.checks if c.within_noise]
    notes += [printable(note) for note in (*priced.candidate.notes, *priced.candidate.point.notes)]
    return notes


def accuracy_line(found: Picked) -> str:
    """Return whose accuracy is shown, and how long the answers of its run were, or nothing."""
    best = found.best
    if best is None or best.priced.candidate.point.accuracy.value is None:
        return ""
    point = best.priced.candidate.point
    said = (
        f"Accuracy {accuracy_text(best.priced)} is that of {printable(point.task)}, the task of its run; "
        "yours may be another."
    )
    own = best.priced.candidate.own
    workload = best.priced.workload
    if own is not None and workload is not None:
        said += (
            f" There a request had {own[0]:,.0f} prompt and {own[1]:,.0f} completion tokens in the mean: the "
            "lengths of answers that you gave are taken to be the same for every model."
        )
    return said


def accuracy_text(row: Priced) -> str:
    """Return the accuracy with its interval in per cent."""
    return ranged("accuracy", row.candidate.point.accuracy)


def warning(found: Picked) -> str:
    """Return the warning that rows are simulated, or nothing."""
    return simulated_words([row.priced.candidate.point for table in found.tables for row in table.rows])
