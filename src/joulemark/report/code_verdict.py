"""Which of two models is right more often, and whose programs are faster, in words: told apart or not."""

from __future__ import annotations

from joulemark.metrics.code.model_pair import DIFFERENCE, QUOTIENT, ModelPair
from joulemark.metrics.value import Value
from joulemark.report.code_lead import bracketed, times
from joulemark.report.wording import figure_texts, why

TOLD, NOT_TOLD = "told apart", "not told apart"


def told(name: str, value: Value) -> str:
    """Say whether a figure of two models tells them apart: without an interval nothing does."""
    if value.value is None:
        return ""
    if value.lo is None or value.hi is None:
        return NOT_TOLD
    alike = 0.0 if name == DIFFERENCE.name else 1.0
    return NOT_TOLD if value.lo <= alike <= value.hi else TOLD


def verdict(pair: ModelPair, first: str, second: str) -> list[str]:
    """Return what a pair shows, a sentence a figure; ``first`` and ``second``: what the models are called."""
    figures = pair.figures
    return [_times(figures[QUOTIENT.name], first, second), _right(figures[DIFFERENCE.name], first, second)]


def _times(value: Value, first: str, second: str) -> str:
    if value.value is None:
        return f"CPU time: {first} and {second} are not compared. {why(value)}"
    faster, slower = (second, first) if value.value < 1 else (first, second)
    by = f"{times(max(value.value, 1 / value.value))} times"
    how = _how_sure(value)
    if told(QUOTIENT.name, value) == TOLD:
        return f"{faster} is faster: programs of {slower} take {by} its CPU time ({how}): told apart."
    return (
        f"Which is faster is not told apart: in these numbers programs of {slower} take {by} the CPU time of "
        f"{faster} ({how})."
    )


def _how_sure(value: Value) -> str:
    """Return of how many problems it is, and its interval the same way round as the sentence."""
    if value.value is None or value.value >= 1 or value.lo is None or value.hi is None:
        return bracketed(QUOTIENT.name, value)
    turned = Value(1 / value.value, "1", 1 / value.hi, 1 / value.lo, value.interval, n=value.n)
    return bracketed(QUOTIENT.name, turned)


def _right(value: Value, first: str, second: str) -> str:
    if value.value is None:
        return f"Right answers: {first} and {second} are not compared. {why(value)}"
    more, fewer = (second, first) if value.value >= 0 else (first, second)
    by, _ = figure_texts(DIFFERENCE.name, Value(abs(value.value), value.unit))
    of = "" if value.n is None else f" of {value.n:,} problems"
    if told(DIFFERENCE.name, value) == TOLD:
        return f"{more} is right more often than {fewer}: pass@1{of} is higher by {by}: told apart."
    return f"Which is right more often is not told apart: pass@1{of} differs by {by}."
