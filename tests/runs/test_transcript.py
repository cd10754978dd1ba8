"""What of a conversation its next turn is asked with."""

from __future__ import annotations

import pytest

from doubles.run_views import item
from joulemark.record.item import ItemRow, LocalTexts
from joulemark.runs.transcript import Transcripts
from joulemark.tasks.task import Question

SYSTEM = ("system", "Be brief.")
TURNS = tuple(
    Question(
        f"s-{turn}", (*([SYSTEM] if turn == 0 else []), ("user", f"say {turn}")), None, session="s", turn=turn
    )
    for turn in range(3)
)


def after(answers: tuple[str, str], *, resumed: bool) -> list[object]:
    """Return what the third turn is asked with, in the same life of the run or after it was cut."""
    if resumed:
        rows = [
            ItemRow(item(item_id=f"s-{turn}", session="s", turn=turn), (), LocalTexts("", answer, ""))
            for turn, answer in enumerate(answers)
        ]
        return list(Transcripts(TURNS, rows).messages(TURNS[2], 0))
    said = Transcripts(TURNS)
    for turn, answer in zip(TURNS, answers, strict=False):
        said.answered(turn, 0, answer)
    return list(said.messages(TURNS[2], 0))


@pytest.mark.parametrize("resumed", [False, True])
def test_a_turn_with_an_empty_answer_is_left_out_and_no_empty_words_are_the_assistants(resumed: bool) -> None:
    """Engines want roles to take turns, and some refuse a message without content."""
    ended = ("user", "say 2")
    assert after(("yes", "no"), resumed=resumed) == [
        SYSTEM, ("user", "say 0"), ("assistant", "yes"), ("user", "say 1"), ("assistant", "no"), ended,
    ]  # fmt: skip
    first, second = [("user", "say 0"), ("assistant", "yes")], [("user", "say 1"), ("assistant", "no")]
    assert after(("yes", ""), resumed=resumed) == [SYSTEM, *first, ended]
    assert after(("", "no"), resumed=resumed) == [SYSTEM, *second, ended]
    assert after(("", ""), resumed=resumed) == [SYSTEM, ended]
