"""Several runs of one configuration as one row: the run that stands for it, and spreads over all."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.board.standing.board_row import BoardRow, Spread
from joulemark.board.standing.figure_names import AT_OWN_RATES, HEADLINE, NAMES


@dataclass(frozen=True, slots=True)
class KeptRun:
    """An accepted run as a board keeps it; ``row`` is what it is by itself (`run_row.row_of_run`)."""

    digest: str
    row: BoardRow
    signer: str
    rung: int
    n_items: int
    received_at: str
    measured_at: str | None


def stands_for(runs: Sequence[KeptRun]) -> KeptRun:
    """Return the run whose figures a row shows.

    One that may be ranked before one that may not, or anybody could take a row out of its ranking by a run of
    the same set-up that was stopped early; then the highest rung. Of these each signer has one say, by the
    run of most answers, then the latest; and the one in the middle by joules per correct answer is shown, of
    two in the middle the one that was there first. So nobody replaces a figure by submitting again, nor by
    asking more: that takes as many keys as others have.
    """
    best = max((run.row.is_ranked, run.rung) for run in runs)
    of_signer: dict[str, KeptRun] = {}
    for run in sorted(runs, key=lambda run: (run.n_items, run.received_at, run.digest)):
        if (run.row.is_ranked, run.rung) == best:
            of_signer[run.signer] = run
    known = [run for run in of_signer.values() if _headline(run) is not None]
    said = sorted(known or of_signer.values(), key=lambda run: (_headline(run) or 0.0, run.digest))
    middle = said[(len(said) - 1) // 2 : len(said) // 2 + 1]
    return min(middle, key=lambda run: (run.received_at, run.digest))


def row_of_runs(runs: Sequence[KeptRun]) -> BoardRow:
    """Return the row of one or more runs of one configuration, in whatever order they are given."""
    shown = stands_for(runs)
    latest = sorted(runs, key=lambda run: (run.received_at, run.digest), reverse=True)
    return replace(
        shown.row,
        spreads=_spreads(runs),
        n_runs=len(runs),
        n_signers=len({run.signer for run in runs}),
        rung=shown.rung,
        runs=tuple(run.digest for run in latest),
        stands_for=shown.digest,
        measured_at=shown.measured_at,
    )


def _headline(run: KeptRun) -> float | None:
    figure = run.row.figures.get(HEADLINE)
    return None if figure is None else figure.value


def _spreads(runs: Sequence[KeptRun]) -> dict[str, Spread]:
    """Return mean ± σ of what is known of two runs or more. Others' prices make no spread."""
    found = {}
    for name in NAMES:
        figures = (run.row.figures.get(name) for run in runs)
        # in order, so that the last digit of a sum does not depend on who came first
        known = sorted(one.value for one in figures if one is not None and one.value is not None)
        if len(known) > 1 and name not in AT_OWN_RATES:
            found[name] = Spread(statistics.fmean(known), statistics.stdev(known), len(known))
    return found
