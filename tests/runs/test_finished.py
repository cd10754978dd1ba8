"""The finished questions are a prefix of the asking order, in whatever order answers come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from doubles.run_views import item
from joulemark.runs.finished import FinishedPrefix

IDS = [f"q{n}" for n in range(8)]


@given(
    st.integers(1, 3).flatmap(
        lambda repeats: st.tuples(
            st.just(repeats), st.permutations([(n, r) for n in range(8) for r in range(repeats)])
        )
    ),
    st.data(),
)
def test_only_the_longest_run_without_a_gap_is_finished(
    asked: tuple[int, list[tuple[int, int]]], data: st.DataObject
) -> None:
    repeats, completion = asked
    answers = [item(n, repeat=r) for n, r in completion]
    stored = data.draw(st.integers(0, len(answers)))
    prefix = FinishedPrefix(IDS, repeats)
    for answer in answers[:stored]:
        prefix.add([answer])
    done = {answer.key for answer in answers[:stored]}
    expected = 0
    while expected < 8 and all((IDS[expected], r) in done for r in range(repeats)):
        expected += 1
    assert [one[0].item_id for one in prefix.questions] == IDS[:expected]
    assert all([answer.repeat for answer in one] == list(range(repeats)) for one in prefix.questions)
    assert prefix.highest == max((answer.index + 1 for answer in answers[:stored]), default=0)


def test_what_is_not_asked_for_is_passed_over() -> None:
    prefix = FinishedPrefix(IDS, 1)
    prefix.add([item(0), item(0, repeat=1), item(1, item_id="of another task")])
    assert len(prefix.questions) == 1
