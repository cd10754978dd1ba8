"""A formula, a number or a few words as the answer of a reply to a mathematical question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from joulemark.tasks.extract.found import Extraction, Rule
from joulemark.tasks.extract.marker import Mark, boxed, declines, hashes, json_answers, phrases
from joulemark.tasks.extract.segments import Segment, joined_segments, segments
from joulemark.tasks.extract.visible import visible_part

MAX_LENGTH = 1000
"""A longer text is no answer."""
MAX_WORDS = 4

_EDGES = " \t\n*_\"'`:.,;"
_LEAD = re.compile(
    r"(?:[\s*_\"'`:=]|\b(?:the|that|then|thus|therefore|simply|just|exactly|now|number|value|simplified"
    r"|interval|point|set|vector|matrix)\b){0,16}+",
    re.IGNORECASE,
)
# Where an answer in plain text ends: its sentence, an aside, the reason for it.
_STOP = re.compile(
    r"(?<!\\)[.!?](?=\s|$|[*_\"'])|(?<=[\d)}\]])\.(?=[A-Z])|\n|\s\((?=[^()\n]{0,3}[a-z]{2})|;\s"
    r"|,?\s(?:because|since|as|so|which|where|when|for|if|by|from|after|that is|i\.e\.)(?![\w])"
    r"|,\s(?!and\b|or\b)(?=[A-Za-z]{2,})|\s-\s(?=[a-z]{2})"
)
# "12 apples in every basket": a value, its unit, and more.
_UNIT = re.compile(
    r"(?<=[\d)}\]])[^\S\n]{1,3}(?!(?:and|or|pi|sqrt|sin|cos|tan|log|ln)\b)"
    r"(?:(?:square|cubic|sq\.) )?[A-Za-z]{2,20}(?:\^\{?[23]\}?)?(?![\w(=^])"
)
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_IN_TEXT = re.compile(r"\\(?:text\w*|mbox|mathrm|begin|end|operatorname)\s?\{[^{}]*\}")
_SAYS = re.compile(r"(?:\b(?:is|are|equals|be|get|gives|obtain)\b|=)[^\S\n]{0,3}", re.IGNORECASE)

Place = tuple[int, int]


def _stripped(text: str, start: int, end: int) -> Place | None:
    """Return ``[start, end)`` without marks around it; null where nothing, or far too much, is left."""
    while start < end and (text[start] in _EDGES and not _is_decimal(text, start)):
        start += 1
    while end > start and text[end - 1] in _EDGES and not (text[end - 1] == " " and text[end - 2] == "\\"):
        end -= 1
    return (start, end) if start < end <= start + MAX_LENGTH else None


def _is_decimal(text: str, at: int) -> bool:
    return text[at] == "." and text[at + 1 : at + 2].isdigit()


def _is_answer(text: str, place: Place) -> bool:
    """Tell whether the text at ``place`` is a formula or a few words, and no sentence."""
    words = len(_WORD.findall(_IN_TEXT.sub("", text[slice(*place)])))
    return words <= MAX_WORDS


def _plain(text: str, start: int, end: int) -> Place | None:
    """Return the answer that a sentence goes on with at ``start``."""
    lead = _LEAD.match(text, start, end)
    start = lead.end() if lead else start
    stop = _STOP.search(text, start, end)
    end = stop.start() if stop else end
    unit = _UNIT.search(text, start, min(end, start + MAX_LENGTH))
    place = _stripped(text, start, unit.end() if unit else end)
    return place if place and _is_answer(text, place) else None


def _in_field(text: str, mark: Mark, formulas: Sequence[Segment]) -> Place | None:
    """Read what stands at a marker."""
    if mark.rule in (Rule.JSON, Rule.BOXED):
        return _stripped(text, mark.start, mark.end)
    here = [segment for segment in formulas if mark.start <= segment.start < mark.end]
    if here and not any(char.isdigit() for char in text[mark.start : here[0].start]):
        joined = joined_segments(text, here)
        return _stripped(text, joined[0].inner_start, joined[-1].inner_end)
    return _plain(text, mark.start, mark.end)


def _last_line(text: str) -> Place | None:
    end = len(text.rstrip())
    return (text.rfind("\n", 0, end) + 1, end) if end else None


def _unmarked(text: str, formulas: Sequence[Segment]) -> tuple[Place, Rule] | None:
    line = _last_line(text)
    if line is None:
        return None
    start, end = line
    here = [segment for segment in formulas if segment.end > start]
    if here:
        joined = joined_segments(text, here[::-1])[::-1]
        place = _stripped(text, joined[0].inner_start, joined[-1].inner_end)
        return (place, Rule.FORMULA) if place else None
    place = _stripped(text, start, end)
    if place and _is_answer(text, place):
        return place, Rule.LINE
    said = [verb.end() for verb in _SAYS.finditer(text, max(start, end - MAX_LENGTH), end)]
    place = _plain(text, said[-1], end) if said else None
    return (place, Rule.SENTENCE) if place else None


def _find(text: str) -> tuple[Place, Rule] | None:
    formulas = segments(text)
    if answers := json_answers(text):
        place = _in_field(text, answers[-1], formulas)
        return (place, Rule.JSON) if place else None
    for marks in (boxed(text), hashes(text), phrases(text)):
        for mark in reversed(marks):
            if place := _in_field(text, mark, formulas):
                return place, mark.rule
    # An empty box is a place for the answer with none in it; what else stands there is not given as one.
    return None if boxed(text) or declines(text) else _unmarked(text, formulas)


def extract_formula(answer: str) -> Extraction:
    """Find the formula that ``answer`` gives as its result; never raises.

    What is marked, else the last formula (``$…$``, ``\\(…\\)``, ``\\[…\\]``) of the last line, else that line
    where it is no sentence. ``value`` is the text as it stands, its white space single.
    """
    visible = visible_part(answer)
    found = _find(visible.text)
    if found is None:
        return Extraction(open_thinking=visible.open_thinking)
    (start, end), rule = found
    value = " ".join(visible.text[start:end].split())
    if rule is Rule.JSON:
        value = value.replace("\\\\", "\\")  # a backslash is written twice in JSON
    return Extraction(
        value, rule, visible.span(start, end), visible.open_thinking, visible.is_last(end, also=_EDGES)
    )
