"""The board's answer in words."""

from __future__ import annotations

import pytest

from joulemark.bundles.submission.answered import answered


def test_accepted_names_the_rung_and_the_page() -> None:
    facts = {"status": "accepted", "rung_title": "Recomputed", "page": "http://b/runs/ab", "grounds": []}
    assert answered(facts) == "accepted as recomputed: http://b/runs/ab"


def test_held_back_says_why_and_how_to_appeal() -> None:
    facts = {
        "status": "quarantined",
        "rung_title": "Recomputed",
        "page": "http://b/submissions/ab",
        "grounds": [{"code": "power", "why": "900 W on a board of 300 W"}],
        "appeal": "post words to http://b/appeals",
    }
    first, why, appeal = answered(facts).splitlines()
    assert first == "quarantined: http://b/submissions/ab"
    assert "900 W on a board of 300 W" in why
    assert "http://b/appeals" in appeal


@pytest.mark.parametrize("facts", [{}, {"status": None}, {"status": 7}, {"status": ["accepted"]}])
def test_a_board_that_says_nothing_has_taken_it(facts: dict[str, object]) -> None:
    assert answered(facts) == "arrived"


@pytest.mark.parametrize("grounds", [None, "x", [7], [{"why": 7}], {"why": "x"}])
def test_an_answer_of_another_shape_breaks_nothing(grounds: object) -> None:
    assert answered({"status": "quarantined", "grounds": grounds}) == "quarantined"


def test_escape_sequences_of_a_board_are_not_printed() -> None:
    assert "\x1b" not in answered({"status": "\x1b[31mred", "page": "\x1b]8;;x\x07" + "a" * 900})
    assert len(answered({"status": "accepted", "page": "a" * 9000})) < 400
