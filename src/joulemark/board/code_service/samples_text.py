"""The JSON values of an uploaded file, one at a time: memory holds one row, however large the file is."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from joulemark.board.refusal import Refused

MAX_ROW_BYTES = 4 << 20
"""Largest row; EffiBench's own have some 90 kB."""
MAX_LINES = 100_000
_CHUNK_BYTES = 256 << 10
_BOM = b"\xef\xbb\xbf"
_SPACE = " \t\r\n"
_SPACE_RUN = re.compile(f"[{_SPACE}]*")
_PACKED = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"(\xb5/\xfd",
    b"Rar!",
)
_OTHER_TEXT = (b"\xff\xfe", b"\xfe\xff")

Row = dict[str, Any]


def rows_of(file: BinaryIO) -> Iterator[tuple[str, Row]]:
    """Yield (place, object) of a JSON list or of JSON lines. Raises `Refused`: 415 for no text, else 422."""
    file.seek(0)
    head = file.read(64)
    if head.startswith(_PACKED):
        raise Refused(
            415, "the file is packed", "archives are not opened here", "unpack it, and send the JSON"
        )
    if head.startswith(_OTHER_TEXT) or b"\0" in head:
        raise Refused(415, "the file is no text in UTF-8", fix="write it again in UTF-8")
    start = len(_BOM) if head.startswith(_BOM) else 0
    while head[start:].strip() == b"" and len(head) < MAX_ROW_BYTES and (more := file.read(_CHUNK_BYTES)):
        head += more
    file.seek(start)
    if head[start:].lstrip().startswith(b"["):
        yield from _elements(file)
    else:
        yield from _lines(file)


def _lines(file: BinaryIO) -> Iterator[tuple[str, Row]]:
    number = 0
    while raw := file.readline(MAX_ROW_BYTES + 1):
        number += 1
        place = f"line {number}"
        if number > MAX_LINES:  # empty ones cost time as well
            raise Refused(422, f"the file has more than {MAX_LINES:,} lines", fix="send it in parts")
        if len(raw) > MAX_ROW_BYTES:
            _too_long(place)
        if not raw.strip():
            continue
        try:
            yield place, _object(_DECODER.decode(raw.decode().strip(_SPACE)), place)
        except (ValueError, RecursionError) as error:
            _not_json(place, error)


def _elements(file: BinaryIO) -> Iterator[tuple[str, Row]]:
    """Yield the elements of a list; what is read of it grows only until the next element is whole."""
    text = _Text(file)
    text.skip("[")
    number = 0
    if text.begins_with("]"):
        text.end("]")
        return
    while True:
        number += 1
        place = f"item {number}"
        yield place, text.element(place)
        if text.begins_with("]"):
            text.end("]")
            return
        if not text.begins_with(","):
            raise Refused(
                422, "the file is no JSON list", f"neither a comma nor its end follows {place}", _FIX
            )
        text.skip(",")


class _Text:
    """The text that is left of a file, as much of it as was read: what stands from ``_at`` on.

    It is cut only where more is read: a cut at each of many small elements would copy the rest each time.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._is_whole = False

    def begins_with(self, sign: str) -> bool:
        self._strip()
        return self._text.startswith(sign, self._at)

    def skip(self, sign: str) -> None:
        if self.begins_with(sign):
            self._at += len(sign)

    def end(self, sign: str) -> None:
        """Take the last sign; nothing but space may follow."""
        self.skip(sign)
        self._strip()
        if self._at < len(self._text):
            raise Refused(422, "the file is no JSON list", "something follows its end", _FIX)

    def element(self, place: str) -> Row:
        if not self.begins_with("{"):
            _no_object(place)
        while True:
            n_left = len(self._text) - self._at
            try:
                found, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if n_left > MAX_ROW_BYTES:
                    _too_long(place)
                if is_cut := isinstance(error, json.JSONDecodeError):
                    error.pos -= self._at  # as it is told: from the element on
                if not is_cut or self._is_whole or not self._more(max(_CHUNK_BYTES, n_left)):
                    _not_json(place, error)
                continue
            if end - self._at > MAX_ROW_BYTES:
                _too_long(place)
            self._at = end
            return _object(found, place)

    def _strip(self) -> None:
        self._pass_space()
        while self._at == len(self._text) and self._more(_CHUNK_BYTES):
            self._pass_space()

    def _pass_space(self) -> None:
        run = _SPACE_RUN.match(self._text, self._at)
        assert run is not None, "no space is a run too"
        self._at = run.end()

    def _more(self, n_bytes: int) -> bool:
        """Read on; false at the end of the file."""
        data = self._file.read(n_bytes)
        try:
            self._text = self._text[self._at :] + self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise Refused(422, "the file is not UTF-8", fix="write it again in UTF-8") from None
        self._at, self._is_whole = 0, not data
        return bool(data)


def _unique(pairs: list[tuple[str, Any]]) -> Row:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _Doubled
    return fields


class _Doubled(ValueError):
    """A key that stands twice: which of its values is meant nobody knows."""


class _NotANumber(ValueError):
    """``NaN`` or an infinity, which JSON has not."""


def _no_constant(_: str) -> NoReturn:
    raise _NotANumber


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
_FIX = (
    "send a JSON list, or JSON lines, of objects with `task_id` and `solution`,"
    " or `problem_idx` and `completion`"
)


def _object(value: Any, place: str) -> Row:
    if not isinstance(value, dict):
        _no_object(place)
    return value


def _no_object(place: str) -> NoReturn:
    raise Refused(422, f"{place} is no JSON object", fix=_FIX)


def _too_long(place: str) -> NoReturn:
    raise Refused(422, f"{place} is too long", f"a row has at most {MAX_ROW_BYTES >> 20} MiB", _FIX)


def _not_json(place: str, error: BaseException) -> NoReturn:
    """Say what is wrong, and echo nothing of the row."""
    if isinstance(error, RecursionError):
        why = "it is nested too deep"
    elif isinstance(error, UnicodeDecodeError):
        why = "it is not UTF-8"
    elif isinstance(error, _Doubled):
        why = "a key stands twice in one object"
    elif isinstance(error, _NotANumber):
        why = "it holds a number that is none"
    elif isinstance(error, json.JSONDecodeError):
        why = f"{error.msg.split(':')[0].lower()}, at its character {error.pos + 1}"
    else:
        why = "a number in it is too long"
    raise Refused(422, f"{place} is not JSON", why, _FIX) from None
