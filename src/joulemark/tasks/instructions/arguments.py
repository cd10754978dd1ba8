"""What an instruction is given: counts, words and relations, checked when the task is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Check = Callable[[str], bool]
"""Tells whether a reply (thinking taken out, white space stripped, lines ended by ``\\n``) follows."""

AT_LEAST = "at least"
LESS_THAN = "less than"


@dataclass(frozen=True, slots=True)
class Arguments:
    """The ``kwargs`` of one instruction; every reader raises ``ValueError`` that names the instruction."""

    instruction_id: str
    given: Mapping[str, object]

    def count(self, name: str) -> int:
        """Return a whole number of at least 0; a float such as 3.0, as table files have it, is one."""
        value = self.given.get(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._fault(name, "a whole number")
        return value

    def text(self, name: str) -> str:
        """Return a text that is not blank."""
        value = self.given.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self._fault(name, "a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return one or more texts, none of them blank."""
        value = self.given.get(name)
        if not isinstance(value, list) or not value:
            raise self._fault(name, "a list of texts")
        if not all(isinstance(text, str) and text.strip() for text in value):
            raise self._fault(name, "a list of texts")
        return tuple(value)

    def threshold(self, relation: str, count: str) -> Callable[[int], bool]:
        """Return the test of a number that ``relation`` ("at least", "less than") and ``count`` ask for."""
        least = self.count(count)
        asked = self.given.get(relation)
        if asked == AT_LEAST:
            return lambda found: found >= least
        if asked == LESS_THAN:
            return lambda found: found < least
        raise self._fault(relation, f"{AT_LEAST!r} or {LESS_THAN!r}")

    def _fault(self, name: str, wanted: str) -> ValueError:
        return ValueError(
            f"instruction {self.instruction_id}: {name!r} must be {wanted}, not {self.given.get(name)!r}"
        )
