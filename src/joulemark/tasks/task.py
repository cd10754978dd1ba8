"""What is asked: a task gives items; a scorer grades replies. The Scorer protocol lives here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from joulemark.record.content import Message, pictures
from joulemark.record.item import Verdict
from joulemark.record.manifest import drawn_from


@dataclass(frozen=True, slots=True)
class Question:
    """One item of a task, ready to send: chat messages and the reference answer.

    ``messages`` are (role, content) pairs; ``gold`` is null where there is no reference answer, else what the
    scorer of ``kind`` compares with; ``options`` are (letter, text) pairs of a multiple-choice item.

    The questions of one ``session`` are the turns of a conversation, ``turn`` by ``turn`` from 0: each holds
    its own messages only, and is asked after the earlier ones with the answers that they got.
    ``exact_length``: the answer is to have ``max_tokens`` tokens, where the engine lets one ask for that.
    ``media_units``: how many pictures or videos are asked for, one a message; null where words are.
    ``shown`` is what the local journal says in place of messages that can be made again. ``words_only``: no
    picture is among the messages, and none is looked for; messages that are made when they are read stay
    unmade.
    """

    item_id: str
    messages: Sequence[Message]
    gold: str | None
    kind: str = "numeric"
    options: tuple[tuple[str, str], ...] = ()
    max_tokens: int | None = None
    session: str | None = None
    turn: int | None = None
    exact_length: bool = False
    shown: str | None = None
    media_units: int | None = None
    words_only: bool = False

    @property
    def choices(self) -> tuple[str, ...]:
        """The offered letters."""
        return tuple(letter for letter, _ in self.options)

    @property
    def picture_digests(self) -> tuple[str, ...]:
        """The SHA-256 of each picture that is shown, in order."""
        if self.words_only:
            return ()
        return tuple(one.digest for _, content in self.messages for one in pictures(content))


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on a reply and how it came about.

    ``value`` is what was extracted; ``rule`` which rule matched; ``span`` its [start, end) in the answer;
    ``score`` of a graded reply is 1 for correct and 0 otherwise; it says no more than ``correct``. Where the
    task says so (``score_range``) it is real-valued, with ``correct`` null; a reply with such a score has no
    verdict either. A failed request is not correct, and has no score in either kind of task.
    """

    verdict: Verdict | None
    correct: bool | None
    score: float | None
    value: str | None
    rule: str | None
    span: tuple[int, int] | None


class Scorer(Protocol):
    """Grades a reply. Pure: the same reply always gets the same score."""

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer`` (visible text after any thinking)."""
        ...


@dataclass(frozen=True, slots=True)
class TaskSet:
    """A loaded task: its questions in asking order, its scorer and its identity.

    ``temperature`` and ``top_p`` are what its preset wants, null where it does not say; ``notes`` are for the
    reader of a run. ``warm_up`` is asked before the first question, null: the first question itself.
    ``problems``: what answers are judged by once all were asked, as the run's directory keeps it; null where
    the scorer judges them. ``is_listed``: a list named which items are asked, so they are no random ones.
    ``n_whole``: the questions that could have been asked, before a limit or a list; null where nobody knows.
    """

    name: str
    revision: str
    split: str
    n_shot: int
    template: str
    questions: tuple[Question, ...]
    scorer: Scorer
    max_tokens: int
    subset_key: str | None = None
    nonce: str | None = None
    source: str | None = None
    preset: str = "default"
    score_range: tuple[float, float] | None = None
    is_canary: bool = False
    is_listed: bool = False
    n_whole: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    notes: tuple[str, ...] = ()
    warm_up: Question | None = None
    problems: bytes | None = field(default=None, repr=False)

    @property
    def n_drawn_from(self) -> int:
        """How many questions those asked are a random part of: of a list these themselves."""
        return drawn_from(len(self.questions), self.n_whole, self.subset_key, is_listed=self.is_listed)

    def with_budget(self, max_tokens: int) -> TaskSet:
        """Return the task with one answer budget for every question, in tokens."""
        questions = tuple(replace(question, max_tokens=None) for question in self.questions)
        return replace(self, questions=questions, max_tokens=max_tokens)
