"""Two run directories, finished or growing: decided in the order of asking, never in that of completion."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from doubles.growing_runs import IDS, GrowingRun, N, answer, finished
from joulemark.frugal.paired.stream import stream
from joulemark.frugal.paired.streamed import Streamed
from joulemark.record.errors import InputError
from joulemark.record.item import Item

RNG = np.random.default_rng(4)
A_RIGHT = (RNG.random(N) < 0.4).tolist()
B_RIGHT = (RNG.random(N) < 0.65).tolist()


def answers(right: list[bool | None]) -> list[Item]:
    return [answer(index, one) for index, one in enumerate(right)]


def last(a: Path, b: Path, **options: float) -> Streamed:
    return list(stream(a, b, **options))[-1]  # type: ignore[arg-type]


def test_finished_runs_are_replayed_and_the_rest_is_told(tmp_path: Path) -> None:
    told = last(finished(tmp_path / "a", answers(A_RIGHT)), finished(tmp_path / "b", answers(B_RIGHT)))
    assert (told.decision.kind, told.decision.winner) == ("winner", "B")
    assert told.decision.n < 0.4 * N
    assert (told.n_read, told.order, told.growing) == (N, "asked", False)
    assert told.all_read is not None
    assert told.all_read.difference == pytest.approx(np.mean(B_RIGHT) - np.mean(A_RIGHT))
    assert told.to_json()["n"] == told.decision.n
    lo, hi = told.interval
    assert 0 <= lo <= np.mean(B_RIGHT) - np.mean(A_RIGHT) <= hi
    turned = last(tmp_path / "b", tmp_path / "a")
    assert (turned.decision.winner, turned.decision.n) == ("A", told.decision.n)


def test_the_order_of_completion_does_not_matter(tmp_path: Path) -> None:
    """Answers that come in last count where they were asked."""
    told = last(finished(tmp_path / "a", answers(A_RIGHT)), finished(tmp_path / "b", answers(B_RIGHT)))
    rng = np.random.default_rng(1)
    shuffled = [answers(A_RIGHT)[k] for k in rng.permutation(N)]
    # the worst case: all answers of B that are wrong come last
    wrong_last = sorted(answers(B_RIGHT), key=lambda one: not one.correct)
    other = last(finished(tmp_path / "c", shuffled), finished(tmp_path / "d", wrong_last))
    assert other.decision == told.decision
    assert other.interval == told.interval


def test_growing_runs_are_followed_up_to_the_first_gap(tmp_path: Path) -> None:
    a, b = GrowingRun(tmp_path / "a"), GrowingRun(tmp_path / "b")
    of_a, of_b = answers(A_RIGHT), answers(B_RIGHT)
    a.add(of_a[:30])
    b.add([*of_b[:5], *of_b[6:30]])  # the sixth question is still being answered
    steps = iter([lambda: b.add([of_b[5]]), lambda: (a.add(of_a[30:]), b.add(of_b[30:]))])
    seen = list(stream(a.root, b.root, wait=lambda _s: next(steps)()))
    assert [one.n_read for one in seen[:2]] == [5, 30]
    assert seen[0].decision.kind == "undecided"
    assert seen[-1].growing
    assert seen[-1].decision.kind == "winner"
    a.end()
    b.end()
    assert last(a.root, b.root).decision == seen[-1].decision


def test_a_finished_run_against_a_growing_one_of_another_order(tmp_path: Path) -> None:
    places = np.random.default_rng(2).permutation(N).tolist()
    shuffled = [answer(k, A_RIGHT[place], item_id=IDS[place]) for k, place in enumerate(places)]
    done = finished(tmp_path / "a", shuffled, key="other")
    b = GrowingRun(tmp_path / "b")
    b.add(answers(B_RIGHT))
    told = last(done, b.root)
    assert told.decision == last_of_same_order(tmp_path)
    other = GrowingRun(tmp_path / "c", key="third")
    with pytest.raises(InputError, match="two orders"):
        last(other.root, b.root)


def last_of_same_order(tmp_path: Path) -> object:
    return last(
        finished(tmp_path / "same-a", answers(A_RIGHT)), finished(tmp_path / "same-b", answers(B_RIGHT))
    ).decision


def test_finished_runs_of_two_orders_get_a_new_one(tmp_path: Path) -> None:
    places = np.random.default_rng(2).permutation(N).tolist()
    shuffled = [answer(k, A_RIGHT[place], item_id=IDS[place]) for k, place in enumerate(places)]
    told = last(finished(tmp_path / "a", shuffled, key="other"), finished(tmp_path / "b", answers(B_RIGHT)))
    assert told.order == "keyed"
    assert told.decision.winner == "B"


def test_a_failed_request_is_not_correct(tmp_path: Path) -> None:
    """And an item that one run has no outcome of is left out."""
    right: list[bool | None] = [True] * N
    failing = [None if k < 12 else one for k, one in enumerate(right)]
    told = last(finished(tmp_path / "a", answers(right)), finished(tmp_path / "b", answers(failing)))
    assert told.decision.winner == "A"
    assert told.decision.n == 7
    assert told.left_out == (0, 0)
    ungraded = [answer(0, True), answer(1, True, correct=None), *answers(right)[2:]]
    told = last(tmp_path / "a", finished(tmp_path / "c", [*ungraded[:1], _unscored(1), *ungraded[2:]]))
    assert told.left_out == (0, 1)
    assert told.n_read == N - 1
    assert told.decision.kind == "tie"


def _unscored(index: int) -> Item:
    return dataclasses.replace(answer(index, True), verdict=None, correct=None, score=None)


def test_a_run_that_was_ended_early_does_not_make_the_task_smaller(tmp_path: Path) -> None:
    """60 of 400 questions: the interval is that of the 400, and a tie of the 60 is none."""
    same = [True, False] * (N // 2)
    told = last(finished(tmp_path / "a", answers(same)), finished(tmp_path / "b", answers(same)[:60]))
    assert told.decision.kind == "undecided"
    assert (told.decision.n, told.decision.n_items) == (60, N)
    assert told.interval[0] < -0.01


def test_repeats_count_once(tmp_path: Path) -> None:
    again = [answer(k, not one, repeat=1) for k, one in enumerate(A_RIGHT)]
    told = last(
        finished(tmp_path / "a", [*answers(A_RIGHT), *again]), finished(tmp_path / "b", answers(B_RIGHT))
    )
    assert told.n_read == N


def test_what_cannot_be_paired(tmp_path: Path) -> None:
    a = finished(tmp_path / "a", answers(A_RIGHT))
    with pytest.raises(InputError, match="asked sums, the other products"):
        last(a, finished(tmp_path / "b", answers(A_RIGHT), name="products"))
    with pytest.raises(InputError, match=f"{IDS[0]!r} in one and 'x0' in the other"):
        last(a, finished(tmp_path / "c", [answer(0, True, item_id="x0")]))
    with pytest.raises(InputError, match="conversations"):
        last(a, finished(tmp_path / "d", [answer(0, True, session="s", turn=0)]))
    with pytest.raises(InputError, match="no run at"):
        last(a, tmp_path / "nowhere")
    with pytest.raises(InputError, match="no item has an outcome in both"):
        last(a, finished(tmp_path / "e", []))


def test_an_answer_that_waits_for_its_grade_is_a_gap_until_the_run_is_over(tmp_path: Path) -> None:
    waiting = dataclasses.replace(
        answer(3, True), verdict=None, correct=None, score=None, reasons={"verdict": "graded_later"}
    )
    a, b = GrowingRun(tmp_path / "a"), finished(tmp_path / "b", answers(B_RIGHT))
    a.add([*answers(A_RIGHT)[:3], waiting, *answers(A_RIGHT)[4:40]])
    assert next(iter(stream(a.root, b))).n_read == 3
    a.end()
    told = last(a.root, b)
    assert told.n_read == 39
    assert told.left_out == (1, 0)


def test_a_torn_line_is_waited_for(tmp_path: Path) -> None:
    run = GrowingRun(tmp_path / "a")
    run.add(answers(A_RIGHT)[:3])
    journal = tmp_path / "a" / "items.jsonl"
    with journal.open("ab") as half:
        half.write(b'{"item": {"item_id"')
    b = finished(tmp_path / "b", answers(B_RIGHT))
    told = next(iter(stream(run.root, b)))
    assert told.n_read == 3
    run.end()


def test_a_run_that_ended_early_ends_the_following_of_the_other(tmp_path: Path) -> None:
    a, b = finished(tmp_path / "a", answers(A_RIGHT)[:3]), GrowingRun(tmp_path / "b")
    b.add(answers(A_RIGHT)[:2])
    steps = iter([lambda: b.add(answers(A_RIGHT)[2:9])])
    seen = list(stream(a, b.root, wait=lambda _s: next(steps)()))
    assert [one.n_read for one in seen] == [2, 3]
    assert seen[-1].growing
    b.end()


def test_of_two_orders_a_run_that_ended_early_makes_the_task_no_smaller(tmp_path: Path) -> None:
    same = [True, False] * (N // 2)
    part = [answer(k, same[N - 1 - k], item_id=IDS[N - 1 - k]) for k in range(60)]
    a, b = finished(tmp_path / "a", answers(same)), finished(tmp_path / "b", part, key="other")
    for told in (last(a, b), last(b, a)):
        assert (told.n_read, told.decision.n_items) == (60, N)
        assert told.decision.kind == "undecided"
    whole = finished(tmp_path / "c", part, key="other", n_items=60)
    told = last(a, whole)
    assert (told.n_read, told.decision.n_items) == (60, 60)


def test_runs_with_limits_tell_of_the_task_that_both_were_drawn_from(tmp_path: Path) -> None:
    """All of sixty questions that are alike make a tie of these, and none of two thousand."""
    same = [True, False] * 30
    drawn = {"n_items": 60, "n_whole": 2000}
    a, b = (finished(tmp_path / name, answers(same), **drawn) for name in "ab")
    told = last(a, b)
    assert (told.decision.kind, told.decision.n_items) == ("undecided", 2000)
    assert told.interval[0] < -0.01 < 0.01 < told.interval[1]
    other = finished(tmp_path / "c", answers(same), n_items=60, n_whole=70)
    listed = finished(tmp_path / "d", answers(same), **drawn, is_listed=True)
    older = finished(tmp_path / "e", answers(same), n_items=60)
    for one in (other, listed, older):
        told = last(a, one)
        assert (told.decision.kind, told.decision.n_items) == ("tie", 60)


def test_questions_that_a_list_named_make_no_winner_on_the_kind(tmp_path: Path) -> None:
    a, b = (finished(tmp_path / n, answers(of)) for n, of in (("a", A_RIGHT), ("b", B_RIGHT)))
    listed = finished(tmp_path / "c", answers(B_RIGHT), is_listed=True)
    drawn, told = last(a, b), last(a, listed)
    assert (told.decision, told.interval) == (drawn.decision, drawn.interval)
    assert (drawn.speaks_of, drawn.listed) == ("questions_of_the_kind", (False, False))
    assert (told.speaks_of, told.listed) == ("these_questions", (False, True))
    assert told.to_json()["listed"] == {"a": False, "b": True}
    # a run beside a file
    rows = [f"{IDS[k]},{int(right)}" for k, right in enumerate(A_RIGHT)]
    (tmp_path / "a.csv").write_text("\n".join(["item_id,correct", *rows]))
    beside = last(tmp_path / "a.csv", listed)
    assert (beside.speaks_of, beside.listed) == ("these_questions", (False, True))


def test_a_run_of_a_list_is_paired_with_one_of_the_whole_task(tmp_path: Path) -> None:
    whole = finished(tmp_path / "a", answers(A_RIGHT), items_hash="all")
    some = [answer(at, B_RIGHT[k], item_id=IDS[k]) for at, k in enumerate(range(1, N, 4))]
    listed = finished(tmp_path / "b", some, n_items=len(some), items_hash="some", is_listed=True)
    for told in (last(whole, listed), last(listed, whole)):
        assert (told.n_read, told.decision.n_items) == (len(some), len(some))
        assert (told.speaks_of, told.order) == ("these_questions", "keyed")


def test_a_score_beyond_its_range_is_told(tmp_path: Path) -> None:
    of = [
        dataclasses.replace(answer(0, None), verdict=None, correct=None, score=score) for score in (0.5, 7.0)
    ]
    roots = [
        finished(tmp_path / str(k), [one], n_items=1, score_range=(0.0, 1.0)) for k, one in enumerate(of)
    ]
    with pytest.raises(InputError, match="beyond the range"):
        last(*roots)


def test_real_scores_of_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    roots = [
        finished(
            tmp_path / name,
            [
                dataclasses.replace(answer(k, None), verdict=None, correct=None, score=float(score))
                for k, score in enumerate(rng.beta(*shape, N) * 100)
            ],
            score_range=(0.0, 100.0),
        )
        for name, shape in (("a", (2, 3)), ("b", (3, 2)))
    ]
    told = last(*roots, epsilon=2.0)
    assert (told.decision.winner, told.metric, told.question.span) == ("B", "score", 100.0)
    assert told.interval[0] >= 0


def test_a_journal_that_was_edited_is_not_followed(tmp_path: Path) -> None:
    """A question that stands in many places would count as often as it stands there."""
    b = finished(tmp_path / "b", answers(B_RIGHT))
    copied = [answer(k, True, item_id=IDS[0]) for k in range(N)]
    with pytest.raises(InputError, match="was edited"):
        last(finished(tmp_path / "a", copied), b)
    mixed = [*answers(A_RIGHT), *(answer(k, True, repeat=1, item_id=IDS[k + 1]) for k in range(9))]
    with pytest.raises(InputError, match="was edited"):
        last(finished(tmp_path / "c", mixed, repeats=2), b)


def test_repeats_that_nobody_asked_for_do_not_count(tmp_path: Path) -> None:
    more = [answer(k, True, repeat=7) for k in range(N)]
    told = last(
        finished(tmp_path / "a", [*answers(A_RIGHT), *more]), finished(tmp_path / "b", answers(B_RIGHT))
    )
    assert told.all_read is not None
    assert told.all_read.difference == pytest.approx(np.mean(B_RIGHT) - np.mean(A_RIGHT))


def test_questions_that_were_put_in_another_order_get_their_own_back(tmp_path: Path) -> None:
    """The wins of one model first would name it the winner of a tie."""
    a, b = ([bool(k % 2), not k % 2] * (N // 4) + [True] * (N // 2) for k in (0, 1))
    won_first = sorted(range(N), key=lambda k: (not (b[k] > a[k]), k))
    roots = []
    for name, right in (("a", a), ("b", b)):
        asked = [answer(place, right[k], item_id=IDS[k]) for place, k in enumerate(won_first)]
        roots.append(finished(tmp_path / name, asked))
    told = last(*roots)
    assert (told.order, told.decision.winner) == ("keyed", None)
    growing = GrowingRun(tmp_path / "c")
    growing.add([answer(place, True, item_id=IDS[k]) for place, k in enumerate((5, 9, 2))])
    with pytest.raises(InputError, match="two orders"):
        last(growing.root, growing.root)
    growing.end()
    late = GrowingRun(tmp_path / "d")
    late.add(answers(A_RIGHT)[:1])
    steps = iter([lambda: late.add([answer(1, True, item_id=IDS[7]), answer(2, True, item_id=IDS[3])])])
    with pytest.raises(InputError, match="order of its key"):
        list(stream(finished(tmp_path / "e", answers(A_RIGHT)), late.root, wait=lambda _s: next(steps)()))
    late.end()


def test_more_answers_than_there_are_questions_are_told(tmp_path: Path) -> None:
    a = GrowingRun(tmp_path / "a", n_items=5)
    a.add(answers(A_RIGHT)[:30])
    with pytest.raises(InputError, match="more than the 5 questions"):
        last(a.root, finished(tmp_path / "b", answers(B_RIGHT)))
    a.end()
