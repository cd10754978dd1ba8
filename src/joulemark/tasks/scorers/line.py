"""Lines of text as answers: sorted words, closing brackets, lists of things."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.tasks.extract import Extraction, extract_line
from joulemark.tasks.extract.visible import folded
from joulemark.tasks.scorers.grade import gold_of, grade
from joulemark.tasks.task import Question, Score

_QUOTES = ('"', "'", "`", "**", "*", "$")
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def _is_enclosed(text: str) -> bool:
    """Tell whether the bracket that begins ``text`` is closed by the one that ends it."""
    opening, closing = text[0], _BRACKETS.get(text[0])
    if closing is None or text[-1] != closing:
        return False
    depth = 0
    for at, char in enumerate(text):
        depth += (char == opening) - (char == closing)
        if depth == 0:
            return at == len(text) - 1
    return False


def _unwrapped(text: str, *, has_words: bool) -> str:
    """Return ``text`` without one pair of quotes or brackets around it, or without its final period.

    Brackets that are themselves the answer (a text without words) stay.
    """
    if len(text) > 1 and text[-1] == ".":
        return text[:-1].rstrip()
    for quote in _QUOTES:
        if len(text) > 2 * len(quote) and text.startswith(quote) and text.endswith(quote):
            return text[len(quote) : -len(quote)].strip()
    if has_words and len(text) > 2 and _is_enclosed(text):
        return text[1:-1].strip()
    return text


def same_line(text: str, *, keep_commas: bool) -> str:
    """Return the form in which two lines are compared.

    Case, white space, quotes and brackets around the whole and a final period do not count; nor do commas
    between words unless ``keep_commas``. In a text without words white space does not count at all.
    """
    text = folded(text).casefold()
    if not keep_commas:
        text = text.replace(",", " ")
    has_words = any(char.isalnum() for char in text)
    text = " ".join(text.split()) if has_words else "".join(text.split())
    before = None
    while before != text:
        before, text = text, _unwrapped(text, has_words=has_words)
    return text


@dataclass(frozen=True, slots=True)
class LineScorer:
    """Compares lines exactly, up to case, white space, quotes, brackets around the whole and final period.

    Commas and spaces between words are alike where the reference has no comma.
    """

    def extract(self, question: Question, answer: str) -> Extraction:
        """Find the line that ``answer`` gives."""
        return extract_line(answer)

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a reference."""
        reference = gold_of(question)
        keep_commas = "," in reference
        gold = same_line(reference, keep_commas=keep_commas)
        return grade(
            self.extract(question, answer),
            is_right=lambda value: same_line(value, keep_commas=keep_commas) == gold,
            finish_reason=finish_reason,
            refusal=refusal,
            answer=answer,
        )
