from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.gguf_file import gguf_bytes
from joulemark.engines.file_digest import remembered_sha256, sha256_of
from joulemark.engines.gguf import GgufInfo, read_gguf
from joulemark.record.errors import InputError

MakeGguf = Callable[..., Path]


@pytest.fixture
def make_gguf(tmp_path: Path) -> MakeGguf:
    def make(**options: Any) -> Path:
        path = tmp_path / "tiny.gguf"
        path.write_bytes(gguf_bytes(**options))
        return path

    return make


def test_a_sound_file_is_read(make_gguf: MakeGguf) -> None:
    assert read_gguf(make_gguf()) == GgufInfo(3, "llama", "tiny", "Q4_1", 32, 2048, True)


def test_what_the_file_does_not_say_is_null(make_gguf: MakeGguf) -> None:
    info = read_gguf(make_gguf(chat_template=None, file_type=None))
    assert (info.quantization, info.has_chat_template) == (None, False)
    assert read_gguf(make_gguf(file_type=9999)).quantization is None


def test_arrays_are_passed_over(make_gguf: MakeGguf) -> None:
    def entry(name: str, body: bytes) -> bytes:
        return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", 9) + body

    texts = entry("tokens", struct.pack("<IQ", 8, 2) + 2 * (struct.pack("<Q", 3) + b"abc"))
    numbers = entry("scores", struct.pack("<IQ", 6, 5) + bytes(20))
    assert read_gguf(make_gguf(pairs=(texts, numbers))).parameters == 32


def test_the_built_in_model_is_read(built_in_model: Path) -> None:
    info = read_gguf(built_in_model)
    assert (info.architecture, info.quantization, info.context_length) == ("llama", "Q4_1", 8192)
    assert info.parameters == 134_515_008
    assert info.has_chat_template


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "GGUF"),
        (b"PK\x03\x04" + bytes(100), "GGUF"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version is 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0), "tensors"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63), "metadata entries"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62), "bytes in one text"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 60_000), "ends inside"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 8, 60_000_000), "texts"),
        (
            b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 9, 1),
            "array of the type",
        ),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", 77), "unknown type 77"),
        (b"GGUF" + struct.pack("<IQQ", 3, 900_000, 0), "ends inside"),
    ],
)
def test_a_broken_file_is_refused_cheaply(data: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            read_gguf(path)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert says in caught.value.why
    assert caught.value.fix


def test_a_file_cut_in_its_tensors_is_refused(make_gguf: MakeGguf) -> None:
    path = make_gguf()
    path.write_bytes(path.read_bytes()[: -8 * 4 * 4])
    with pytest.raises(InputError, match="cut short"):
        read_gguf(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no model file"):
        read_gguf(tmp_path / "none.gguf")
    with pytest.raises(InputError, match="cannot be read"):
        read_gguf(tmp_path)


@settings(max_examples=300, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 400), st.binary(min_size=1, max_size=9)), min_size=1, max_size=6
    ),
    cut=st.integers(0, 600),
)
def test_a_damaged_file_gives_facts_or_an_input_error(changes: list[tuple[int, bytes]], cut: int) -> None:
    data = bytearray(gguf_bytes())
    for place, patch in changes:
        data[place : place + len(patch)] = patch
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.gguf")
        path.write_bytes(bytes(data[:cut] if cut < 500 else data))
        try:
            result: object = read_gguf(path)
        except InputError as error:
            result = error
    assert isinstance(result, GgufInfo | InputError)


def test_a_digest_is_remembered_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "model"
    path.write_bytes(b"one")
    first = remembered_sha256(path)
    assert first == sha256_of(path)
    (note,) = (tmp_path / "cache/joulemark/digests").iterdir()
    note.write_bytes(note.read_bytes().replace(first.encode(), b"0" * 64))
    assert remembered_sha256(path) == "0" * 64  # it does come from the cache
    path.write_bytes(b"two")
    assert remembered_sha256(path) == sha256_of(path)


def test_a_damaged_or_unwritable_digest_cache_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "model"
    path.write_bytes(b"one")
    remembered_sha256(path)
    (note,) = (tmp_path / "cache/joulemark/digests").iterdir()
    note.write_bytes(b"[]")
    assert remembered_sha256(path) == sha256_of(path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))  # a file, so no folder can be made below it
    assert remembered_sha256(path) == sha256_of(path)
