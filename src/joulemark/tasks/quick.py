"""The built-in suite: short questions in four levels, written for this project, answered in a few words.

The easiest are within reach of a model of a hundred million parameters, the hardest of any good one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from joulemark.tasks.extract.number import canonical, parse_number
from joulemark.tasks.jsonl import JsonLines, Line, parse
from joulemark.tasks.scorers import ACCEPTED_SEPARATOR, ChoiceScorer, KindScorer, NumericScorer, TextScorer
from joulemark.tasks.subset import permuted
from joulemark.tasks.task import Question, TaskSet

EXPECTED = (
    '{"id": "…", "kind": "numeric|text|choice", "level": 1, "question": "…", "answer": "…"},'
    ' with "options" for a choice and optional "accept" for a text'
)
LETTERS = "ABCDEFGHIJ"
_INSTRUCTIONS = {
    "numeric": "Answer with the number only.",
    "text": "Answer with one word only.",
    "choice": "Answer with the letter only.",
}
_MAX_TOKENS = {"numeric": 96, "text": 48, "choice": 48}
MAX_TOKENS = max(_MAX_TOKENS.values())


@dataclass(frozen=True, slots=True)
class QuickItem:
    """An item of the suite. ``working`` is an arithmetic expression with the same value as the answer."""

    item_id: str
    kind: str
    level: int
    question: str
    answer: str
    accept: tuple[str, ...] = ()
    options: Mapping[str, str] | None = None
    working: str | None = None

    @property
    def prompt(self) -> str:
        """The user message: the question, its options, how to answer."""
        options = [f"{letter}) {text}" for letter, text in (self.options or {}).items()]
        return "\n".join((self.question, *options, _INSTRUCTIONS[self.kind]))


def _texts(source: JsonLines, line: Line, key: str) -> tuple[str, ...]:
    value = line.fields.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise source.fault(line.number, f'"{key}" must be a list of texts')
    return tuple(value)


def _item(source: JsonLines, line: Line) -> QuickItem:
    kind, answer = source.text(line, "kind"), source.text(line, "answer")
    level, options = line.fields.get("level"), _texts(source, line, "options")
    if kind not in _INSTRUCTIONS:
        raise source.fault(line.number, f'"kind" is none of {", ".join(_INSTRUCTIONS)}')
    if not isinstance(level, int) or isinstance(level, bool):
        raise source.fault(line.number, '"level" must be a whole number')
    by_letter = dict(zip(LETTERS, options, strict=False))
    if kind == "choice" and (answer not in by_letter or not 2 <= len(options) <= len(LETTERS)):
        raise source.fault(
            line.number, '"options" must be 2 to 10 texts, and "answer" the letter of one of them'
        )
    if kind == "numeric":
        value = parse_number(answer)
        if value is None:
            raise source.fault(line.number, '"answer" must be a number')
        answer = canonical(value)
    return QuickItem(
        source.text(line, "id"),
        kind,
        level,
        source.text(line, "question"),
        answer,
        _texts(source, line, "accept"),
        by_letter or None,
        source.text(line, "working") if "working" in line.fields else None,
    )


def _read() -> tuple[str, tuple[QuickItem, ...]]:
    data = resources.files("joulemark.tasks").joinpath("data/quick.jsonl").read_bytes()
    source = parse(data, name="quick.jsonl", expected=EXPECTED)
    return source.revision, tuple(_item(source, line) for line in source.lines)


def quick_items() -> tuple[QuickItem, ...]:
    """Return the suite in its written order."""
    return _read()[1]


def load(limit: int | None, subset_key: str) -> TaskSet:
    """Load the suite, or ``limit`` items of it, in the order of ``subset_key``."""
    revision, items = _read()
    ordered = permuted(items, subset_key, lambda item: item.item_id)[:limit]
    return TaskSet(
        name="quick",
        revision=revision,
        split="test",
        n_shot=0,
        template="\n".join(("{question}", "{letter}) {option}", *_INSTRUCTIONS.values())),
        questions=tuple(
            Question(
                item.item_id,
                (("user", item.prompt),),
                ACCEPTED_SEPARATOR.join((item.answer, *item.accept)),
                item.kind,
                tuple((item.options or {}).items()),
                _MAX_TOKENS[item.kind],
            )
            for item in ordered
        ),
        scorer=KindScorer(
            {
                "numeric": NumericScorer(),
                "text": TextScorer(),
                "choice": ChoiceScorer(),
            }
        ),
        max_tokens=MAX_TOKENS,
        subset_key=subset_key,
    )
