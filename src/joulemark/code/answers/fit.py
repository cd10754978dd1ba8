"""The longest beginning of a text that is Python, within a budget of parsing."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from joulemark.code.problems.syntax import NotPython, parse

_CHARS = 400_000
_MAX_CUTS = 40
_START = re.compile(
    r"^(?:from\s+[\w.]+\s+import\b|import\s+\w|(?:async\s+)?def\s+\w|class\s+\w|@\w"
    r"|[A-Za-z_][\w, ]*(?::[^=]*)?=(?!=)|(?:for|while|if|with)\s.+:|try:|print\()"
)
_MAX_STARTS = 30


@dataclass(slots=True)
class Budget:
    """How many characters may still be parsed for one answer: what is hostile must not hang the grader."""

    chars: int = _CHARS

    def parse(self, text: str) -> ast.Module:
        """Return the tree. Raises `NotPython`, also where the budget is spent."""
        self.chars -= len(text) + 1
        if self.chars < 0:
            raise NotPython("more was tried than one answer is worth")
        return parse(text)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text that parses, and its tree."""

    text: str
    tree: ast.Module


def fitted(text: str, budget: Budget) -> Fitted | None:
    """Return the text without its end from the line on that is no Python; null where nothing is left."""
    lines = text.split("\n")
    for _ in range(_MAX_CUTS):
        candidate = "\n".join(lines)
        if not candidate.strip():
            return None
        try:
            return Fitted(candidate, budget.parse(candidate))
        except NotPython as error:
            if error.line is None:
                return None
            del lines[max(0, min(error.line, len(lines)) - 1) :]
            while lines and not lines[-1].strip():
                lines.pop()
    return None


def starts_of(text: str) -> list[str]:
    """Return the ends of a text that begin at a line on which a program may begin, the longest first."""
    lines = text.split("\n")
    numbers = [number for number, line in enumerate(lines) if _START.match(line)][:_MAX_STARTS]
    return ["\n".join(lines[number:]) for number in numbers]
