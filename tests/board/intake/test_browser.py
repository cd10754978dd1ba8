"""Submitting and moderating in a real browser without scripts, on a phone and on a desk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from doubles.boards import MODERATOR_KEY, BoardDouble, board, bundle, served
from doubles.windows import OVERFLOW, browser, watched

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    """One browser for all tests of the file."""
    with browser() as started:
        yield started


@pytest.fixture
def where(tmp_path: Path) -> Iterator[BoardDouble]:
    with board(tmp_path) as made:
        yield made


def test_a_held_back_run_is_uploaded_appealed_and_accepted_without_scripts(
    where: BoardDouble, window: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "run.joulemark.zip"
    file.write_bytes(bundle(watts=5.0).data)
    with served(where) as url, window.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        complaints = watched(page)
        page.goto(f"{url}/")
        page.get_by_role("link", name="Submit", exact=True).click()
        page.get_by_label("The file that").set_input_files(file)
        page.get_by_label("It may be published under").check()
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_text("Quarantined.")).to_be_visible()
        page.get_by_label("What a moderator should know").fill("It is cooled with water")
        page.get_by_role("button", name="Appeal").click()
        expect(page.get_by_role("status")).to_contain_text("Your appeal was taken")
        mine = page.url

        page.goto(f"{url}/moderation")
        page.get_by_label("Your key").fill(MODERATOR_KEY)
        page.keyboard.press("Enter")
        expect(page.get_by_text("It is cooled with water")).to_be_visible()
        page.get_by_label("Note, which everybody can read").first.fill("A photograph was shown")
        page.get_by_role("button", name="Grant").click()
        expect(page.get_by_role("heading", name="Appeals (0)")).to_be_visible()

        page.goto(mine.partition("?")[0])
        expect(page.get_by_text("Accepted.", exact=True)).to_be_visible()
        expect(page.get_by_text("A photograph was shown")).to_be_visible()
        page.get_by_role("link", name="Its evidence").click()
        assert "/runs/" in page.url
        assert complaints == []


def test_nothing_scrolls_sideways_on_a_phone(where: BoardDouble, window: Browser) -> None:
    held = bundle(watts=5.0)
    where.submit(held.data)
    where.submit(bundle(seed=7).data)
    with (
        served(where) as url,
        window.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark") as context,
    ):
        page = context.new_page()
        complaints = watched(page)
        for place in ("/submit", f"/submissions/{held.digest}", "/moderation"):
            page.goto(f"{url}{place}")
            assert page.evaluate(OVERFLOW) <= 0, place
        page.get_by_label("Your key").fill(MODERATOR_KEY)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        assert page.evaluate(OVERFLOW) <= 0
        assert complaints == []
