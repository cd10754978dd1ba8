"""A repository of bundles becomes a board of files that is whole, relative and the same every time."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import orjson
import pytest

from doubles.read_page import read_page
from doubles.standing_boards import HOSTILE, bundles, published
from joulemark.board.site.build import Built, build
from joulemark.board.site.replaced_folder import MARK, write_folder
from joulemark.bundles.store import SUFFIX
from joulemark.record.errors import InputError
from joulemark.record.published import PublishedRows


def good() -> tuple[bytes, ...]:
    """Three bundles of three configurations."""
    return bundles()[2:5]


class Links(HTMLParser):
    """The addresses that a page names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.found.add(value)
            if name == "id" and value:
                self.ids.add(value)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three good bundles in folders, one of them twice, one that is broken and one that is none."""
    folder = tmp_path_factory.mktemp("repository")
    (folder / "sub").mkdir()
    for k, data in enumerate(good()):
        (folder / ("sub" if k % 2 else "") / f"run-{k}.zip").write_bytes(data)
    (folder / "again.zip").write_bytes(good()[0])
    broken = bytearray(good()[0])
    broken[len(broken) // 2] ^= 1
    (folder / "sub" / "broken.zip").write_bytes(broken)
    (folder / "none.zip").write_bytes(b"not a bundle")
    (folder / ".hidden.zip").write_bytes(b"not looked at")
    (folder / "README.md").write_text("A repository of bundles.")
    return folder


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of imported rows."""
    folder = tmp_path_factory.mktemp("rows")
    document = PublishedRows(source="A paper", imported_utc="2026-01-01T00:00:00Z", rows=list(published()))
    (folder / f"paper{SUFFIX}").write_text(document.model_dump_json())
    return folder


@pytest.fixture(scope="module")
def built(repository: Path, rows: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The board of it, with a cache."""
    folder = tmp_path_factory.mktemp("site")
    return build(
        folder / "board", [str(repository)], [rows], cache=folder / "cache", public_url="https://b.example"
    )


def pages(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.rglob("*.html"))


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_every_bundle_is_on_it_or_in_the_report(built: Built) -> None:
    found = built.collected
    assert (found.n_accepted, found.n_published) == (3, len(published()))
    assert {(one.file, one.status) for one in found.problems} == {
        ("sub/broken.zip", "refused"),
        ("none.zip", "refused"),
    }
    assert all(one.why and all(one.why) for one in found.problems)
    report = orjson.loads((built.folder / "report.json").read_bytes())
    assert {one["file"] for one in report["problems"]} == {"sub/broken.zip", "none.zip"}
    for data in good():
        digest = hashlib.sha256(data).hexdigest()
        assert (built.folder / "bundles" / f"{digest}.zip").read_bytes() == data
        assert digest in (built.folder / "runs" / f"{digest}.html").read_text()


def test_no_link_leads_nowhere_and_none_leaves_the_folder(built: Built) -> None:
    ids = {path: Links(path.read_text()) for path in pages(built.folder)}
    assert len(ids) > 40
    for path, links in ids.items():
        for link in links.found:
            parts = urlsplit(link)
            if parts.scheme in ("https", "data"):
                continue
            assert not parts.scheme, link
            assert not link.startswith("/"), f"{path.name}: {link} is not relative"
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {link}"
            assert target.is_relative_to(built.folder.resolve())
            if parts.fragment and target.suffix == ".html":
                assert (
                    parts.fragment
                    in ids[
                        path if target == path else built.folder / target.relative_to(built.folder.resolve())
                    ].ids
                )


def test_no_page_runs_what_a_row_is_called(built: Built) -> None:
    for path in pages(built.folder):
        text = path.read_text()
        assert HOSTILE not in text
        assert "<script>" not in text
    assert any("&lt;script&gt;alert(1)" in path.read_text() for path in pages(built.folder))


def test_every_page_has_one_first_heading_and_dashes_with_reasons(built: Built) -> None:
    n_dashes = 0
    for path in pages(built.folder):
        page = read_page(path.read_text())
        assert page.all("h1", "h2", "h3")[0].tag == "h1", path.name
        assert len(page.all("h1")) == 1
        ids = [one.attributes["id"] for one in page.all() if one.attributes.get("id")]
        assert len(ids) == len(set(ids)), path.name
        if path.parent.name != "runs":  # a run's report has its reasons in the cells beside its dashes
            dashes = [one for one in page.all("td", "dd", "span") if one.text == "—" and not one.all()]
            assert all("none" in one.attributes.get("class", "").split() for one in dashes), path.name
        assert all(one.attributes["title"] for one in page.of_class("none"))
        n_dashes += len(page.of_class("none"))
        assert page.all("form", "input") == [], "a form needs a server"
    assert n_dashes > 5


def test_the_same_bundles_give_the_same_files(tmp_path: Path) -> None:
    some = good()[1:]
    for folder, names in (("one", "ab"), ("other", "ba")):  # the order of names does not count
        (tmp_path / folder).mkdir()
        for name, data in zip(names, some, strict=True):
            (tmp_path / folder / f"{name}.zip").write_bytes(data)
    boards = [build(tmp_path / f"{name}-board", [str(tmp_path / name)]).folder for name in ("one", "other")]
    assert contents(boards[0]) == contents(boards[1])


def test_an_unchanged_bundle_is_not_examined_again(
    built: Built, repository: Path, rows: Path, tmp_path: Path
) -> None:
    cache = built.folder.parent / "cache"
    again = build(tmp_path / "board", [str(repository)], [rows], cache=cache, public_url="https://b.example")
    assert (again.n_known, again.n_examined) == (built.n_examined, 0)
    assert contents(again.folder) == contents(built.folder)
    for path in cache.rglob("*.json"):
        path.write_bytes(b'{"facts": {}}')  # a cache that is broken is made anew
    mended = build(tmp_path / "board", [str(repository)], cache=cache)
    assert mended.n_known == 0
    assert mended.collected.n_accepted == 3


def test_a_bundle_that_is_removed_is_gone_from_all_of_it(
    built: Built, repository: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(repository, tmp_path / "less")
    cache = shutil.copytree(built.folder.parent / "cache", tmp_path / "cache")
    board = build(tmp_path / "board", [str(copy)], cache=cache).folder
    digest = hashlib.sha256(good()[1]).hexdigest()
    assert (board / "runs" / f"{digest}.html").exists()
    (copy / "sub" / "run-1.zip").unlink()
    build(board, [str(copy)], cache=cache)
    assert not any(digest in name for name in contents(board))
    assert "org/large-8b" not in (board / "index.html").read_text()


def test_nothing_else_is_ever_replaced(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="not replaced"):
        build(tmp_path / "mine", [str(repository)])
    assert contents(tmp_path / "mine").keys() == {"letter.txt"}
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(InputError, match="no folder"):
        build(file, [str(repository)])


def test_a_build_that_fails_leaves_the_old_board(tmp_path: Path) -> None:
    def failing() -> Iterator[tuple[str, bytes]]:
        yield "index.html", b"new"
        raise OSError(28, "No space left on device")

    write_folder(tmp_path / "board", [("index.html", b"old")])
    with pytest.raises(InputError, match="cannot be written"):
        write_folder(tmp_path / "board", failing())
    assert (tmp_path / "board" / "index.html").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board"]
    assert (tmp_path / "board" / MARK).exists()


def test_an_empty_repository_is_an_empty_board(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    board = build(tmp_path / "board", [str(tmp_path / "empty")])
    assert "No run was accepted yet" in (board.folder / "index.html").read_text()
    with pytest.raises(InputError, match="there is no"):
        build(tmp_path / "board", [str(tmp_path / "absent")])
