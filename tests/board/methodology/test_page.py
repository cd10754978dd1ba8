"""The methodology page: it defines what the board shows, and drifts from nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from doubles import boards
from joulemark.board.methodology.anchors import anchor
from joulemark.board.methodology.formula import mathml
from joulemark.board.methodology.page import methodology_page
from joulemark.board.methodology.schema_parts import parts
from joulemark.board.standing.figure_names import NAMES
from joulemark.metrics.catalogue import all_definitions
from joulemark.metrics.picking.price import FIGURES
from joulemark.record.item import Item
from joulemark.report.methodology_example import examples

PAGE = methodology_page()
IDS = re.findall(r'\bid="([^"]+)"', PAGE)


def test_every_figure_of_the_board_has_its_place() -> None:
    shown = {*NAMES, *FIGURES, "probability_best", "rank_range", "accuracy"}
    assert shown <= set(IDS)
    for name in shown:
        assert anchor(name) in IDS
    with pytest.raises(KeyError):
        anchor("luck")


def test_every_definition_is_there_once_with_all_that_it_says() -> None:
    assert len(IDS) == len(set(IDS))
    assert PAGE.count('class="figure"') == len(all_definitions())
    for one in all_definitions():
        assert f"<code>{one.name}</code>, in {one.unit}" in PAGE


@pytest.mark.parametrize("one", all_definitions(), ids=lambda one: one.name)
def test_formulas_are_typeset(one) -> None:
    made = str(mathml(one.latex, one.formula))
    assert made.startswith('<math aria-label="')
    assert "\\" not in re.sub(r"<[^>]+>", "", made)
    assert "merror" not in made


def test_a_word_is_one_word() -> None:
    assert "<mtext>correct</mtext>" in mathml(r"E / n_\mathrm{correct}", "E/n")
    assert 'aria-label="&lt;b&gt;"' in mathml("x", "<b>")


def test_why_not_joules_per_token_is_computed() -> None:
    terse, wordy, wrong = examples()
    assert terse.per_token.value > wordy.per_token.value  # the wordy one looks better by the token
    assert terse.per_correct.value < wordy.per_correct.value
    assert wrong.per_request.value < terse.per_request.value
    for one in (terse, wordy, wrong):
        assert f"{one.per_correct.value:,.4g}</td>" in PAGE
        assert one.per_correct.value == pytest.approx(one.per_token.value * one.tokens / one.accuracy)


def test_the_record_is_that_of_the_classes() -> None:
    by_name = {part.name: dict(part.fields) for part in parts()}
    assert set(by_name["items"]) == set(Item.__dataclass_fields__)
    assert "engine" in by_name["manifest"]
    assert all(part.told and part.fields for part in parts())
    assert "joulemark.record" not in str(parts())


def test_links_within_the_page_lead_somewhere() -> None:
    assert set(re.findall(r'href="#([^"]+)"', PAGE)) <= set(IDS)
    assert "<script" not in PAGE
    assert ".md)" not in PAGE


def test_the_board_serves_it_and_links_to_it(tmp_path: Path) -> None:
    with boards.board(tmp_path) as board:
        assert board.client.get("/methodology").text == PAGE
        found = board.client.get("/api/v1/definitions").json()
        assert len(found) == len(all_definitions())
        links = re.findall(r'/methodology#([^"]+)"', board.client.get("/").text)
        assert set(links) <= set(IDS)
