"""Outcomes in a table with a row an item: CSV, TSV, JSONL or Parquet."""

from __future__ import annotations

import codecs
import io
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from joulemark.frugal.outcomes.formats.columns import (
    COSTS_NAMED,
    DOMAIN_NAMES,
    ID_NAMES,
    MODEL_NAMES,
    VALUE_NAMES,
    cost_name,
    first_of,
    is_cost,
    number_of,
    outcomes_of,
)
from joulemark.frugal.outcomes.formats.graded import ERRORS, VERDICTS, GradedCells, graded_cells
from joulemark.frugal.outcomes.formats.names import chosen
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.record.errors import InputError

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".csv", ".tsv", ".parquet")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_table(path: Path, *, metric: str | None = None, model: str | None = None) -> Outcomes:
    """Read a CSV, TSV or Parquet file. Raises `InputError`; what is wanted as of `of_frame`."""
    import polars as pl

    try:
        data = path.read_bytes()  # of a path polars would take [ ], * and ? for a pattern
        if data.startswith(_UTF_16):
            raise InputError(f"{path} is no UTF-8", why="it begins as UTF-16 does", fix="save it as UTF-8")
        if path.suffix == ".parquet":
            frame = pl.read_parquet(io.BytesIO(data))
        else:
            separator = "\t" if path.suffix == ".tsv" else ","
            bare = _is_bare(data, separator)
            frame = pl.read_csv(
                io.BytesIO(data), separator=separator, infer_schema=False, has_header=not bare
            )
            if bare:
                return _of_bare(frame, path, metric=metric, model=model)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"{path} cannot be read as a table",
            why=str(error).splitlines()[0] if str(error) else type(error).__name__,
            fix="name a CSV, TSV, JSONL or Parquet file with a row an item",
        ) from error
    return of_frame(frame, path, metric=metric, model=model)


def of_rows(
    rows: Sequence[dict[str, object]], path: Path, *, metric: str | None, model: str | None
) -> Outcomes:
    """Return JSON objects, one an item, as outcomes; see `of_columns`."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return of_columns({name: [row.get(name) for row in rows] for name in names}, path, metric, model)


def _is_bare(data: bytes, separator: str) -> bool:
    """Tell whether the first row is numbers, so that it is an item and no row of names."""
    first = data.removeprefix(codecs.BOM_UTF8).partition(b"\n")[0].decode("utf-8", "replace").strip()
    return all(_is_number(cell.strip().strip('"')) for cell in first.split(separator))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _of_bare(frame: pl.DataFrame, path: Path, *, metric: str | None, model: str | None) -> Outcomes:
    """Return a table without names; a single column is what was answered."""
    frame.columns = ["correct"] if frame.width == 1 else [f"column_{k + 1}" for k in range(frame.width)]
    found = of_frame(frame, path, metric=metric, model=model)
    return replace(found, notes=(*found.notes, "its first row is numbers: an item, and no names of columns"))


def of_frame(frame: pl.DataFrame, path: Path, *, metric: str | None, model: str | None) -> Outcomes:
    """Return a table as outcomes; see `of_columns`."""
    return of_columns({name: frame[name].to_list() for name in frame.columns}, path, metric, model)


def of_columns(
    columns: dict[str, list[object]], path: Path, metric: str | None, model: str | None
) -> Outcomes:
    """Return columns as outcomes.

    The values are the column that ``metric`` names, else the first of `VALUE_NAMES`, else the only numeric
    one. With a column of models only the rows of ``model`` count.
    """
    columns = dict(columns)
    name = path.stem
    models = first_of(MODEL_NAMES, list(columns))
    if models is not None:
        there = list(dict.fromkeys(str(one) for one in columns[models]))
        place = chosen(there, model, str(path))
        if len(there) > 1:
            kept = [k for k, one in enumerate(columns[models]) if str(one) == there[place]]
            columns = {one: [cells[k] for k in kept] for one, cells in columns.items()}
        name = there[place]
    column = _value_column(columns, metric, path)
    ids, domain = first_of(ID_NAMES, list(columns)), first_of(DOMAIN_NAMES, list(columns))
    costs = {cost_name(one): _numbers(cells) for one, cells in columns.items() if is_cost(one)}
    if is_cost(column):
        answers = GradedCells(costs[cost_name(column)], None, 0)
    else:
        verdicts, errors = (first_of(of, list(columns)) for of in (VERDICTS, ERRORS))
        answers = graded_cells(
            columns[column],
            origin=str(path),
            column=column,
            verdicts=() if verdicts is None else columns[verdicts],
            errors=() if errors is None else columns[errors],
        )
    return outcomes_of(
        name,
        answers.values,
        origin=str(path),
        metric=cost_name(column) if is_cost(column) else None,
        column="correct" if is_cost(column) else column,
        item_ids=() if ids is None else [str(one) for one in columns[ids]],
        domains=None if domain is None else [str(one) for one in columns[domain]],
        costs=costs,
        notes=[*answers.notes, *_unread(columns, column)],
        graded=answers.graded,
    )


def _unread(columns: dict[str, list[object]], column: str) -> list[str]:
    """Name the numbers that are not read: what they count is said by no unit that is known."""
    names = list(columns)
    taken = {column, *(first_of(of, names) for of in (ID_NAMES, DOMAIN_NAMES, MODEL_NAMES, VALUE_NAMES))}
    left = [one for one in names if one not in taken and not is_cost(one) and _has_numbers(columns[one])]
    if not left:
        return []
    some = ", ".join(left[:6]) + (", …" if len(left) > 6 else "")
    return [f"not read as a cost: {some}; costs are columns named {COSTS_NAMED}"]


def _has_numbers(cells: Sequence[object]) -> bool:
    return any(isinstance(one, int | float | str) and math.isfinite(number_of(one)) for one in cells[:50])


def _value_column(columns: dict[str, list[object]], metric: str | None, path: Path) -> str:
    """Return the name of the column that the values are, or raise `InputError`."""
    names = list(columns)
    if metric is not None and metric in columns:
        return metric
    wanted = metric if metric not in (None, "accuracy", "correct", "score") else None
    same = next((one for one in names if wanted is not None and cost_name(one) == cost_name(wanted)), None)
    found = same or (first_of(VALUE_NAMES, names) if wanted is None else None)
    if found is None and wanted is None:
        taken = {first_of(of, names) for of in (ID_NAMES, DOMAIN_NAMES, MODEL_NAMES)}
        numeric = [n for n in names if n not in taken and not is_cost(n) and _is_numeric(columns[n])]
        found = numeric[0] if len(numeric) == 1 else None
    if found is None:
        raise InputError(
            f"{path} has no column {wanted!r}" if wanted else f"{path} has no column of outcomes",
            why=f"there are {', '.join(names[:20])}; one named correct or score is looked for",
            fix="name the column with --metric NAME",
        )
    return found


def _is_numeric(cells: Sequence[object]) -> bool:
    return bool(cells) and bool(np.isfinite(_numbers(cells)).all())


def _numbers(cells: Sequence[object]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([number_of(one) for one in cells], dtype=np.float64)
