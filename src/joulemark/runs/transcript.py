"""What was said so far in each conversation, so that its next turn can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from joulemark.record.content import Message
from joulemark.record.item import ItemRow, Phase
from joulemark.tasks.task import Question


class Transcripts:
    """The answers of conversations that go on; those of an earlier life of the run are taken from ``rows``.

    A conversation is told apart by its session and the repeat that its rows are stored under.
    """

    def __init__(self, questions: Sequence[Question], rows: Iterable[ItemRow] = ()) -> None:
        self._sessions: dict[str, list[Question]] = {}
        for question in questions:
            if question.session is not None:
                self._sessions.setdefault(question.session, []).append(question)
        self._answers: dict[tuple[str, int], str] = {}
        if self._sessions:
            for row in rows:
                if row.item.phase == Phase.MEASURE and row.item.session is not None and row.texts is not None:
                    self._note(row.item.key, row.texts.answer)

    def messages(self, question: Question, key_repeat: int) -> Sequence[Message]:
        """Return all that the engine is sent to ask ``question``: earlier turns, real answers, its own words.

        An earlier turn without an answer (it failed) is left out, for engines want roles to take turns.
        """
        if question.session is None:
            return question.messages
        said: list[Message] = []
        for earlier in self._sessions[question.session]:
            if earlier.item_id == question.item_id:
                break
            answer = self._answers.get((earlier.item_id, key_repeat))
            if answer is None:
                said += [message for message in earlier.messages if message[0] == "system"]
            else:
                said += [*earlier.messages, ("assistant", answer)]
        return (*said, *question.messages)

    def answered(self, question: Question, key_repeat: int, answer: str) -> None:
        """Note an answer; with that to its last turn a conversation is forgotten."""
        if question.session is None:
            return
        turns = self._sessions[question.session]
        if turns[-1].item_id != question.item_id:
            self._note((question.item_id, key_repeat), answer)
            return
        for turn in turns:
            self._answers.pop((turn.item_id, key_repeat), None)

    def _note(self, key: tuple[str, int], answer: str) -> None:
        if answer:
            self._answers[key] = answer
