"""Definitions of what a summary counts: questions, requests, what became of them, and how long it took."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition

_OF = "the measured windows alone: neither warm-up nor lead requests"


def _count(
    name: str, title: str, unit: str, inputs: tuple[str, ...], source: str, *withheld: str
) -> MetricDefinition:
    latex = rf"n_\mathrm{{{name.removeprefix('n_')}}}"
    return MetricDefinition(name, title, unit, latex, inputs, withheld, source)


WANTED = _count(
    "n_wanted",
    "Answers asked for",
    "answers",
    ("manifest.task", "manifest.load", "manifest.repeats"),
    "items × repeats, or the requests of a load that count",
    "the record does not tell it",
)
ITEMS = _count(
    "n_items", "Different questions", "questions", ("items.item_id",), f"repeats count once; {_OF}"
)
REQUESTS = _count(
    "n_requests", "Requests", "requests", ("items.item_id", "items.repeat"), f"failed ones too; {_OF}"
)
SCORED = _count(
    "n_scored",
    "Scored requests",
    "requests",
    ("items.correct", "items.verdict"),
    "requests that count as correct or not, among them failed ones that could have been graded; 0 where "
    "scores are real-valued",
)
CORRECT = _count(
    "n_correct",
    "Correct answers",
    "answers",
    ("items.correct", "items.verdict"),
    "a failed request is never correct",
)
RETRIED = _count("n_retried", "Requests sent more than once", "requests", ("items.attempts",), _OF)
DURATION = MetricDefinition(
    "duration_s",
    "Length of the measured windows",
    "s",
    r"\sum_w (t_{1,w} - t_{0,w})",
    ("windows",),
    ("nothing was measured", "a window has no end"),
    "pauses are left out, the time between requests is inside",
)
DEFINITIONS = (WANTED, ITEMS, REQUESTS, SCORED, CORRECT, RETRIED, DURATION)
