"""The tables of a finished run: parquet files made from the journals, for everybody's tools."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import polars as pl

from joulemark.record.attribution import Attribution
from joulemark.record.item import ItemRow
from joulemark.record.telemetry import Reading
from joulemark.runs.layout import write_atomically

_ATTEMPT = pl.Struct({"t_sent": pl.Int64, "t_end": pl.Int64, "error": pl.String, "tokens": pl.Int64})
ITEM_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "item_id": pl.String,
    "index": pl.Int64,
    "repeat": pl.Int64,
    "segment": pl.Int64,
    "phase": pl.String,
    "session": pl.String,
    "turn": pl.Int64,
    "t_scheduled": pl.Int64,
    "t_sent": pl.Int64,
    "t_first": pl.Int64,
    "t_first_answer": pl.Int64,
    "t_end": pl.Int64,
    "prompt_tokens": pl.Int64,
    "cached_tokens": pl.Int64,
    "reasoning_tokens": pl.Int64,
    "completion_tokens": pl.Int64,
    "token_source": pl.String,
    "media_units": pl.Float64,
    "finish_reason": pl.String,
    "streamed": pl.Boolean,
    "attempts": pl.List(_ATTEMPT),
    "verdict": pl.String,
    "correct": pl.Boolean,
    "score": pl.Float64,
    "rule": pl.String,
    "span": pl.List(pl.Int64),
    "answer_commitment": pl.String,
    "engine_load_ns": pl.Int64,
    "engine_prefill_ns": pl.Int64,
    "engine_decode_ns": pl.Int64,
    "suspect": pl.List(pl.String),
    "reasons": pl.List(pl.Struct({"field": pl.String, "reason": pl.String})),
}
CHUNK_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "item_id": pl.String,
    "repeat": pl.Int64,
    "t_ns": pl.Int64,
    "tokens": pl.Int64,
    "coalesced": pl.Boolean,
}
TELEMETRY_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "segment": pl.Int64,
    "t_ns": pl.Int64,
    "source": pl.String,
    "scope": pl.String,
    "quantity": pl.String,
    "value": pl.Float64,
    "t_driver_ns": pl.Int64,
    "flags": pl.List(pl.String),
}
ATTRIBUTION_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "item_id": pl.String,
    "repeat": pl.Int64,
    "segment": pl.Int64,
    "method": pl.String,
    "scope": pl.String,
    "joules": pl.Float64,
    "lo": pl.Float64,
    "hi": pl.Float64,
    "reason": pl.String,
}


def write_items(path: Path, rows: Sequence[ItemRow]) -> None:
    """Write one row an item and repeat; texts stay in the journal."""
    records = []
    for row in rows:
        record = asdict(row.item)
        record["span"] = list(row.item.span) if row.item.span else None
        record["reasons"] = [{"field": k, "reason": v} for k, v in row.item.reasons.items()]
        records.append(record)
    _write(path, records, ITEM_SCHEMA)


def write_chunks(path: Path, rows: Sequence[ItemRow]) -> None:
    """Write one row a stream event that carried output."""
    # By column: a loaded run has a million of them.
    chunks = [chunk for row in rows for chunk in row.chunks]
    columns: dict[str, Sequence[object]] = {
        "item_id": [row.item.item_id for row in rows for _ in row.chunks],
        "repeat": [row.item.repeat for row in rows for _ in row.chunks],
        "t_ns": [chunk.t_ns for chunk in chunks],
        "tokens": [chunk.tokens for chunk in chunks],
        "coalesced": [chunk.coalesced for chunk in chunks],
    }
    _write(path, columns, CHUNK_SCHEMA)


def write_telemetry(path: Path, readings: Sequence[Reading]) -> None:
    """Write one row a reading and quantity; a reading without a value keeps one row for its flags."""
    records = []
    for reading in readings:
        for quantity, value in reading.values.items() or [(None, None)]:
            records.append(
                {
                    "segment": reading.segment,
                    "t_ns": reading.t_ns,
                    "source": reading.source,
                    "scope": reading.scope,
                    "quantity": quantity,
                    "value": value,
                    "t_driver_ns": reading.t_driver_ns,
                    "flags": list(reading.flags),
                }
            )
    _write(path, records, TELEMETRY_SCHEMA)


def write_attribution(path: Path, rows: Sequence[Attribution]) -> None:
    """Write one row an item, method and scope."""
    _write(path, [asdict(row) for row in rows], ATTRIBUTION_SCHEMA)


def _write(
    path: Path,
    data: Sequence[dict[str, object]] | Mapping[str, Sequence[object]],
    schema: dict[str, pl.DataType | type[pl.DataType]],
) -> None:
    buffer = io.BytesIO()
    pl.DataFrame(data, schema=schema).write_parquet(buffer)
    write_atomically(path, buffer.getvalue())
