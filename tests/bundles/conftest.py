"""Files to import."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.published_files import TEXT_HEADER, TEXT_ROW, Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write lines (text or bytes) into a file of a name; a chat CSV with one row where none are given."""

    def written(*lines: str, name: str = "llm_text_generation__chat.csv", data: bytes | None = None) -> Path:
        path = tmp_path / name
        text = "\n".join(lines or (TEXT_HEADER, TEXT_ROW)) + "\n"
        path.write_bytes(text.encode() if data is None else data)
        return path

    return written
