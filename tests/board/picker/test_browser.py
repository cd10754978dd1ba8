"""Picker and methodology in a real browser, without scripts: ask, err, paste a sample, follow a figure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from doubles import boards, priced_boards
from doubles.boards import BoardDouble
from doubles.windows import OVERFLOW, browser, served, watched

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    with boards.board(tmp_path_factory.mktemp("board"), priced_boards.bundles(3)) as made:
        boards.publish(made.engine, [priced_boards.published()])
        yield made


def test_a_reader_asks_errs_and_finds(board: BoardDouble, window: Browser) -> None:
    with served(board.app) as address, window.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/pick")
        page.get_by_label("Prompt tokens").fill("many")
        page.get_by_label("Answer tokens").fill("15")
        page.get_by_label("Make small").select_option("joules")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("no number of tokens")
        assert page.get_by_label("Answer tokens").input_value() == "15", "what was typed is kept"
        page.get_by_label("Prompt tokens").fill("300±50")
        page.get_by_label("Requests a day").fill("1000")
        page.get_by_label("Price of a kWh, USD").fill("0.30")
        page.get_by_label("Grid zone").fill("DE")
        page.get_by_role("button", name="Pick", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("What to run for 300 ± 50 prompt")
        rows = page.locator("section").first.locator("table").first.locator("tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.first).to_contain_text("small-1b")
        expect(page.get_by_role("heading", name="MODELLED")).to_be_visible()
        assert "prompt_tokens=300" in page.url, "its address asks the same again"
        rows.first.get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("small-1b")


def test_a_sample_is_pasted_and_stays_out_of_the_address(board: BoardDouble, window: Browser) -> None:
    with served(board.app) as address, window.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/pick?by=joules")
        page.get_by_text("Or paste a sample").click()
        lines = "\n".join(f'{{"prompt_tokens": {90 + k}, "completion_tokens": 9}}' for k in range(30))
        page.get_by_label("Requests, a line each").fill(lines)
        page.get_by_label("Make small").select_option("joules")
        page.get_by_role("button", name="Pick for this sample").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("30 requests with their token counts")
        assert page.url == f"{address}/pick"
        page.get_by_role("link", name="Link to this question").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("What to run for 104 ± 9 prompt")


def test_pages_fit_a_phone_and_are_quiet(board: BoardDouble, window: Browser, tmp_path: Path) -> None:
    asked = "prompt_tokens=300&completion_tokens=15&requests_per_day=1000&usd_per_kwh=0.3&min_accuracy=0.6"
    with served(board.app) as address:
        for scheme in ("light", "dark"):
            page = window.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
            complaints = watched(page)
            for place in (
                "/pick",
                f"/pick?{asked}",
                "/methodology",
                "/methodology#joules_per_correct_answer",
            ):
                page.goto(address + place)
                assert page.evaluate(OVERFLOW) <= 0, place
            heading = page.locator("#joules_per_correct_answer h3")
            expect(heading).to_be_in_viewport()
            expect(page.locator("#joules_per_correct_answer math")).to_be_visible()
            assert complaints == []
            page.close()
