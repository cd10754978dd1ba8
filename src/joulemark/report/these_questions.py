"""What a figure's interval speaks of, and beside it that of the run's own questions alone."""

from __future__ import annotations

from dataclasses import replace

from joulemark.metrics.summary import Summary
from joulemark.metrics.these_questions import TheseQuestions
from joulemark.report.wording import figure_texts

OF_THE_KIND = "of questions of the kind"
_OF_ANSWERS = ("accuracy", "mean_score")


def beside(name: str, summary: Summary) -> str:
    """Return the sentence to stand below a figure's interval, nothing where there is none to tell."""
    these, span = summary.these, own_interval(name, summary)
    if these is None:
        return ""
    if not span:
        value = summary.figures[name]
        if name not in _OF_ANSWERS or value.lo is None or not these.temperature:
            return ""
        again = ", each question once" if these.once else ""
        return (
            f"Answers were drawn at temperature {these.temperature:g}{again}: another run of the same model "
            "differs, on the same questions too, so no narrower interval of these alone is given."
        )
    if name in _OF_ANSWERS and these.temperature:
        as_found = "asked again as often"
    elif name in _OF_ANSWERS:
        as_found = "as answered in this run"
    else:
        as_found = "answered alike and metered again"
    return f"{_these(these)}, {as_found}: {span}"


def own_interval(name: str, summary: Summary) -> str:
    """Return the interval of a figure of the run's own questions with its unit, or nothing."""
    value, these = summary.figures[name], summary.these
    if these is None or name not in these.intervals:
        return ""
    lo, hi = these.intervals[name]
    text, interval = figure_texts(name, replace(value, lo=lo, hi=hi))
    return f"exactly {text}" if lo == hi else interval.removeprefix("95 % interval ")


def short(name: str, summary: Summary) -> str:
    """Return the same for a cell of a table."""
    span, these = own_interval(name, summary), summary.these
    return f"of these {these.questions:,}: {span}" if span and these is not None else ""


def _these(these: TheseQuestions) -> str:
    asked = "all asked" if these.asked >= these.questions else f"{these.asked:,} asked"
    return f"Of these {these.questions:,} questions ({asked})"
