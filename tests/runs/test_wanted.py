"""Which requests a run still wants, and which lead up to them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.loaded import task_of
from joulemark.record.item import Phase
from joulemark.runs.observe import Place
from joulemark.runs.wanted import conversations, lead_up, wanted
from joulemark.tasks.task import Question, TaskSet


def chats(turns: list[int]) -> TaskSet:
    questions = [
        Question(
            f"s{s}-{t}", (("user", "x"),), None, session=f"s{s}" if n > 1 else None, turn=t if n > 1 else None
        )
        for s, n in enumerate(turns)
        for t in range(n)
    ]
    return task_of(0, questions=tuple(questions))


@settings(deadline=None)
@given(
    turns=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    repeats=st.integers(1, 4),
    limit=st.none() | st.integers(1, 60),
    lead=st.integers(0, 30),
    data=st.data(),
)
def test_leads_and_answers(
    turns: list[int], repeats: int, limit: int | None, lead: int, data: st.DataObject
) -> None:
    task = chats(turns)
    whole = wanted(task, repeats, (), limit)
    assert len(whole) == min(sum(turns) * repeats, limit or 10**9)
    keys = [(one.question.item_id, one.repeat) for one in whole]
    assert len(set(keys)) == len(keys)
    assert all(later.position - earlier.position in (0, 1) for earlier, later in pairwise(whole))
    done = data.draw(st.sets(st.sampled_from(keys)))
    left = wanted(task, repeats, done, limit)
    assert [(one.question.item_id, one.repeat) for one in left] == [key for key in keys if key not in done]
    assert {(one.question.item_id, one.repeat): one.position for one in left}.items() <= {
        (one.question.item_id, one.repeat): one.position for one in whole
    }.items()
    if not left:
        return
    first = left[0].position
    leads = lead_up(task, first, lead)
    assert len(leads) >= lead
    assert len(leads) < lead + max(turns)
    assert all(one.phase == Phase.WARMUP for one in leads)
    # they are the conversations right before, whole and in order
    if leads:
        assert {one.position for one in leads} == set(range(leads[0].position, first))
    places = [Place(one.index, one.repeat, 3, one.phase) for one in leads]
    ids = [one.question.item_id for one in leads]
    stored = {(item_id, place.key_repeat) for item_id, place in zip(ids, places, strict=True)}
    cut_off = {(item_id, place.abandoned_repeat) for item_id, place in zip(ids, places, strict=True)}
    warm_ups = {(question.item_id, Place(0, 0, 3, Phase.WARMUP).key_repeat) for question in task.questions}
    answers = {(item_id, Place(0, repeat, 3, Phase.MEASURE).abandoned_repeat) for item_id, repeat in keys}
    assert len(stored) == len(cut_off) == len(leads), "each row has a key of its own"
    assert not stored & cut_off
    assert not (stored | cut_off) & (warm_ups | answers | set(keys))
    together = conversations([*leads, *left])
    assert [one for talk in together for one in talk] == [*leads, *left]
    for talk in together:
        assert len({one.question.session for one in talk}) == 1


def test_what_leads_up_is_asked_from_the_end_round_and_round() -> None:
    task = task_of(3)
    assert [(one.index, one.repeat, one.position) for one in lead_up(task, 0, 5)] == [
        (1, 2, -5),
        (2, 2, -4),
        (0, 1, -3),
        (1, 1, -2),
        (2, 1, -1),
    ]
    assert [one.index for one in lead_up(task, 2, 2)] == [0, 1], "a resumed run asks again what came before"
