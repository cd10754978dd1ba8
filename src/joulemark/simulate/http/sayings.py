"""The words of simulated answers: right, wrong, without an answer, refusing; a word is a token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Outcome = Literal["correct", "wrong", "unparsed", "refused"]

_FILLER = tuple(
    _word
    for _part in (
        "we look over each part of it once more and keep what fits",
        "then go on with the next step until nothing of it stays open any longer",
    )
    for _word in _part.split()
)
# Longer than the four words that pass for a short answer, without a number, a letter or a verb like "is".
_UNDECIDED = ("Hmm,", "there", "seem", "several", "ways", "to", "look", "at", "this")
_REFUSAL = ("I'm", "sorry,", "but", "I", "can't", "help", "with", "that.")


@dataclass(frozen=True, slots=True)
class Known:
    """An item of a task: the reference that its answers are graded by.

    ``kind`` is one of `KINDS`; ``gold`` the reference (of a text, accepted forms split by ``|``);
    ``choices`` the letters or labels on offer. ``max_tokens`` is the answer's budget in its task, null where
    there is none.
    """

    kind: str
    gold: str
    choices: tuple[str, ...] = ()
    max_tokens: int | None = None


def filler(n: int) -> list[str]:
    """Return ``n`` words that say nothing, for the tokens of an answer that are not its point."""
    return [_FILLER[at % len(_FILLER)] for at in range(n)]


def words_of(known: Known, outcome: Outcome, draw: int) -> list[str]:
    """Return the words of an answer to ``known`` that is graded as ``outcome``; ``draw`` varies wrong ones.

    Raises ``KeyError`` for a kind that is none of `KINDS`.
    """
    if outcome == "refused":
        return list(_REFUSAL)
    if outcome == "unparsed":
        return list(_UNDECIDED)
    gold = known.gold.split("|")[0] if known.kind == "text" else known.gold
    said = gold if outcome == "correct" else _wrong(known, draw)
    return _FRAMES[known.kind].format(said).split(" ")


_FRAMES: Mapping[str, str] = MappingProxyType(
    {
        "numeric": "The answer is {}.",
        "math": "The answer is \\boxed{{{}}}.",
        "choice": "The answer is {}.",
        "label": "The answer is {}.",
        "text": "The answer is {}.",
    }
)

KINDS = frozenset(_FRAMES)
"""The kinds of questions that can be answered rightly and wrongly."""


def _wrong(known: Known, draw: int) -> str:
    if known.kind in ("choice", "label"):
        others = [choice for choice in known.choices if choice.casefold() != known.gold.strip().casefold()]
        return others[draw % len(others)] if others else "none"
    if known.kind == "text":
        taken = {form.strip().casefold() for form in known.gold.split("|")}
        return next(word for word in ("quartz", "marmalade", "lantern", *taken) if word not in taken)
    wrong = 1_000_003 + 17 * (draw % 1000)
    return str(wrong if str(wrong) != known.gold.strip() else wrong + 1)
