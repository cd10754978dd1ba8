"""Matrices of outcomes in numpy's archives (``.npz``): a row a model, a column an item.

Two forms. Plain: ``correct`` (m, n) or (n,) or ``score``, with ``models`` (m,), ids (``question_id`` or
``item_ids``), ``category`` (n,) as places in ``categories`` or ``tasks``, and costs of the same shape
(``output_chars``). Of a ``correct`` in whole numbers -1 is an answer that could not be parsed, counted wrong,
and -2 none at all; of scores they are scores. Packed: for each benchmark ``NAME__bits`` (`numpy.packbits`
along items) with ``NAME__shape`` and maybe ``NAME__models``.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from joulemark.frugal.outcomes.formats.columns import LARGEST, is_cost, is_too_large, outcomes_of
from joulemark.frugal.outcomes.formats.graded import graded_as
from joulemark.frugal.outcomes.formats.names import chosen
from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.outcomes.outcomes import Floats, Outcomes
from joulemark.record.errors import InputError

_BITS, _SHAPE, _MODELS = "__bits", "__shape", "__models"
_IDS = ("item_ids", "item_id", "question_id")
_MAX_CELLS = 100_000_000
"""Of all arrays of an archive together: 0.8 GB as numbers."""
_MAX_BYTES = 8 * _MAX_CELLS
_MAX_TEXT_BYTES = 1024
"""Of one name or id, padded as numpy pads each to the longest."""
_NPY = ".npy"
NO_ARCHIVE = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What reading a broken ``.zip`` raises; a method that is not known is a ``RuntimeError`` too."""
_BROKEN = (ValueError, KeyError, IndexError, TypeError, AttributeError, SyntaxError, MemoryError)
Arrays = Mapping[str, NDArray[Any]]


def read_npz(path: Path, *, metric: str | None, model: str | None, benchmark: str | None) -> Outcomes:
    """Return one model's row of a matrix. Raises `InputError`."""
    matrix = read_npz_matrix(path, benchmark=benchmark)
    place = chosen(matrix.models, model, str(path))
    row = matrix.values[place]
    return outcomes_of(
        matrix.models[place],
        row,
        origin=str(path),
        metric=metric,
        item_ids=matrix.item_ids,
        domains=matrix.domains,
        costs={name: of[place] for name, of in matrix.costs.items()},
        column=matrix.column,
        task=matrix.name,
        graded=graded_as(row[np.isfinite(row)], matrix.column),
    )


def read_npz_matrix(path: Path, *, benchmark: str | None = None) -> OutcomeMatrix:
    """Return the matrix of an archive, that of ``benchmark`` where it holds several. Raises `InputError`."""
    try:
        # numpy leaves a file that it opened itself open where it fails
        with path.open("rb") as file:
            _require_small(file)
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            # what is no array numpy hands out as bytes, all of it: so by the names of members
            members = dict.fromkeys(archive.zip.namelist())
            arrays = {name: archive[member] for member in members if (name := _array_name(member))}
        if any(name.endswith(_BITS) for name in arrays):
            return _packed(arrays, path, benchmark)
        return _plain(arrays, path)
    except (*_BROKEN, *NO_ARCHIVE) as error:
        raise InputError(
            f"{path} is no archive of outcomes",
            why=str(error) or type(error).__name__,
            fix="save `correct` (models × items) and `models` with numpy.savez",
        ) from error


def _require_small(file: BinaryIO) -> None:
    """Raise ``ValueError`` for an archive whose arrays are larger than memory should hold.

    By what their headers say, and by what the archive says that they unpack to; what is no array is not read.
    """
    cells = n_bytes = unpacked = 0
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if not _array_name(info.filename):
                continue
            with archive.open(info) as member:
                is_first = npy.read_magic(member)[0] == 1
                header = npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0
                shape, _, dtype = header(member)
            if dtype.kind in "US" and dtype.itemsize > _MAX_TEXT_BYTES:
                raise ValueError(
                    f"a text of {info.filename} takes {dtype.itemsize:,} bytes, and {_MAX_TEXT_BYTES:,} are "
                    "the most"
                )
            cells += math.prod(shape)
            n_bytes += math.prod(shape) * dtype.itemsize
            unpacked += info.file_size
    if cells > _MAX_CELLS:
        raise ValueError(f"its arrays hold {cells:,} numbers, and {_MAX_CELLS:,} are the most")
    if max(n_bytes, unpacked) > _MAX_BYTES:
        raise ValueError(f"its arrays take {max(n_bytes, unpacked):,} bytes, and {_MAX_BYTES:,} are the most")


def _array_name(member: str) -> str:
    """Return what the array of a member is called; nothing where it is none."""
    return member.removesuffix(_NPY) if member.endswith(_NPY) else ""


def _packed(arrays: Arrays, path: Path, benchmark: str | None) -> OutcomeMatrix:
    names = sorted(name.removesuffix(_BITS) for name in arrays if name.endswith(_BITS))
    name = names[chosen(names, benchmark, str(path), option="--benchmark")]
    n_models, n_items = (int(size) for size in arrays[name + _SHAPE])
    if not 0 < n_models * n_items <= _MAX_CELLS:
        raise ValueError(f"{name} is {n_models} × {n_items}")
    bits = np.unpackbits(arrays[name + _BITS], axis=1, count=n_items)
    if bits.shape != (n_models, n_items):
        raise ValueError(f"{name} is not {n_models} × {n_items}")
    models = arrays.get(name + _MODELS)
    return OutcomeMatrix(
        name,
        _names(models, n_models, "model"),
        bits.astype(np.float64),
        tuple(str(k) for k in range(n_items)),
    )


def _plain(arrays: Arrays, path: Path) -> OutcomeMatrix:
    column = next((name for name in ("correct", "score", "values") if name in arrays), None)
    if column is None:
        raise ValueError(f"it holds {', '.join(list(arrays)[:12]) or 'nothing'}, and no `correct` or `score`")
    values = _values(np.atleast_2d(arrays[column]), coded=column == "correct")
    n_models, n_items = values.shape
    ids = next((arrays[name] for name in _IDS if name in arrays), None)
    costs = {
        name: _values(np.atleast_2d(of))
        for name, of in arrays.items()
        if is_cost(name) and np.atleast_2d(of).shape == values.shape
    }
    costs = {name: np.where(np.isfinite(values), of, np.nan) for name, of in costs.items()}
    return OutcomeMatrix(
        path.stem,
        _names(arrays.get("models"), n_models, path.stem if n_models == 1 else "model"),
        values,
        _ids(ids, n_items),
        _domains(arrays, n_items),
        costs,
        column,
    )


def _values(of: NDArray[Any], *, coded: bool = False) -> Floats:
    """Return numbers; where they are ``coded``, those below 0 of whole numbers as they are meant."""
    values = of.astype(np.float64)
    if coded and np.issubdtype(of.dtype, np.signedinteger):
        values[of == -1] = 0.0
        values[of < -1] = np.nan
    if is_too_large(values):
        raise ValueError(f"it has a number beyond {LARGEST:g}, and nothing can be computed with such")
    return values


def _names(of: NDArray[Any] | None, n: int, otherwise: str) -> tuple[str, ...]:
    if of is None:
        return (otherwise,) if n == 1 and otherwise else tuple(f"{otherwise}{k}" for k in range(n))
    if of.shape != (n,):
        raise ValueError(f"{n} names were expected, and there are {of.shape}")
    return tuple(str(one) for one in of.tolist())


def _ids(of: NDArray[Any] | None, n: int) -> tuple[str, ...]:
    found = _names(of, n, "")
    if len(set(found)) < n:
        twice, _ = Counter(found).most_common(1)[0]
        raise ValueError(f"item {twice!r} stands in it more than once")
    return found


def _domains(arrays: Arrays, n_items: int) -> tuple[str, ...] | None:
    places = arrays.get("category")
    if places is None or places.shape != (n_items,):
        return None
    if not np.issubdtype(places.dtype, np.integer):
        return tuple(str(one) for one in places.tolist())
    titles = next((arrays[name] for name in ("categories", "tasks") if name in arrays), None)
    return tuple(str(one if titles is None else titles[one]) for one in places.tolist())
