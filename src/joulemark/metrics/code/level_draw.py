"""Which inputs of levels a run had: its answer's own, beside which the reference ran too."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.record.code_run import CodeRun

LEVEL_REPEATS = 6
"""Calls of each test of a level that counts, each on an input that is drawn anew; the published number."""


def draw_of(runs: Sequence[CodeRun]) -> int:
    """Return the number of the draw that one answer's runs on levels had; of a record of before, 0.

    ``pair`` of a run counts the repeats on through all answers of a problem. A level for right and wrong only
    has draw 0 for all of them.
    """
    return max((draw_of_run(run) for run in runs), default=0)


def draw_of_run(run: CodeRun) -> int:
    """Return the number of the draw of one run."""
    return (run.pair or 0) // LEVEL_REPEATS


def of_draw(runs: Sequence[CodeRun], draw: int) -> tuple[CodeRun, ...]:
    """Return the reference's runs on levels of one draw, and on levels that all answers have in common."""
    own = {run.level for run in runs if draw_of_run(run) == draw}
    return tuple(run for run in runs if draw_of_run(run) == (draw if run.level in own else 0))
