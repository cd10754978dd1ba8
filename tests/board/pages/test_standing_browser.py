"""The leaderboard in a real browser, served without scripts and as files: filter, sort, open evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from doubles.standing_boards import ReadBoard, bundles, published
from doubles.windows import OVERFLOW, browser, served, watched
from joulemark.board.site.build import build
from joulemark.bundles.store import SUFFIX
from joulemark.record.published import PublishedRows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    """One browser for all tests of the file."""
    with browser() as started:
        yield started


def test_filter_sort_and_evidence_need_no_script(read: ReadBoard, window: Browser) -> None:
    with served(read.board.app) as address, window.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        complaints = watched(page)
        page.goto(address)
        page.get_by_label("Kind").select_option("measured")
        page.get_by_label("Tier of the measurement").select_option("C")
        page.get_by_role("button", name="Filter").click()
        assert "tier=C" in page.url
        rows = page.locator("tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("org/small-1b")
        page.get_by_role("link", name="Accuracy", exact=True).click()
        expect(page.locator("th[aria-sort=descending]")).to_contain_text("Accuracy")
        assert "tier=C" in page.url, "what was filtered stays filtered"
        page.get_by_label("Model contains").fill("small")
        page.keyboard.press("Enter")
        expect(rows).to_have_count(1)
        rows.first.get_by_role("link", name=re.compile("evidence")).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("org/small-1b")
        assert complaints == []
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the bundle").click()
        assert Path(download.value.path()).read_bytes() in bundles()


def test_no_page_scrolls_sideways_on_a_phone_and_all_are_quiet(read: ReadBoard, window: Browser) -> None:
    row = read.board.client.get("/api/v1/leaderboard?kind=measured").json()["rows"][0]
    places = (
        "/",
        "/?kind=measured",
        "/frontier",
        f"/configurations/{row['id']}",
        f"/runs/{row['stands_for']}",
    )
    with served(read.board.app) as address:
        for scheme in ("light", "dark"):
            size = {"width": 390, "height": 800}
            with window.new_context(viewport=size, color_scheme=scheme) as context:  # type: ignore[arg-type]
                page = context.new_page()
                complaints = watched(page)
                for place in places:
                    page.goto(f"{address}{place}")
                    assert page.evaluate(OVERFLOW) <= 0, place
                assert complaints == []


def test_the_keyboard_reaches_the_content_and_the_tables(read: ReadBoard, window: Browser) -> None:
    with served(read.board.app) as address, window.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Skip to the content")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_label("Model contains")).to_be_focused()
        expect(page.get_by_role("region").first).to_have_attribute("tabindex", "0")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The board as files."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "bundles").mkdir()
    for k, data in enumerate(bundles()[2:4]):
        (folder / "bundles" / f"{k}.zip").write_bytes(data)
    document = PublishedRows(source="A paper", imported_utc="2026-01-01T00:00:00Z", rows=list(published()))
    (folder / f"paper{SUFFIX}").write_text(document.model_dump_json())
    return build(folder / "board", [str(folder / "bundles")], [folder / f"paper{SUFFIX}"]).folder


def test_files_sort_narrow_and_open_without_a_server(files: Path, window: Browser) -> None:
    with window.new_context(viewport={"width": 1100, "height": 800}) as context:
        page = context.new_page()
        complaints = watched(page)
        page.goto((files / "index.html").as_uri())
        page.get_by_role("navigation", name="Tables").get_by_role("link", name=re.compile("chat")).click()
        rows = page.locator("tbody tr")
        expect(rows).to_have_count(len(published()))
        head = page.locator("thead th").filter(has_text="J / request")
        for direction in ("descending", "ascending"):
            head.get_by_role("button").click()
            expect(head).to_have_attribute("aria-sort", direction)
            column = head.evaluate("head => head.cellIndex")
            cells = page.locator(f"tbody td:nth-child({column + 1})")
            values = [float(v) for v in cells.evaluate_all("all => all.map(one => one.dataset.value)")]
            assert values == sorted(values, reverse=direction == "descending")
        page.get_by_label("Rows with").fill("published-7b")
        expect(page.locator("tbody tr:visible")).to_have_count(1)
        page.get_by_role("link", name="Joulemark", exact=True).click()
        page.get_by_role("link", name=re.compile("evidence")).first.click()
        expect(page.get_by_role("heading", name="Check it yourself")).to_be_visible()
        page.get_by_role("link", name="Serving").click()
        expect(page.locator("figure svg").first).to_be_visible()
        assert complaints == []
