"""Replies that were recorded elsewhere, read from JSONL one at a time and judged by the scorer of a kind."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from joulemark.record.errors import InputError
from joulemark.tasks.extract import Extraction
from joulemark.tasks.scorers.choice import ChoiceScorer
from joulemark.tasks.scorers.grade import grade
from joulemark.tasks.scorers.label import LabelScorer
from joulemark.tasks.scorers.line import LineScorer
from joulemark.tasks.scorers.math import MathScorer
from joulemark.tasks.scorers.numeric import NumericScorer
from joulemark.tasks.scorers.text import TextScorer
from joulemark.tasks.task import Question, Score, Scorer

DEFAULT_LETTERS = ("A", "B", "C", "D")
_EXPECTED = '{"id": "…", "completion": "…", "gold": "…"}, with null as the gold where no answer is right'
_WITH_LABELS = '{"id": "…", "completion": "…", "gold": "Yes", "choices": ["Yes", "No"]}'
_LETTERED = '"choices": ["A", "B", …] or {"A": "text", …}, and one of these letters as the gold'


@dataclass(frozen=True, slots=True)
class ReplyStream:
    """Where replies come from, for messages; ``expected`` is what a line looks like."""

    name: str
    expected: str

    def fault(self, number: int, why: str) -> InputError:
        """Return the error for line ``number``."""
        return InputError(
            f"{self.name}, line {number} cannot be used", why=why, fix=f"write each line as {self.expected}"
        )


class ExtractingScorer(Scorer, Protocol):
    """A scorer that grades what it finds in a reply, and can be asked what that is."""

    def extract(self, question: Question, answer: str) -> Extraction:
        """Find the answer in a reply, whatever the reference is."""
        ...


EXTRACTING: Mapping[str, ExtractingScorer] = MappingProxyType(
    {
        "numeric": NumericScorer(),
        "choice": ChoiceScorer(),
        "math": MathScorer(),
        "text": TextScorer(),
        "label": LabelScorer(),
        "line": LineScorer(),
    }
)
"""The kinds of questions whose answers are found in replies."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A reply and what it should have said; ``question.gold`` is null where no answer is right."""

    item_id: str | int
    question: Question
    completion: str
    finish_reason: str | None
    source: ReplyStream
    line: int

    def judge(self) -> Score:
        """Grade the reply. A value found where no answer is right is wrong. Raises `InputError`."""
        scorer = EXTRACTING[self.question.kind]
        if self.question.gold is None:
            return grade(
                scorer.extract(self.question, self.completion),
                is_right=lambda _: False,
                finish_reason=self.finish_reason,
                refusal=False,
                answer=self.completion,
            )
        try:
            return scorer.score(
                self.question, self.completion, finish_reason=self.finish_reason, refusal=False
            )
        except ValueError as error:
            raise self.source.fault(self.line, str(error)) from error


def read_recorded(lines: Iterable[bytes], *, name: str, kind: str) -> Iterator[Recorded]:
    """Yield the replies of a JSONL stream; no more than one line is held.

    Raises `InputError` naming the line; `name` is what messages call the stream.
    """
    source = ReplyStream(name, _WITH_LABELS if kind == "label" else _EXPECTED)
    is_empty = True
    for number, raw in enumerate(lines, start=1):
        line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if line.strip():
            is_empty = False
            yield _recorded(_fields(source, number, line), source, number, kind)
    if is_empty:
        raise InputError(
            f"{name} holds no replies", why="it is empty", fix=f"write each line as {source.expected}"
        )


def _fields(source: ReplyStream, number: int, line: bytes) -> dict[str, object]:
    try:
        fields = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise source.fault(number, f"byte {error.start + 1} is not UTF-8") from error
    except (RecursionError, ValueError) as error:
        raise source.fault(number, f"it is not JSON ({error})") from error
    if not isinstance(fields, dict):
        raise source.fault(number, f"it is a JSON {type(fields).__name__}, not an object")
    return fields


def _recorded(fields: dict[str, object], source: ReplyStream, number: int, kind: str) -> Recorded:
    def fault(key: str, wanted: str) -> InputError:
        found = f"it is {json.dumps(fields[key])[:60]}" if key in fields else "it is missing"
        return source.fault(number, f'"{key}" must be {wanted}, but {found}')

    item_id, completion = fields.get("id"), fields.get("completion")
    if isinstance(item_id, bool) or not isinstance(item_id, str | int):
        raise fault("id", "a text or a whole number")
    if not isinstance(completion, str):
        raise fault("completion", "a text")
    finish_reason = fields.get("finish_reason")
    if finish_reason is not None and not isinstance(finish_reason, str):
        raise fault("finish_reason", "a text or null")
    gold = fields.get("gold")
    if isinstance(gold, int | float) and not isinstance(gold, bool) and math.isfinite(gold):
        gold = json.dumps(gold)
    if "gold" not in fields or not (gold is None or (isinstance(gold, str) and gold.strip())):
        raise fault("gold", "a text, a number or null")
    options = _options(fields.get("choices"), kind)
    if options is None:
        raise fault("choices", "a list of texts or an object of texts" if kind == "label" else _LETTERED)
    if kind == "choice" and gold is not None:
        gold = str(gold).strip().strip("().").upper()
        if gold not in {letter for letter, _ in options}:
            raise fault("gold", f"one of {', '.join(letter for letter, _ in options)}, or choices be given")
    question = Question(str(item_id), (), None if gold is None else str(gold), kind, options)
    return Recorded(item_id, question, completion, finish_reason, source, number)


def _options(choices: object, kind: str) -> tuple[tuple[str, str], ...] | None:
    """Return the options of a question, null where ``choices`` are none that its kind can have."""
    if kind not in ("choice", "label"):
        return ()
    if choices is None and kind == "choice":
        return tuple((letter, "") for letter in DEFAULT_LETTERS)
    if isinstance(choices, list) and kind == "label":
        named: list[tuple[object, object]] = [(label, label) for label in choices]
    elif isinstance(choices, list):
        named = [(letter, "") for letter in choices]
    elif isinstance(choices, dict):
        named = list(choices.items())
    else:
        return None
    options = []
    for label, text in named:
        if not isinstance(label, str) or not isinstance(text, str) or not label.strip():
            return None
        if kind == "choice" and not (len(label.strip()) == 1 and "A" <= label.strip().upper() <= "Z"):
            return None
        options.append((label.strip().upper() if kind == "choice" else label.strip(), text))
    return tuple(options) or None
