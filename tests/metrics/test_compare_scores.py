"""Answers without a score: out of a mean only with a word, and out of a paired comparison on both sides."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.compared_runs import run, with_part
from joulemark.metrics import summarize
from joulemark.metrics.compare import compare
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason

NAME = "mean_score_difference"


def _scored(scores, **fields):
    """Return a run of these scores; null is an answer that the model refused."""
    view = run([10.0] * len(scores), [True] * len(scores), **fields)
    items = tuple(
        dataclasses.replace(
            one, verdict=Verdict.REFUSED if score is None else None, correct=None, score=score
        )
        for one, score in zip(view.items, scores, strict=True)
    )
    return with_part(dataclasses.replace(view, items=items), "task", score_range=(0.0, 1.0))


def _caveat(view):
    return next((c for c in summarize(view).caveats if c.code == "unscored_answers"), None)


def test_a_run_that_refuses_the_hard_questions_is_not_better_for_it():
    a = _scored([0.9 if k % 4 == 0 else 0.3 for k in range(60)])
    b = _scored([0.9 if k % 4 == 0 else None for k in range(60)], run_id="B")
    for one, other in ((a, b), (b, a)):
        c = compare(one, other)
        value = c.figures[NAME]
        assert (value.value, value.lo, value.hi) == pytest.approx((0.0, 0.0, 0.0))
        assert value.n == 15
        assert c.told_apart(NAME) is False
        (note,) = [n for n in c.notes if n.code == "unscored_items"]
        assert note.loud
        assert "15 of 60 items" in note.text
        assert "45 without are left out" in note.text


def test_items_left_out_are_few_or_none():
    whole = [0.1 + k / 100 for k in range(60)]
    assert not [n for n in compare(_scored(whole), _scored(whole)).notes if "unscored" in n.code]
    c = compare(_scored(whole), _scored([None, *(s + 0.1 for s in whole[1:])], run_id="B"))
    (note,) = [n for n in c.notes if n.code == "unscored_items"]
    assert not note.loud
    assert (c.figures[NAME].value, c.figures[NAME].n) == (pytest.approx(0.1), 59)


def test_no_item_scored_by_both():
    a, b = _scored([0.5] * 20 + [None] * 20), _scored([None] * 20 + [0.5] * 20, run_id="B")
    value = compare(a, b).figures[NAME]
    assert (value.reason, value.detail) == (Reason.NOTHING_SCORED, "No item has a score in both runs.")
    few = compare(a, _scored([0.7] * 5 + [None] * 35, run_id="B")).figures[NAME]
    assert (few.value, few.n, few.interval_reason) == (pytest.approx(0.2), 5, Reason.TOO_FEW_ITEMS)


def test_runs_that_are_not_paired_say_it_of_each():
    a = _scored([0.5] * 40)
    b = with_part(_scored([0.9] * 20 + [None] * 20, run_id="B"), "task", preset="other")
    c = compare(a, b)
    assert not c.paired
    assert c.figures[NAME].value == pytest.approx(0.4)
    (note,) = [n for n in c.notes if n.code == "unscored_answers"]
    assert note.loud
    assert note.text.startswith("In B, 20 of 40 answers have no score (refused 20)")


def test_a_mean_of_few_of_the_answers_is_told_loudly():
    caveat = _caveat(_scored([0.9] * 6 + [None] * 54))
    assert caveat.loud
    assert caveat.text == "54 of 60 answers have no score (refused 54): the mean is that of the others."
    assert _caveat(_scored([0.9] * 57 + [None] * 3)) is None
    assert _caveat(_scored([0.9] * 56 + [None] * 4)) is not None
    # where none has a score there is no mean to speak of
    assert _caveat(_scored([None] * 60)) is None
    # and graded answers have their accuracy
    assert _caveat(run([10.0] * 60, [False] * 60)) is None


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()), min_size=12, max_size=30),
)
def test_what_one_side_refuses_changes_nothing(rows):
    kept = [(x, y) for x, y, refused in rows if not refused]
    a = _scored([x for x, _, _ in rows])
    b = _scored([None if refused else y for _, y, refused in rows], run_id="B")
    value = compare(a, b).figures[NAME]
    assert (value.n or 0) == len(kept)
    if kept:
        assert value.value == pytest.approx(sum(y - x for x, y in kept) / len(kept), abs=1e-12)
