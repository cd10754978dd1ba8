"""An uploaded file of generated programs: what is kept of it is an id and a text a row, and nothing else.

The layouts are those of `joulemark.code.answers.samples` whose rows are objects: EvalPlus-style (``task_id``
with ``solution``, ``completion`` or ``answer``) and EffiBench's (``problem_idx`` with ``completion``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import orjson

from joulemark.board.code_service.samples_text import rows_of
from joulemark.board.refusal import Refused

MAX_UPLOAD_BYTES = 32 << 20
"""Largest file. EffiBench's whole list has 87 MB, of which 85 are its own tests: those may be left out."""
MAX_KEPT_BYTES = 24 << 20
MAX_ROWS = 20_000
MAX_SAMPLES = 200
"""Most samples of one problem."""
MAX_PROGRAM_BYTES = 256 << 10
_MAX_ID_CHARS = 200
_TEXTS = ("solution", "completion", "answer")
_LAYOUT = 'write each row as {"task_id": "…", "solution": "…"}, or {"problem_idx": 3, "completion": "…"}'


@dataclass(frozen=True, slots=True)
class Upload:
    """The rows of an upload that answer a problem of its data set: JSON lines that `read_samples` reads.

    ``n_foreign``: rows of other problems, which are left out.
    """

    data: bytes
    n_samples: int
    n_problems: int
    n_foreign: int


def read_upload(file: BinaryIO, problems: Collection[str]) -> Upload:
    """Return what is kept of a file for a data set with these problems. Raises `Refused` (415, 422)."""
    known = frozenset(problems)
    kept: list[bytes] = []
    counts: Counter[str] = Counter()
    n_bytes = n_rows = 0
    is_effibench: bool | None = None
    for place, row in rows_of(file):
        n_rows += 1
        if n_rows > MAX_ROWS:
            raise Refused(422, f"the file has more than {MAX_ROWS:,} rows", fix="send it in parts")
        if is_effibench is None:
            is_effibench = "problem_idx" in row
        problem, fields = _effibench(row, place) if is_effibench else _evalplus(row, place)
        if problem not in known:
            counts[""] += 1
            continue
        counts[problem] += 1
        if counts[problem] > MAX_SAMPLES:
            raise Refused(
                422,
                f"{place} is one too many",
                f"a problem has at most {MAX_SAMPLES} samples",
                "leave the others out",
            )
        line = _line(fields, place)
        n_bytes += len(line)
        if n_bytes > MAX_KEPT_BYTES:
            raise Refused(
                422, f"the programs have more than {MAX_KEPT_BYTES >> 20} MiB", fix="send it in parts"
            )
        kept.append(line)
    n_foreign = counts.pop("", 0)
    if not n_rows:
        raise Refused(422, "the file is empty", fix="choose the file of the programs")
    if not kept:
        like = next(iter(sorted(known)), "")
        raise Refused(
            422,
            "no row answers a problem of this data set",
            f"its problems have ids like {like}",
            "choose the data set that was answered, or name the problems as it does",
        )
    return Upload(b"".join(kept), len(kept), len(counts), n_foreign)


def _evalplus(row: Mapping[str, Any], place: str) -> tuple[str, dict[str, Any]]:
    identity = _identity(row, "task_id", place)
    name = next((name for name in _TEXTS if name in row), None)
    if name is None:
        raise Refused(
            422,
            f"{place} holds no program",
            "it has neither `solution` nor `completion` nor `answer`",
            _LAYOUT,
        )
    kept = {"task_id": identity, name: _text(row, name, place)}
    return (f"Mbpp/{identity}" if identity.isdecimal() else identity), kept


def _effibench(row: Mapping[str, Any], place: str) -> tuple[str, dict[str, Any]]:
    identity = _identity(row, "problem_idx", place)
    return f"EffiBench/{identity}", {
        "problem_idx": identity,
        "completion": _text(row, "completion", place),
    }


def _identity(row: Mapping[str, Any], name: str, place: str) -> str:
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return str(value)
    if not isinstance(value, str) or not value.strip():
        why = f"`{name}` is neither a text nor a whole number" if name in row else f"it has no `{name}`"
        raise Refused(422, f"{place} names no problem", why, _LAYOUT)
    if len(value) > _MAX_ID_CHARS or not value.isprintable():
        raise Refused(422, f"{place} names no problem", f"`{name}` is no short text on one line", _LAYOUT)
    return value


def _text(row: Mapping[str, Any], name: str, place: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise Refused(422, f"{place} holds no program", f"`{name}` is no text", _LAYOUT)
    if len(value) > MAX_PROGRAM_BYTES:
        most = f"a program has at most {MAX_PROGRAM_BYTES >> 10} KiB"
        raise Refused(422, f"{place} is too long", most, "leave the row out, or what is no program of it")
    return value


def _line(fields: Mapping[str, Any], place: str) -> bytes:
    try:
        return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        why = "half of a character stands alone in it"
        raise Refused(422, f"{place} is no text in UTF-8", why, "write the file as UTF-8") from None
