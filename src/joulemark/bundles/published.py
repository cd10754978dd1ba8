"""Rows as importers make them: each null with its reason, no configuration twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from joulemark.bundles.foreign_row import ForeignRow
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow, Unit
from joulemark.record.reason import Reason

RowKey = tuple[object, ...]

LITTLE = (
    "tpot_mean = average batch / token throughput (Little's law: the mean time in the running batch a token, "
    "without the wait in the queue); e2el_mean = tpot_mean × mean output tokens"
)


PUBLISHED_AS_ZERO = "It was published as 0, which it cannot be."
"""The reason of an energy, power or latency that a source gives as zero."""


def little_tpot_s(batch: float, tokens_per_s: float) -> float:
    """Return the mean time in the running batch a token, in seconds, see `LITTLE`."""
    return batch / tokens_per_s


def published_row(
    *,
    model: str,
    task: str,
    unit: Unit,
    energy_j: float | None,
    latency_s: Mapping[str, float],
    settings: Mapping[str, Setting],
    source: str,
    licence: str | None,
    device: str | None = None,
    n_devices: int | None = None,
    tpot_definition: str | None = None,
    tokens_per_second: float | None = None,
    mean_completion_tokens: float | None = None,
    mean_batch: float | None = None,
    mean_power_w: float | None = None,
    accuracy: float | None = None,
    reasons: Mapping[str, str] | None = None,
) -> PublishedRow:
    """Return a row; a null without a reason of its own gets ``not_published``.

    An energy, a power or a latency of zero becomes a null with `PUBLISHED_AS_ZERO` as its reason.
    """
    zeros = [name for name, found in (("energy_j", energy_j), ("mean_power_w", mean_power_w)) if found == 0]
    zeros += [f"latency_s.{name}" for name, seconds in latency_s.items() if seconds == 0]
    row = PublishedRow(
        model=model,
        device=device,
        n_devices=n_devices,
        task=task,
        unit=unit,
        energy_j=energy_j or None,
        latency_s={name: seconds for name, seconds in latency_s.items() if seconds != 0},
        tpot_definition=tpot_definition,
        tokens_per_second=tokens_per_second,
        mean_completion_tokens=mean_completion_tokens,
        mean_batch=mean_batch,
        mean_power_w=mean_power_w or None,
        accuracy=accuracy,
        settings=dict(settings),
        source=source,
        licence=licence,
    )
    missing = {name: Reason.NOT_PUBLISHED.value for name, value in row if value is None}
    row.reasons = {**missing, **(reasons or {}), **dict.fromkeys(zeros, PUBLISHED_AS_ZERO)}
    return row


def n_without_energy(rows: Iterable[PublishedRow]) -> int:
    """Return how many rows were published with an energy of 0 J."""
    return sum(row.reasons.get("energy_j") == PUBLISHED_AS_ZERO for row in rows)


def row_key(row: PublishedRow) -> RowKey:
    """Return what tells a configuration from others: never its figures."""
    settings = tuple(sorted((name, str(value)) for name, value in row.settings.items()))
    return (row.model, row.device, row.n_devices, row.task, row.unit, settings)


def refuse_repeated(rows: Iterable[tuple[ForeignRow, PublishedRow]], columns: str) -> list[PublishedRow]:
    """Return the rows; raises `InputError` where one stands for the same configuration as an earlier one.

    ``columns`` names those that tell configurations apart, for the error.
    """
    seen: dict[RowKey, str] = {}
    kept = []
    for foreign, row in rows:
        key = row_key(row)
        if key in seen:
            why = f"it repeats the configuration of {seen[key]} (same {columns})"
            raise foreign.refused(None, why, "remove one of the two rows")
        seen[key] = foreign.place
        kept.append(row)
    return kept
