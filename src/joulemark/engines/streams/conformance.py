"""Holding the parser to a corpus: recorded response bodies, each with the reading that is right.

A corpus is a folder of bodies (``NAME.sse``, ``.ndjson``, ``.json``, ``.txt``), each with a file
``NAME.sse.expect.json`` beside it: an object whose keys are those of `reply_json`, and ``why``, a sentence on
what the case is about.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from joulemark.engines.streams.parse import parse
from joulemark.engines.streams.reply import reply_json
from joulemark.record.errors import InputError

SUFFIX = ".expect.json"
DEFAULT_SEED = 1
N_RANDOM = 20
"""How often a body is cut at random."""

_MAX_BYTES = 4 << 20
_CONTENT_TYPES = {
    ".sse": "text/event-stream; charset=utf-8",
    ".ndjson": "application/x-ndjson",
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".txt": "text/html",
}
_READ_SIZES = (1, 1, 2, 3, 7, 30, 200, 1500)
_ABSENT = "(not there)"
_MAX_DIFFERENCES = 50

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One body and the right reading of it. ``fault`` says why there is none; then it cannot pass."""

    name: str
    body: bytes
    why: str
    expected: Json
    fault: str | None = None

    @property
    def content_type(self) -> str | None:
        """The type that the server is taken to have declared, by the file's suffix."""
        return _CONTENT_TYPES.get(Path(self.name).suffix)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that was read otherwise: what the expectation says and what came out, as JSON."""

    field: str
    expected: str
    read: str


@dataclass(frozen=True, slots=True)
class WayResult:
    """How a case went when its body was cut in one way; no differences: it passed."""

    way: str
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How a case went in every way."""

    case: Case
    ways: tuple[WayResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every way of cutting gave what is expected."""
        return self.case.fault is None and not any(way.differences for way in self.ways)

    @property
    def differences(self) -> tuple[tuple[Difference, tuple[str, ...]], ...]:
        """Each difference once, with the ways of cutting that showed it."""
        seen: dict[Difference, list[str]] = {}
        for way in self.ways:
            for difference in way.differences:
                seen.setdefault(difference, []).append(way.way)
        return tuple((difference, tuple(ways)) for difference, ways in seen.items())


def load_corpus(folder: Path | str) -> tuple[Case, ...]:
    """Return the cases of a corpus in the order of their names.

    Raises `InputError` for a folder that is none or holds no case; a case that cannot be read is returned
    with its fault.
    """
    folder = Path(folder)
    try:
        files = sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
    except OSError as error:
        raise InputError(
            f"{folder} cannot be read as a corpus",
            why=error.strerror or str(error),
            fix="give the folder that holds the bodies and their .expect.json files",
        ) from None
    if not files:
        raise InputError(
            f"{folder} holds no case of a corpus",
            why=f"no file there ends with {SUFFIX}",
            fix="put NAME.sse and NAME.sse.expect.json there; docs/engines.md has the layout",
        )
    return tuple(_load(path) for path in files)


def check(case: Case, seed: int = DEFAULT_SEED) -> CaseResult:
    """Parse a case's body in every way and compare: whole, byte by byte, at random, at its events' edges."""
    if case.fault is not None:
        return CaseResult(case, ())
    return CaseResult(
        case,
        tuple(WayResult(way, _first_differences(case, cuts(case.body, seed))) for way, cuts in WAYS.items()),
    )


def differences(expected: Json, read: Json) -> tuple[Difference, ...]:
    """Compare field by field: every field of either side counts, null and absent are not the same."""
    names = (*expected, *(name for name in read if name not in expected))
    differing = [
        name
        for name in names
        if (name in expected) != (name in read) or not _same(expected.get(name), read.get(name))
    ]
    return tuple(
        Difference(name, _shown(expected, name), _shown(read, name)) for name in differing[:_MAX_DIFFERENCES]
    )


def _same(one: object, other: object) -> bool:
    """Compare JSON values; unlike Python's own comparison, true is no 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _shown(fields: Json, name: str) -> str:
    if name not in fields:
        return _ABSENT
    return orjson.dumps(fields[name]).decode()


def _first_differences(case: Case, cuts: Iterator[list[bytes]]) -> tuple[Difference, ...]:
    for pieces in cuts:
        reads = list(enumerate(pieces))
        reply = parse(reads, content_type=case.content_type, status=200, t_end=len(pieces))
        found = differences(case.expected, reply_json(reply))
        if found:
            return found
    return ()


# -- ways of cutting -----------------------------------------------------------------------------------------


def _whole(body: bytes, _seed: int) -> Iterator[list[bytes]]:
    yield [body] if body else []


def _bytes(body: bytes, _seed: int) -> Iterator[list[bytes]]:
    yield [body[at : at + 1] for at in range(len(body))]


def _random(body: bytes, seed: int) -> Iterator[list[bytes]]:
    source = random.Random(seed)
    for _ in range(N_RANDOM):
        pieces, at = [], 0
        while at < len(body):
            size = source.choice(_READ_SIZES)
            pieces.append(body[at : at + size])
            at += size
        yield pieces


def _edges(body: bytes, _seed: int) -> Iterator[list[bytes]]:
    """Cut at every line end, behind it and in front of it: where a reader may take a piece for the whole."""
    for offset in (0, 1):
        cuts = [at + offset for at, byte in enumerate(body) if byte in b"\r\n"]
        edges = [0, *cuts, len(body)]
        yield [body[a:b] for a, b in itertools.pairwise(edges) if a < b]


WAYS: dict[str, Callable[[bytes, int], Iterator[list[bytes]]]] = {
    "whole": _whole,
    "byte by byte": _bytes,
    "cut at random": _random,
    "cut at event edges": _edges,
}
"""The ways in which a body is cut into reads, by name."""


# -- files ---------------------------------------------------------------------------------------------------


def _load(expect: Path) -> Case:
    path = expect.with_name(expect.name.removesuffix(SUFFIX))
    try:
        body, stated = _read(path), _read(expect)
    except OSError as error:
        return Case(path.name, b"", "", {}, f"{Path(error.filename or expect).name}: {error.strerror}")
    try:
        expected = orjson.loads(stated)
    except orjson.JSONDecodeError as error:
        return Case(path.name, body, "", {}, f"{expect.name} is no JSON: {error}")
    if not isinstance(expected, dict):
        return Case(path.name, body, "", {}, f"{expect.name} is no object")
    try:
        orjson.dumps(expected)
    except TypeError:
        return Case(path.name, body, "", {}, f"{expect.name} is nested too deeply")
    why = expected.pop("why", "")
    return Case(path.name, body, why if isinstance(why, str) else "", expected)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(0, f"it is larger than {_MAX_BYTES >> 20} MiB", str(path))
    return data
