"""The answer of an evaluation in words: how many programs are right, and what these take."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.metrics.code.summary import CodeSummary
from joulemark.metrics.value import Value
from joulemark.report.wording import figure_texts


def headline(summary: CodeSummary) -> str:
    """Say how many programs are right, and what the right ones take in CPU time and memory."""
    counts = summary.counts
    right = (
        f"{counts['n_right']:,} of {counts['n_samples']:,} programs are right; "
        f"{counts['n_solved']:,} of {counts['n_problems']:,} problems are solved."
    )
    if summary.open_problems:  # slow programs end last: what is there leans towards the good
        return right
    return f"{right} {taken}" if (taken := _taken(summary.figures)) else right


def times(value: float) -> str:
    """Return a ratio as a sentence says it."""
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def bracketed(name: str, value: Value) -> str:
    """Say of how many problems a geometric mean is, and its interval."""
    _, interval = figure_texts(name, value)
    of = "" if value.n is None else f" over {value.n:,} problem{'s' * (value.n != 1)}"
    known = interval if value.lo is not None else "too few for an interval"
    return f"geometric mean{of}, {known}"


def _taken(figures: Mapping[str, Value]) -> str:
    """Say what right programs take; nothing where no time of them is known."""
    name, least = "net_corrected", "net_corrected_at_least"
    time, bound, memory = (figures.get(one) for one in (name, least, "nmu_corrected"))
    if time is not None and time.value is not None:
        said = f"They take {times(time.value)} times the reference's CPU time ({bracketed(name, time)})"
    elif bound is not None and bound.value is not None:
        said = (
            f"They take at least {times(bound.value)} times the reference's CPU time "
            f"({bracketed(least, bound)}; some were ended)"
        )
    else:
        return ""
    if memory is not None and memory.value is not None:
        said += f" and {times(memory.value)} times its memory"
    return f"{said}, on the scaled input."
