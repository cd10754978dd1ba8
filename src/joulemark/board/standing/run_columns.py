"""What a board keeps of a run for its leaderboard: the columns of `runs` that this room answers for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from joulemark.board.database.times import of_ns
from joulemark.board.standing.row_json import row_to_json
from joulemark.board.standing.run_row import row_of_run
from joulemark.bundles.submission.stated import stated_figures
from joulemark.metrics.run_point import run_point
from joulemark.metrics.summary import Summary

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView

ROW = "row"
"""Under which name ``figures`` hold the run's own row, beside the recomputed figures."""


@dataclass(frozen=True, slots=True)
class RunColumns:
    """Columns of `joulemark.board.database.tables.runs` by their names."""

    configuration: str
    device: str | None
    model: str
    measured_at: str | None
    figures: Mapping[str, Any]


def columns_of(view: RunView, summary: Summary, digest: str) -> RunColumns:
    """Return the columns of a run that was recomputed from the bundle ``digest``."""
    point = run_point(view, summary, f"bundle {digest[:12]}")
    row = row_of_run(view, summary, point)
    segments = view.manifest.segments
    return RunColumns(
        configuration=row.id,
        device=None if point.device is None else point.device[:120],
        model=point.model[:200],
        measured_at=of_ns(segments[0].wall_anchor_ns) if segments else None,
        figures={**stated_figures(summary), ROW: row_to_json(row)},
    )
