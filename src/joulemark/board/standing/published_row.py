"""A row that somebody else published, as a row of the leaderboard: at the lowest rung, without intervals."""

from __future__ import annotations

from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.configuration import ONE_AT_A_TIME, table_of
from joulemark.board.standing.figure_names import ENERGY, HEADLINE, LATENCIES, NAMES
from joulemark.board.standing.figures import figure_from
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.value import Value, withheld
from joulemark.record.published import PublishedRow
from joulemark.record.reason import Reason

UNKNOWN_LOAD = "as published"
ENGINE = "as published"
_OF_POINTS = ("accuracy", "tokens_per_second", "mean_power_w")
_SHOWN = frozenset({"quantization", "precision"})


def row_of_published(row_id: str, row: PublishedRow, point: OperatingPoint) -> BoardRow:
    """Return the row of a published one; ``point`` is its operating point, ``row_id`` names both.

    One that cannot be physical is shown and not ranked. Rows of different sources are of different
    questions as far as anybody knows, so each source has tables of its own.
    """
    load = ONE_AT_A_TIME if row.mean_batch == 1 and row.unit == "request" else UNKNOWN_LOAD
    quantization = next((str(row.settings[name]) for name in _SHOWN if row.settings.get(name)), None)
    notes = (*point.notes, f"Published by others: {row.source}")
    return BoardRow(
        id=row_id,
        kind="published",
        table=table_of(
            kind="published",
            tier=None,
            scope=point.scope,
            task=row.task,
            questions=None,
            unit=row.unit,
            load=load,
            source=publication(row.source),
        ),
        model=row.model,
        task=row.task,
        questions=None,
        unit=row.unit,
        engine=ENGINE,
        engine_version=None,
        quantization=quantization,
        hardware=row.device,
        n_devices=row.n_devices,
        tier=None,
        scope=point.scope,
        load=load,
        settings=dict(row.settings),
        figures={name: figure_from(value) for name, value in _values(row, point).items()},
        n_runs=0,
        n_signers=0,
        source=row.source if row.licence is None else f"{row.source} ({row.licence})",
        is_ranked=not point.implausible,
        why_not_ranked=point.implausible,
        notes=notes,
    )


def publication(source: str) -> str:
    """Return who published, of a source that also names a file and a revision."""
    return source.partition(";")[0].strip()


def _values(row: PublishedRow, point: OperatingPoint) -> dict[str, Value]:
    found = {HEADLINE: point.joules_per_correct, ENERGY: point.energy_j}
    found |= {name: figure_of(point, name) for name in _OF_POINTS}
    found |= {name: figure_of(point, name) for name in LATENCIES}
    if row.mean_completion_tokens is not None:
        tokens = row.mean_completion_tokens
        found["mean_completion_tokens"] = Value(tokens, "tokens", interval_reason=Reason.NOT_PUBLISHED)
        if point.energy_j.value is not None and tokens > 0:
            found["joules_per_token"] = Value(
                point.energy_j.value / tokens, "J", interval_reason=Reason.NOT_PUBLISHED
            )
    return {name: found.get(name, withheld("1", Reason.NOT_PUBLISHED)) for name in NAMES}
