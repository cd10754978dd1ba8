"""What a correct answer took to generate is the run's headline, or is withheld."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.programming_engine import asked_run
from joulemark.code.joined.generation import generate_per_correct, shares
from joulemark.metrics.energy_per import joules_per_correct_answer_bound
from joulemark.metrics.run_view import RunView
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy, Method
from joulemark.record.item import Item, Phase, Verdict
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.runs.view import view_of

pytestmark = pytest.mark.hypothesis
CASES = ("right", "slower", "wrong")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> RunView:
    """Three answers that wait for their grades, metered with 300 J."""
    folder = tmp_path_factory.mktemp("generation")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "home"))
        view = view_of(asked_run(folder / "run", list(CASES)))
    energy = MeasuredEnergy(300.0, 297.0, 303.0, "meter", (Scope("wall"),), Method.COUNTER)
    own = {"total-right": 50.0, "total-slower": 70.0, "total-wrong": 150.0}
    rows = tuple(
        Attribution(i.item_id, i.repeat, i.segment, "alone", "wall", own[i.item_id], None, None)
        for i in view.measured_items
    )
    return replace(
        view,
        headline_energy=energy,
        headline_scope="wall",
        headline_method="alone",
        attributions=rows,
        cpu_seconds=6.0,
        item_cpu_seconds={},
    )


def graded(view: RunView, **verdicts: Verdict | None) -> RunView:
    """The run with these grades; null: its problem could not judge."""

    def grade(item: Item) -> Item:
        name = item.item_id.removeprefix("total-")
        if item.phase != Phase.MEASURE or name not in verdicts:
            return item
        verdict = verdicts[name]
        if verdict is None:
            reasons = {**item.reasons, "verdict": Reason.NO_GOLD.value, "correct": Reason.NO_GOLD.value}
            return replace(item, reasons=reasons)
        return replace(item, verdict=verdict, correct=verdict is Verdict.CORRECT, reasons={})

    return replace(view, items=tuple(map(grade, view.items)))


@given(
    total=st.floats(0, 1e6),
    known=st.dictionaries(st.integers(0, 8), st.floats(0, 1e4)),
    n=st.integers(1, 9),
)
def test_shares_add_up_to_what_was_metered(total: float, known: dict[int, float], n: int) -> None:
    keys = [(f"item-{number}", 0) for number in range(n)]
    own = {(f"item-{number}", 0): value for number, value in known.items()}
    found = shares(total, own, keys)
    assert list(found) == keys
    assert sum(found.values()) == pytest.approx(total, abs=1e-6)


def test_nothing_is_said_while_an_answer_waits_for_its_grade(asked: RunView) -> None:
    half = graded(asked, right=Verdict.CORRECT, wrong=Verdict.WRONG)
    found = generate_per_correct(half)
    assert found.value is None
    assert found.reason is Reason.GRADED_LATER


def test_it_is_the_headline_of_the_run(asked: RunView) -> None:
    view = graded(asked, right=Verdict.CORRECT, slower=Verdict.CORRECT, wrong=Verdict.WRONG)
    found = generate_per_correct(view)
    headline = joules_per_correct_answer_bound(view.headline_energy, view.measured_items)
    assert (found.value, found.lo, found.hi) == (headline.value, headline.lo, headline.hi)
    assert found.value == pytest.approx(150.0)


def test_answers_that_nobody_could_judge_leave_with_what_they_took(asked: RunView) -> None:
    view = graded(asked, right=Verdict.CORRECT, slower=Verdict.CORRECT, wrong=None)
    (unjudged,) = (item.key for item in view.measured_items if item.item_id == "total-wrong")
    found = generate_per_correct(view, {unjudged})
    # 50 J and 70 J of their own, and two of three parts of the 30 J between the answers
    assert found.value == pytest.approx((50 + 70 + 20) / 2)
    assert found.lo == pytest.approx(0.99 * 70.0)
    assert "(1)" in found.detail
    unknown = replace(view, attributions=())
    assert generate_per_correct(unknown, {unjudged}).value is None
