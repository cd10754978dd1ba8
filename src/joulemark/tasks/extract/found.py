"""What extraction hands to a scorer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """Which rule found the answer; stored on the item, so a reader can see why."""

    JSON = "json"
    BOXED = "boxed"
    HASH = "hash"
    PHRASE = "phrase"
    STATEMENT = "statement"
    FORMULA = "formula"
    LINE = "line"
    LAST = "last"
    WORD = "word"
    OPTION = "option"
    SENTENCE = "sentence"


STRONG_RULES = frozenset({Rule.JSON, Rule.BOXED, Rule.HASH, Rule.PHRASE})


@dataclass(frozen=True, slots=True)
class Extraction:
    """An answer found in a reply, or none.

    ``value`` is canonical text (a number as integer, terminating decimal or ``a/b``; a capital letter; a
    short text) and null where no answer was found. ``span`` is ``[start, end)`` in the reply as it was given.
    ``open_thinking``: a thinking block was never closed. ``at_end``: nothing follows the answer, so a reply
    cut by the token limit may have cut the answer itself.
    """

    value: str | None = None
    rule: Rule | None = None
    span: tuple[int, int] | None = None
    open_thinking: bool = False
    at_end: bool = False

    @property
    def is_strong(self) -> bool:
        """Tell whether the reply itself marked this as its answer."""
        return self.rule in STRONG_RULES
