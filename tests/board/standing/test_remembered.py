"""Answers are kept up to a size, in which what asked for them counts."""

from __future__ import annotations

from joulemark.board.standing.remembered import Remembered


def test_the_same_question_is_worked_out_once() -> None:
    kept, made = Remembered(), []
    for _ in range(2):
        assert kept.get(("page", 1), lambda: made.append(1) or b"answer") == b"answer"  # type: ignore[func-returns-value]
    assert made == [1]


def test_long_questions_with_short_answers_do_not_fill_the_memory() -> None:
    kept = Remembered(most_bytes=1 << 20)
    for number in range(100):
        kept.get(("page", f"{number}" + "x" * 100_000), lambda: b"short")
    again: list[int] = []
    kept.get(("page", "0" + "x" * 100_000), lambda: again.append(1) or b"short")  # type: ignore[func-returns-value]
    assert again == [1], "the first was forgotten"
    kept.get(("page", "99" + "x" * 100_000), lambda: again.append(2) or b"short")  # type: ignore[func-returns-value]
    assert again == [1], "the last was not"
