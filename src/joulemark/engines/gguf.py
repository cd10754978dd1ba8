"""What a GGUF file says of itself: a reader of the header only, made for files of strangers.

Format: the ``gguf.md`` specification of the ggml project, versions 2 and 3, little-endian. Nothing is
allocated on the file's word: every count and length is held against a limit and against the file's size.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from joulemark.record.errors import InputError

_MAGIC = b"GGUF"
_MAX_PAIRS = 100_000
_MAX_TENSORS = 1_000_000
_MAX_KEY_BYTES = 65_535
_MAX_STRING_BYTES = 16 * 1024 * 1024
_MAX_ARRAY_ITEMS = 64_000_000
_MAX_HEADER_BYTES = 512 * 1024 * 1024
_MAX_DIMENSIONS = 4
_DEFAULT_ALIGNMENT = 32
_STRING, _ARRAY = 8, 9
# value type -> struct format; 8 is a string, 9 an array
_SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
# general.file_type -> name (llama.cpp's enum llama_ftype); ids that were withdrawn are left out
_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K",
    19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL",
    26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0",
    37: "TQ2_0", 38: "MXFP4",
}  # fmt: skip

_Value = int | float | bool | str | None


@dataclass(frozen=True, slots=True)
class GgufInfo:
    """The part of a GGUF header that identifies a model; null where the file does not say.

    ``parameters`` is the number of elements in all tensors, ``context_length`` in tokens; ``parts`` is into
    how many files the model was split.
    """

    version: int
    architecture: str | None
    name: str | None
    quantization: str | None
    parameters: int
    context_length: int | None
    has_chat_template: bool
    parts: int = 1


class _Bad(Exception):
    """The file breaks the format; the message says where."""


def read_gguf(path: Path) -> GgufInfo:
    """Read the header of ``path``. Raises `InputError` for anything that is no sound GGUF file."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _Reader(file, size).info()
    except FileNotFoundError:
        raise InputError(f"There is no model file {path}", fix="give the path of a .gguf file") from None
    except OSError as error:
        raise InputError(f"The model file {path} cannot be read", why=error.strerror or str(error)) from None
    except _Bad as bad:
        raise InputError(
            f"{path} is not a usable GGUF file",
            why=str(bad),
            fix="give a complete .gguf file (download it again if it was cut short)",
        ) from None


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size

    def info(self) -> GgufInfo:
        if self._size < 4 or self._take(4) != _MAGIC:
            raise _Bad("it does not start with the letters GGUF")
        version = self._number("I")
        if version not in (2, 3):
            hint = " (a big-endian file?)" if version in (2 << 24, 3 << 24) else ""
            raise _Bad(f"its format version is {version}, and 2 and 3 are known{hint}")
        n_tensors = self._count("Q", _MAX_TENSORS, "tensors")
        n_pairs = self._count("Q", _MAX_PAIRS, "metadata entries")
        pairs = dict(self._pair() for _ in range(n_pairs))
        tensors = [self._tensor() for _ in range(n_tensors)]
        self._require_data(pairs.get("general.alignment"), max((offset for _, offset in tensors), default=0))
        architecture = _text(pairs.get("general.architecture"))
        context = pairs.get(f"{architecture}.context_length")
        file_type = pairs.get("general.file_type")
        return GgufInfo(
            version=version,
            architecture=architecture,
            name=_text(pairs.get("general.name")),
            quantization=_FILE_TYPES.get(file_type) if isinstance(file_type, int) else None,
            parameters=sum(elements for elements, _ in tensors),
            context_length=context if isinstance(context, int) and context > 0 else None,
            has_chat_template=bool(pairs.get("tokenizer.chat_template")),
            parts=parts if isinstance(parts := pairs.get("split.count"), int) and parts > 1 else 1,
        )

    def _left(self) -> int:
        return min(self._size, _MAX_HEADER_BYTES) - self._file.tell()

    def _take(self, n_bytes: int) -> bytes:
        if n_bytes > self._left():
            raise _Bad(f"it ends inside its header (or the header is over {_MAX_HEADER_BYTES >> 20} MiB)")
        data = self._file.read(n_bytes)
        if len(data) != n_bytes:
            raise _Bad("it ends inside its header")
        return data

    def _skip(self, n_bytes: int) -> None:
        if n_bytes > self._left():
            raise _Bad(f"it ends inside its header (or the header is over {_MAX_HEADER_BYTES >> 20} MiB)")
        self._file.seek(n_bytes, 1)

    def _scalar(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(f"<{form}", self._take(struct.calcsize(f"<{form}")))[0]
        return value

    def _number(self, form: str) -> int:
        return int(self._scalar(form))

    def _count(self, form: str, limit: int, what: str) -> int:
        n = self._number(form)
        if n > limit:
            raise _Bad(f"it claims {n} {what}, and the limit is {limit}")
        return n

    def _string(self, limit: int = _MAX_STRING_BYTES) -> str:
        return self._take(self._count("Q", limit, "bytes in one text")).decode("utf-8", errors="replace")

    def _pair(self) -> tuple[str, _Value]:
        return self._string(_MAX_KEY_BYTES), self._value(self._number("I"))

    def _value(self, kind: int) -> _Value:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            self._skip_array()
            return None
        if kind not in _SCALARS:
            raise _Bad(f"it holds a value of the unknown type {kind}")
        return self._scalar(_SCALARS[kind])

    def _skip_array(self) -> None:
        """Pass over an array (a vocabulary, mostly); arrays of arrays are not in use and are refused."""
        kind = self._number("I")
        n = self._count("Q", _MAX_ARRAY_ITEMS, "array items")
        if kind in _SCALARS:
            self._skip(n * struct.calcsize(f"<{_SCALARS[kind]}"))
        elif kind == _STRING:
            if n * 8 > self._left():  # every text takes at least its length's eight bytes
                raise _Bad(f"it claims an array of {n} texts, more than fit into it")
            for _ in range(n):
                self._skip(self._count("Q", _MAX_STRING_BYTES, "bytes in one text"))
        else:
            raise _Bad(f"it holds an array of the type {kind}")

    def _tensor(self) -> tuple[int, int]:
        """Pass over one tensor's description; return its element count and its place in the data."""
        self._skip(self._count("Q", _MAX_KEY_BYTES, "bytes in a tensor's name"))
        n_dimensions = self._count("I", _MAX_DIMENSIONS, "dimensions of a tensor")
        elements = 1
        for _ in range(n_dimensions):
            elements *= self._count("Q", 1 << 40, "elements along a dimension")
        self._skip(4)  # the tensor's type
        return elements, self._number("Q")

    def _require_data(self, alignment: _Value, last_offset: int) -> None:
        """Refuse a file that was cut short: its last tensor must begin inside it."""
        step = alignment if isinstance(alignment, int) and alignment > 0 else _DEFAULT_ALIGNMENT
        begin = -(-self._file.tell() // step) * step
        if begin + last_offset >= self._size:
            raise _Bad(f"it was cut short: it has {self._size} bytes and its tensors reach further")


def _text(value: _Value) -> str | None:
    return value if isinstance(value, str) and value else None
