"""The outcomes of a task's items from what holds them: a run of ours, a table, a matrix, another's log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from joulemark.frugal.outcomes.formats import helm, inspect_log, lm_eval, matrix, run, table
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.outcomes.priced import PRICED, priced, with_metric
from joulemark.rates.declared import DeclaredRates
from joulemark.record.errors import InputError

_FIX = "name a run directory, a CSV, JSONL, Parquet or npz file, or a log of lm-eval, inspect or HELM"


def read_outcomes(
    path: Path | str,
    *,
    metric: str | None = None,
    model: str | None = None,
    benchmark: str | None = None,
    rates: DeclaredRates | None = None,
) -> Outcomes:
    """Read one model's outcomes on one task. Raises `InputError`.

    - ``metric``: null for whether answers were correct (or their score); else the name of a column, of a
      scorer or of a cost (``e2el_s``, ``energy_j``), whose values then stand in ``values``.
    - ``model``: which row of a matrix or of a table with a column of models; a name, a part of it, a number.
    - ``benchmark``: which matrix of an archive that holds several.
    - ``rates``: what energy and tokens cost, in place of what a run of ours or a file says.
    """
    path = Path(path)
    if rates is not None and rates.given and not (path / "manifest.json").exists():
        if metric not in PRICED:
            found = read_outcomes(path, metric=metric, model=model, benchmark=benchmark)
            return priced(found, rates, origin=str(path))
        found = read_outcomes(path, model=model, benchmark=benchmark)
        return with_metric(priced(found, rates, origin=str(path)), metric, origin=str(path))
    if path.is_dir():
        return _of_folder(path, metric, rates)
    if not path.is_file():
        raise InputError(f"there is no file or run {path}", why="nothing is there", fix=_FIX)
    if path.suffix == ".npz":
        return matrix.read_npz(path, metric=metric, model=model, benchmark=benchmark)
    if path.suffix in table.SUFFIXES:
        return table.read_table(path, metric=metric, model=model)
    if path.suffix == ".eval":
        return inspect_log.read_eval(path, metric=metric)
    document = _json(path)
    try:
        if inspect_log.is_inspect(document):
            return inspect_log.of_log(document, path, metric=metric)
        if helm.is_helm(document):
            return helm.of_instances(document, path, metric=metric)
        rows = _rows(document, path)
        if lm_eval.is_lm_eval(rows[0]):
            return lm_eval.of_samples(rows, path, metric=metric)
    except (TypeError, ValueError, KeyError, AttributeError) as error:  # another's file, of another form
        raise InputError(
            f"{path} has not the form that it begins with", why=str(error) or type(error).__name__, fix=_FIX
        ) from error
    return table.of_rows(rows, path, metric=metric, model=model)


def _of_folder(path: Path, metric: str | None, rates: DeclaredRates | None) -> Outcomes:
    if (path / helm.FILE_NAME).is_file() and not (path / "manifest.json").exists():
        file = path / helm.FILE_NAME
        document = _json(file)
        if helm.is_helm(document):
            return helm.of_instances(document, file, metric=metric)
    return run.read_run_outcomes(path, metric=metric, rates=rates)


def _json(path: Path) -> Any:
    """Return a JSON document, or the list of those of a JSON-lines file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read", why=error.strerror or str(error), fix=_FIX) from error
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    rows = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise InputError(f"line {number} of {path} is no JSON", why=str(error), fix=_FIX) from error
    return rows


def _rows(document: Any, path: Path) -> list[dict[str, Any]]:
    rows = document if isinstance(document, list) else [document]
    if not rows or not all(isinstance(row, dict) for row in rows):
        # a bare list of outcomes is a column
        if rows and all(isinstance(one, bool | int | float) for one in rows):
            return [{"correct": one} for one in rows]
        raise InputError(f"{path} holds no items", why="a JSON object a line is wanted", fix=_FIX)
    return rows
