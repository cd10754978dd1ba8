"""What is said of the limits that a load was given: the same in the terminal and on the page."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.slo import SLO_SHARE, Slo
from joulemark.metrics.slo_energy import JOULES_PER_CORRECT, SHARE_CORRECT
from joulemark.metrics.slo_summary import SloFigures
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.report.headline import Tile
from joulemark.report.wording import DASH, figure_texts, gathered, why

_LIMITS = {"ttft": "first token", "tpot": "each token after the first", "e2el": "whole answer"}


def limit_words(slo: Slo) -> str:
    """Return the limits in words, for instance ``first token ≤ 1 s, whole answer ≤ 30 s``."""
    return ", ".join(f"{_LIMITS[name]} ≤ {_time(limit_s)}" for name, limit_s in slo.limits.items())


def limit_lines(summary: Summary) -> list[str]:
    """Return a line a figure at the limits, a reason for several but once; nothing without limits."""
    found = summary.slo
    if found is None:
        return []
    return [_kept(found), *_lines(found, SHARE_CORRECT, JOULES_PER_CORRECT)]


def share_lines(found: SloFigures) -> list[str]:
    """Return which share of the requests kept the limits, and which share was correct too."""
    return [_kept(found), *_lines(found, SHARE_CORRECT)]


def limit_tile(found: SloFigures) -> Tile:
    """Return the energy per correct answer within the limits as a large figure."""
    value = found.joules_per_correct_answer
    text, interval = figure_texts(JOULES_PER_CORRECT.name, value)
    lines = [line for line in (interval, why(value), limit_words(found.slo)) if line]
    return Tile(JOULES_PER_CORRECT.title, text, lines, JOULES_PER_CORRECT.name)


def _kept(found: SloFigures) -> str:
    share, limits = found.share, limit_words(found.slo)
    if share.value is None:
        return f"{DASH} Within {limits}: {why(share)}"
    text, interval = figure_texts(SLO_SHARE.name, share)
    return f"{text} ({interval}) of {share.n:,} counted requests kept {limits}."


def _lines(found: SloFigures, *wanted: MetricDefinition) -> list[str]:
    values = {
        SHARE_CORRECT: found.share_correct,
        JOULES_PER_CORRECT: found.joules_per_correct_answer,
    }
    known = [
        _known(defined, values[defined], found) for defined in wanted if values[defined].value is not None
    ]
    why_not = gathered((defined.title, why(values[defined])) for defined in wanted)
    return known + [f"{DASH} {', '.join(titles)}: {sentence}" for sentence, titles in why_not.items()]


def _known(defined: MetricDefinition, value: Value, found: SloFigures) -> str:
    text, interval = figure_texts(defined.name, value)
    beside = f" ({interval})" if interval else ""
    what = "of {:,} counted requests" if value.n == found.share.n else "over {:,} questions"
    of = f", {what.format(value.n)}" if defined is SHARE_CORRECT else ""
    return f"{defined.title}: {text}{beside}{of}"


def _time(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 1 else f"{1e3 * seconds:g} ms"
