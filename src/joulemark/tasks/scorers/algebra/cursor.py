"""A place in a row of tokens, and the reading of what needs no tree: units, subscripts."""

from __future__ import annotations

from joulemark.tasks.scorers.algebra.tokens import Token
from joulemark.tasks.scorers.algebra.tree import NotUnderstood
from joulemark.tasks.scorers.algebra.units import unit_of

MAX_DEPTH = 48
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
_BASES = {word: str(value) for value, word in enumerate(_SMALL.split())}
_VERDICTS = frozenset({"wrong", "incorrect", "false", "not"})
END = Token("end", "")


class Cursor:
    """Goes through tokens from left to right; ``units`` are those that it came by."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = [*tokens, END]
        self.at = self.depth = 0
        self.units: set[str] = set()

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self.at]

    def is_sign(self, *signs: str) -> bool:
        """Tell whether the next token is one of these signs."""
        return self.token.kind == "sign" and self.token.text in signs

    def take(self, *signs: str) -> bool:
        """Pass over the next token if it is one of these signs."""
        if not self.is_sign(*signs):
            return False
        self.at += 1
        return True

    def want(self, sign: str) -> None:
        """Pass over a sign that must come; raises `NotUnderstood`."""
        if not self.take(sign):
            raise NotUnderstood(f"{sign} is missing")

    def deeper(self) -> None:
        """Count one level more; raises `NotUnderstood` beyond the deepest."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotUnderstood("it is nested too deeply")

    def skip_units(self) -> bool:
        """Pass over words behind a value: known units are kept, others ("apples") say nothing."""
        start = self.at
        while self.token.kind == "text":
            words = [self.token.text]
            self.at += 1
            while self.token.kind == "text":
                words.append(self.token.text)
                self.at += 1
            if _VERDICTS.intersection(word.lower() for part in words for word in part.split()):
                raise NotUnderstood("a verdict on the value is no unit")
            known = (unit_of(" ".join(words)), *map(unit_of, words))  # "square inches", "degrees exactly"
            unit = next((found for found in known if found), None)
            if self.is_sign("^"):
                unit = self._unit_power(unit)
            if unit:
                self.units.add(unit)
        return self.at > start

    def _unit_power(self, unit: str | None) -> str | None:
        self.at += 1
        is_braced = self.take("{")
        power = self.token
        if power.kind != "number":
            raise NotUnderstood("a unit has no power")
        self.at += 1
        if is_braced:
            self.want("}")
        return f"{unit}^{power.text}" if unit else None

    def suffix(self) -> str:
        """Return subscripts and primes behind a name."""
        suffix = ""
        while self.is_sign("_", "'"):
            if self.take("'"):
                suffix += "'"
                continue
            self.at += 1
            braced = self.take("{")
            parts = []
            while self.token.kind in ("number", "name", "text"):
                parts.append(_BASES.get(self.token.text.lower(), self.token.text))
                self.at += 1
                if not braced:
                    break
            if not parts:
                raise NotUnderstood("a subscript is empty")
            if braced:
                self.want("}")
            suffix += "_" + "".join(parts)
        return suffix
