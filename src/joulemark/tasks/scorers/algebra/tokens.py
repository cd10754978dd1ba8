"""LaTeX or plain mathematical text as tokens: one alphabet for the many ways to write a sign."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from joulemark.tasks.extract.number import MAX_DIGITS
from joulemark.tasks.extract.visible import folded
from joulemark.tasks.scorers.algebra.signs import (
    FUNCTIONS,
    GREEK,
    JOINERS,
    NAMED,
    SIGNS,
    SKIPPED,
    SPACES,
    TEXTS,
    WRITTEN,
)
from joulemark.tasks.scorers.algebra.tree import NotUnderstood
from joulemark.tasks.scorers.algebra.units import is_short_unit, unit_of

MAX_LENGTH = 1000
"""A longer text is no answer and is not read as mathematics."""

_THOUSANDS = r"[1-9]\d{0,2}(?:(?:\{,\}|,\s?\\!\s?|\\[,;: ]|(?<=\d) (?=\d{3}(?!\d))%s)\d{3}){1,30}(?!\d)"
_NUMBER = re.compile(rf"(?:{_THOUSANDS % '|,'}|\d+)(?:\.\d+)?|\.\d+")
_NUMBER_IN_LIST = re.compile(rf"(?:{_THOUSANDS % ''}|\d+)(?:\.\d+)?|\.\d+")
_REPEATING = re.compile(r"\\overline\s?\{(\d{1,20})\}")
_COMMAND = re.compile(r"\\([A-Za-z]+|[\s\S])")
_BRACED = re.compile(r"\s*\{([^{}]*)\}")
_LETTERS = re.compile(r"[^\W\d_]+")
_DEGREES = re.compile(r"\^\s?\{?\s?\\circ\s?\}?|\\degree(?![a-zA-Z])|\\textdegree(?![a-zA-Z])")
# A reply in words, without \\text{}: "even", "Evelyn", "no solution".
_PLAIN_WORDS = re.compile(
    r"\s*(?=[^\W\d_]{0,99}?[^\W\d_]{3}|.*? [^\W\d_]{3})[^\W\d_](?:[^\W\d_]|[ '-](?! ))*\s*"
)
_WORDS_OF_MATHEMATICS = re.compile(r"\b(?:sin|cos|tan|cot|sec|csc|ln|log|exp|sqrt|pi|and|or|infinity)\b")
_NO_DELIMITER = re.compile(r"\\(?:left|right)\s?\.")
_IN_BASE = re.compile(r"\(([0-9A-F]{1,99})\)\s?_")
_SHORT_FRACTION = re.compile(r"\\([dtc]?frac|[dt]?binom)\s?(\d)\s?(?:(\d)|(?=[{\\a-zA-Z]))")


@dataclass(frozen=True, slots=True)
class Token:
    """``kind``: number, name, function, text, command (``frac``, ``sqrt``, ``begin``, …) or sign.

    ``value``: of a number; ``spaced``: white space stands before it.
    """

    kind: str
    text: str
    spaced: bool = False
    value: Fraction | None = None


class _Reader:
    def __init__(self, text: str, *, commas_group: bool) -> None:
        text = _SHORT_FRACTION.sub(
            lambda m: f"\\{m[1]}{{{m[2]}}}" + (f"{{{m[3]}}}" if m[3] else ""),
            _NO_DELIMITER.sub("", folded(text[: MAX_LENGTH + 1])),
        )
        text = _IN_BASE.sub(r"\1_", text)
        self._text = _DEGREES.sub(r"\\text{deg}", text).replace("°", "\\text{deg}").replace("√", "\\sqrt ")
        self._commas_group = commas_group
        self._depth = 0  # of brackets, inside which a comma separates
        self._at, self._spaced = 0, False
        self.tokens: list[Token] = []

    def read(self) -> list[Token]:
        if len(self._text) > MAX_LENGTH:
            raise NotUnderstood("it is too long")
        if _PLAIN_WORDS.fullmatch(self._text) and not _WORDS_OF_MATHEMATICS.search(self._text):
            return [Token("text", self._text)]
        while self._at < len(self._text):
            self._next()
        return self.tokens

    def _add(self, kind: str, text: str, value: Fraction | None = None) -> None:
        self._depth += (text in "([") - (text in ")]") if kind == "sign" else 0
        self.tokens.append(Token(kind, text, self._spaced, value))
        self._spaced = False

    def _next(self) -> None:
        text, at = self._text, self._at
        char = text[at]
        if number := (_NUMBER if self._commas_group and not self._depth else _NUMBER_IN_LIST).match(text, at):
            self._at = number.end()
            self._number(number[0])
        elif command := _COMMAND.match(text, at):
            self._at = command.end()
            self._command(command[1])
        elif letters := _LETTERS.match(text, at):
            self._at = letters.end()
            self._letters(letters[0])
        elif char.isspace() or char in "$~":
            self._at += 1
            self._spaced = True
        elif text.startswith("**", at):
            self._at += 2
            self._add("sign", "^")
        elif char == "%":
            self._at += 1
            self._add("text", "percent")
        else:
            self._at += 1
            written = "≠" if char == "≠" else SIGNS.get(char, char)
            if written not in "+-*/^_()[]{}|,;=<>≤≥≠∈±∓∪!&':∞∅":
                raise NotUnderstood(f"there is a {char!r}")
            self._add("name" if written in "∞∅" else "sign", written)

    def _number(self, written: str) -> None:
        if len(written) > MAX_DIGITS:
            raise NotUnderstood("a number is too long")
        digits = re.sub(r"[^\d.]", "", written)
        value = Fraction(digits if digits[0] != "." else "0" + digits)
        if "." in digits + self._text[self._at : self._at + 1]:
            start = self._at + (self._text[self._at : self._at + 1] == "." and "." not in digits)
            if repeating := _REPEATING.match(self._text, start):  # 0.1\overline{6}
                places = len(digits.partition(".")[2])
                period = Fraction(int(repeating[1]), 10 ** len(repeating[1]) - 1)
                value += period / 10**places
                self._at, digits = repeating.end(), ""
        self._add("number", digits, value)

    def _command(self, name: str) -> None:
        if name in TEXTS:
            braced = _BRACED.match(self._text, self._at)
            if not braced:
                raise NotUnderstood(f"\\{name} has no text")
            self._at = braced.end()
            self._words(braced[1])
        elif name in SKIPPED or name in SPACES:
            self._spaced = True
        elif name in WRITTEN:
            self._add("sign", WRITTEN[name])
        elif name in FUNCTIONS:
            self._add("function", name)
        elif name.endswith("frac"):
            self._add("command", "frac")
        elif name.endswith("binom"):
            self._add("command", "binom")
        elif name == "sqrt":
            self._add("command", name)
        elif name in ("begin", "end"):
            braced = _BRACED.match(self._text, self._at)
            if not braced or not braced[1].rstrip("*").endswith("matrix"):
                raise NotUnderstood("there is an environment")
            self._at = braced.end()
            if name == "begin" and self._text.startswith("{", self._at):
                raise NotUnderstood("there is an array")
            self._add("command", name)
        elif name in NAMED or name in GREEK:
            self._add("name", NAMED.get(name, name))
        elif name == "%":
            self._add("text", "percent")
        elif name == "$":
            self._add("text", "usd")
        else:
            raise NotUnderstood(f"\\{name} is not known")

    def _words(self, words: str) -> None:
        words = " ".join(words.split())
        inner = words.strip("()").strip()
        if words.lower() in JOINERS:
            self._add("sign", ",")
        elif inner in FUNCTIONS:
            self._add("function", inner)
        elif len(inner) == 1 and inner.isalpha() and unit_of(inner) is None:
            self._add("name", inner)
        elif words:
            self._add("text", words)

    def _letters(self, run: str) -> None:
        if run.lower() in ("and", "or"):
            self._add("sign", ",")
        elif run in FUNCTIONS:
            self._add("function", run)
        elif run == "sqrt":
            self._add("command", run)
        elif run.lower() in NAMED:
            self._add("name", NAMED[run.lower()])
        elif (self._spaced and self.tokens and len(run) > 2) or is_short_unit(run):
            self._add("text", run)
        else:
            for letter in run:
                self._add("name", letter)


def tokenize(text: str, *, commas_group: bool) -> list[Token]:
    """Return the tokens of ``text``; raises `NotUnderstood`.

    ``commas_group``: 1,234 outside brackets is one number, not two.
    """
    return _Reader(text, commas_group=commas_group).read()
