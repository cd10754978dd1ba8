"""Grade-school word problems in the GSM8K format, from a file of the user's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.tasks.extract.number import canonical, parse_number
from joulemark.tasks.jsonl import JsonLines, Line, read_file
from joulemark.tasks.scorers import NumericScorer
from joulemark.tasks.subset import permuted
from joulemark.tasks.task import Question, TaskSet

EXPECTED = '{"question": "…", "answer": "… #### NUMBER"}'
PROMPT = (
    "{question}\n\nWork it out step by step. End your reply with a line of its own that holds four hash signs"
    " and the number alone, like this:\n#### 7"
)
MAX_TOKENS = 512

_FINAL = re.compile(r"####\s*([^\n]+)\s*$")
_CALCULATOR_NOTE = re.compile(r"<<[^<>\n]*>>")


@dataclass(frozen=True, slots=True)
class _Problem:
    item_id: str
    question: str
    working: str
    gold: str

    @property
    def prompt(self) -> str:
        return PROMPT.format_map({"question": self.question})


def _problem(source: JsonLines, line: Line) -> _Problem:
    question, answer = source.text(line, "question"), source.text(line, "answer")
    final = _FINAL.search(answer)
    if not final:
        raise source.fault(line.number, 'the "answer" does not end in "#### NUMBER"')
    value = parse_number(final[1])
    if value is None:
        raise source.fault(line.number, f'"#### {final[1].strip()[:40]}" gives no number')
    working = _CALCULATOR_NOTE.sub("", answer[: final.start()]).strip()
    return _Problem(f"gsm8k-{line.number:05d}", question.strip(), working, canonical(value))


def _problems(path: Path) -> tuple[JsonLines, list[_Problem]]:
    source = read_file(path, expected=EXPECTED)
    return source, [_problem(source, line) for line in source.lines]


def load(data: Path | None, limit: int | None, n_shot: int, subset_key: str) -> TaskSet:
    """Load ``limit`` problems of ``data`` in the order of ``subset_key``, after ``n_shot`` worked examples.

    Examples are the last of that order and never asked. Raises `InputError` for a missing or malformed file
    and where too few problems are left to ask.
    """
    if data is None:
        raise InputError(
            "gsm8k needs its problems",
            why="joulemark ships none",
            fix="pass --data FILE, the test.jsonl of GSM8K or your own file in its format",
        )
    source, problems = _problems(data)
    ordered = permuted(problems, subset_key, lambda p: p.item_id)
    split = max(0, len(ordered) - n_shot)
    ordered, shots = ordered[:split], ordered[split:]
    if not ordered or (limit is not None and limit > len(ordered) and n_shot):
        raise InputError(
            f"{n_shot} examples and {limit or 1} questions are more than there are",
            why=f"{data} holds {len(problems)} problems, and an example is never asked",
            fix="lower --shots or --limit",
        )
    turns: tuple[tuple[str, str], ...] = ()
    for shot in shots:
        turns += (("user", shot.prompt), ("assistant", f"{shot.working}\n#### {shot.gold}"))
    return TaskSet(
        name="gsm8k",
        revision=source.revision,
        split=data.stem,
        n_shot=n_shot,
        template="\n".join((PROMPT, *(text for _, text in turns))),
        questions=tuple(
            Question(p.item_id, (*turns, ("user", p.prompt)), p.gold)
            for p in ordered[: limit or len(ordered)]
        ),
        scorer=NumericScorer(),
        max_tokens=MAX_TOKENS,
        subset_key=subset_key,
    )
