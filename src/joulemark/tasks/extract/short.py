"""A word or a few as the answer of a reply."""

from __future__ import annotations

import re

from joulemark.tasks.extract.found import Extraction, Rule
from joulemark.tasks.extract.marker import boxed, declines, hashes, json_answers, line_end, phrases
from joulemark.tasks.extract.visible import visible_part

MAX_WORDS = 4
MAX_LENGTH = 200
_EDGE = re.compile(r"^(?:[^\w$€£¥₹%+-]|_)+|(?:[^\w%)+°]|_)+$")
_ARTICLE = re.compile(r"^(?:the|an|a) ", re.IGNORECASE)
_WRAPPED = re.compile(r"^\\(?:text|textbf|mathrm)\{([^{}]*)\}$")
# "The opposite of hot is cold.": what follows the last verb of the first sentence.
_VERB = re.compile(r"\b(?:is|are|was|were|called|means)\b:?\s", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n")


def trimmed(text: str) -> str:
    """Return ``text`` without quotes, marks and full stops around it, its white space single."""
    text = " ".join(text.split())
    if wrapped := _WRAPPED.match(text):
        text = wrapped[1]
    before = None
    while before != text:
        before, text = text, _EDGE.sub("", text)
    return text


def same_text(text: str) -> str:
    """Return the form in which two short texts are compared: trimmed, no leading article, case folded."""
    return _ARTICLE.sub("", trimmed(text)).casefold()


def _place(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where the trimmed text of ``[start, end)`` stands, if it is one to four words."""
    piece = text[start:end]
    words = trimmed(piece)
    if not words or len(words) > MAX_LENGTH or len(words.split()) > MAX_WORDS:
        return None
    first, last = words.split()[0], words.split()[-1]
    begin = piece.find(first)
    return start + begin, start + piece.rfind(last) + len(last)


def _sentence_end(text: str, start: int, stop: int) -> int:
    found = _SENTENCE_END.search(text, start, stop)
    return found.start() if found else stop


def _find(text: str) -> tuple[tuple[int, int], Rule] | None:
    for marks in (json_answers(text), boxed(text), hashes(text), phrases(text)):
        for mark in reversed(marks):
            start = mark.start + len(text[mark.start : mark.end]) - len(text[mark.start : mark.end].lstrip())
            end = _sentence_end(text, start, mark.end) if mark.rule in (Rule.HASH, Rule.PHRASE) else mark.end
            if place := _place(text, start, end):
                return place, mark.rule
    if declines(text):
        return None
    start = len(text) - len(text.lstrip())
    end = line_end(text, start, len(text))
    if place := _place(text, start, end):
        return place, Rule.LINE
    end = _sentence_end(text, start, end)
    verbs = list(_VERB.finditer(text, start, end))
    if verbs and (place := _place(text, verbs[-1].end(), end)):
        return place, Rule.SENTENCE
    return None


def extract_short_text(answer: str) -> Extraction:
    """Find the short text (at most four words) that ``answer`` gives; never raises."""
    visible = visible_part(answer)
    found = _find(visible.text)
    if found is None:
        return Extraction(open_thinking=visible.open_thinking)
    (start, end), rule = found
    value = " ".join(visible.text[start:end].split())
    return Extraction(value, rule, visible.span(start, end), visible.open_thinking, visible.is_last(end))
