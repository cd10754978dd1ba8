"""A line of text as the answer of a reply: words in an order, closing brackets, a list of things."""

from __future__ import annotations

import re
from collections.abc import Iterator

from joulemark.tasks.extract.found import Extraction, Rule
from joulemark.tasks.extract.marker import boxed, declines, hashes, json_answers, line_end, phrases
from joulemark.tasks.extract.visible import visible_part

MAX_LENGTH = 2000
"""A longer line is no answer."""

_EDGE = " \t*_"
_FENCE = re.compile(r"\s*```")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z])")
_TITLE = re.compile(
    r"\s*[*_#\s]{0,8}(?:the )?(?:final |sorted |complete |completed )?"
    r"(?:list|words|output|result|sequence|order|solution)(?: (?:is|are))?[*_]{0,2}\s?[:=]",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\\(?:text|textbf|mathrm|texttt)\{([^{}]*)\}")

Place = tuple[int, int]


def _stripped(text: str, start: int, end: int) -> Place | None:
    """Return ``[start, end)`` without white space and emphasis around it, null where nothing is left."""
    while start < end and (text[start] in _EDGE or text[start].isspace()):
        start += 1
    while end > start and (text[end - 1] in _EDGE or text[end - 1].isspace()):
        end -= 1
    return (start, end) if start < end <= start + MAX_LENGTH else None


def _lines(text: str, start: int, end: int) -> Iterator[Place]:
    """Yield the lines of ``text[start:end]`` that hold something; fences of code blocks are none."""
    while start < end:
        stop = line_end(text, start, end)
        if not _FENCE.match(text, start, stop) and (place := _stripped(text, start, stop)):
            yield place
        start = stop + 1


def _marked(text: str) -> tuple[Place, Rule] | None:
    for marks in (json_answers(text), boxed(text), hashes(text), phrases(text)):
        for mark in reversed(marks):
            place = next(_lines(text, mark.start, mark.end), None)
            if place is None:
                continue
            if wrapped := _WRAPPED.fullmatch(text, *place):
                place = _stripped(text, *wrapped.span(1)) or place
            if mark.rule in (Rule.HASH, Rule.PHRASE) and (stop := _SENTENCE_END.search(text, *place)):
                place = place[0], stop.start() + 1
            return place, mark.rule
    return None


def _find(text: str) -> tuple[Place, Rule] | None:
    if found := _marked(text):
        return found
    if declines(text):
        return None
    last, count = None, 0
    for place in _lines(text, 0, len(text)):
        last, count = place, count + 1
    if last is None:
        return None
    title = _TITLE.match(text, *last)
    body = _stripped(text, title.end(), last[1]) if title else None
    return body or last, Rule.LINE if count == 1 else Rule.LAST


def extract_line(answer: str) -> Extraction:
    """Find the line that ``answer`` gives: what is marked, else its only line, else its last; never raises.

    ``value`` is the line as it stands, its white space single.
    """
    visible = visible_part(answer)
    found = _find(visible.text)
    if found is None:
        return Extraction(open_thinking=visible.open_thinking)
    (start, end), rule = found
    value = " ".join(visible.text[start:end].split())
    return Extraction(value, rule, visible.span(start, end), visible.open_thinking, visible.is_last(end))
