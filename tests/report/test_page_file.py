"""Pages as files: whole, readable, or an error that says what to do."""

import os
import stat
from pathlib import Path

import pytest

from joulemark.record.errors import InputError
from joulemark.report.page_file import write_page


def test_a_page_replaces_the_old_one_and_leaves_nothing_beside_it(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("old and longer")
    write_page(page, "neu: ä", fix="")
    assert page.read_bytes() == "neu: ä".encode()
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.parametrize("place", ["missing/page.html", "file/page.html", "folder"])
def test_a_place_that_cannot_be_written_is_told_with_the_callers_fix(tmp_path, place):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as raised:
        write_page(tmp_path / place, "text", fix="go elsewhere")
    assert raised.value.fix == "go elsewhere"
    assert raised.value.why
    assert str(tmp_path / place) in raised.value.what
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "folder"]


def test_only_pages_are_written_over(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text("{}")
    for place in (manifest, tmp_path / "items"):
        with pytest.raises(InputError, match="no name of a page"):
            write_page(place, "<p>", fix="")
    assert manifest.read_text() == "{}"


def test_a_link_is_followed_and_a_pipe_stays_one(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target.html", tmp_path / "link.html", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    write_page(link, "new", fix="")
    assert (target.read_text(), link.is_symlink()) == ("new", True)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_page(pipe, "told", fix="")
        assert os.read(reader, 100) == b"told"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
