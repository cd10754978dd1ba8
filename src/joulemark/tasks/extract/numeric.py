"""A number as the answer of a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from joulemark.tasks.extract.denial import is_placeholder
from joulemark.tasks.extract.doubt import Doubt, denial, is_compared, is_one_of_several
from joulemark.tasks.extract.found import Extraction, Rule
from joulemark.tasks.extract.marker import Mark, boxed, declines, hashes, json_answers, phrases
from joulemark.tasks.extract.number import MAX_DIGITS, Number, canonical, number_from, numbers
from joulemark.tasks.extract.spelled import last_spelled, leading_spelled
from joulemark.tasks.extract.visible import visible_part

_OPERATOR = re.compile(r"\s{0,3}(?:[-+*/×÷xX·]|\\times|\\div|\\cdot)\s{0,3}(?:\\?[$€£¥₹])?(?=[\d.\\-])")
_EQUALS = re.compile(r"\s{0,3}(?:\\?[%])?\s{0,3}=\s{0,3}(?:\\?[$€£¥₹])?(?=[\d.\\-])")
# "#### Step 2: Divide" and "#### 2. Divide" are headings; an answer follows its hashes directly.
_DIRECT = re.compile(r"[^\w\n.]{0,12}\.?(?:[A-Za-z]\s?=\s?)?(?:minus |negative )?$", re.IGNORECASE)
_LIST_MARK = re.compile(r"[.):]\*{0,2}\s{1,4}\S")
_REFERENCE = re.compile(
    r"\b(?:step|line|part|eq|equation|question|problem|example|figure|table|note|option|section|case|rule)s?"
    r"\.? ?[#(]?$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
# Signs after which a number or its equation may go on ("18." may become 18.5, "3 +" has no result yet).
_UNFINISHED = ".,+-/×÷=^"
_INSTEAD = re.compile(
    r"(?:\bbut|\bit is|\bit's|\bthat is|\bthat's|\bwhich is|\bi\.e\.|\bequals|=)"
    r"(?: rather| actually| simply)?,?"
    r"[\s*_$\"'(\\]{0,6}$",
    re.IGNORECASE,
)
_TAIL = 4 * MAX_DIGITS
_ASIDE = re.compile(r"[^\d(\[\n]{0,80}?(?:[(\[]|\bi\.e\.|\bthat is\b|\bor\b)")


def _result(text: str, number: Number, end: int) -> Number:
    """Follow ``3 + 4 = 7``: where an equation begins at ``number``, its last right side is meant."""
    result, at = number, number.end
    while True:
        operator = _OPERATOR.match(text, at, end)
        equals = None if operator else _EQUALS.match(text, at, end)
        step = operator or equals
        if step is None:
            return result
        following, at = number_from(text, step.end(), end)
        if following is None or following.start > step.end():
            return result
        if equals and not _OPERATOR.match(text, at, end):
            result = following


def _goes_on(text: str, number: Number, end: int) -> Number | None:
    """Return the number that "but 17" or "that is 17" after a denied or compared number gives instead."""
    following, _ = number_from(text, number.end, end)
    if following and _INSTEAD.search(text, number.end, following.start):
        return following
    return None


def _in_scope(text: str, mark: Mark) -> Number | Doubt | None:
    """Read what stands at a marker; a doubt where it gives no answer, null where it says nothing of one."""
    if is_placeholder(text, mark.start, mark.end):
        return Doubt.EMPTY
    if mark.rule is Rule.BOXED and not text[mark.start : mark.end].strip():
        return Doubt.EMPTY
    number = next(numbers(text, mark.start, mark.end), None)
    if number is None:
        return leading_spelled(text, mark.start, mark.end)
    if mark.rule is Rule.HASH and (
        not _DIRECT.match(text, mark.start, number.start) or _LIST_MARK.match(text, number.end, mark.end)
    ):
        return None
    if denial(text, mark.start, number):
        return _goes_on(text, number, mark.end) or Doubt.DENIED
    if is_compared(text, number, mark.end):
        _, compared = number_from(text, number.end, mark.end)
        return _goes_on(text, replace(number, end=compared), mark.end) or Doubt.DENIED
    if is_one_of_several(text, mark.start, number, mark.end, is_marked=True):
        return Doubt.SEVERAL
    return _result(text, number, mark.end)


def _leading_number(text: str, first: int) -> Number | None:
    """Return the number that the last line begins with, where only a unit or an aside follows it."""
    body = text.rstrip()
    start = max(first, body.rfind("\n") + 1)
    number = next(numbers(body, start), None)
    if number is None or any(c.isalnum() for c in body[start : number.start]):
        return None
    rest = number.end
    if is_compared(body, number, len(body)) or is_one_of_several(
        body, start, number, len(body), is_marked=False
    ):
        return None
    if _LIST_MARK.match(body, rest) or _OPERATOR.match(body, rest) or _EQUALS.match(body, rest):
        return None
    has_more = next(numbers(body, rest), None) is not None
    return number if not has_more or _ASIDE.match(body, rest) else None


def _is_incidental(text: str, line: int, number: Number) -> bool:
    """Tell whether the number only counts something of the text: a list mark, "step 2", "3rd"."""
    before = text[max(line, number.start - 16) : number.start]
    is_list_mark = not before.strip(" \t*#>-") and _LIST_MARK.match(text, number.end)
    return bool(is_list_mark or _REFERENCE.search(before) or _ORDINAL.match(text, number.end))


def _undoubted(text: str, line: int, found: Sequence[Number]) -> Number | Doubt:
    """Return the last number of a line; a doubt where it is denied or one of several."""
    for at in range(len(found) - 1, -1, -1):
        number = found[at]
        doubt = denial(text, line, number)
        if doubt is Doubt.CONTRASTED and at:
            continue
        if at and is_one_of_several(text, line, found[at - 1], number.end, is_marked=False):
            return Doubt.SEVERAL
        return doubt or number
    return Doubt.DENIED


def _last_number(text: str, first: int) -> Number | Doubt | None:
    end = len(text)
    while end >= first:
        line = max(first, text.rfind("\n", 0, end) + 1)
        # A tail is enough for a long line, unless its last number may have begun before the tail.
        for start in (max(line, end - _TAIL), line):
            found = [n for n in numbers(text, start, end) if not _is_incidental(text, line, n)]
            if found and (start == line or found[-1].start > start + _TAIL // 2):
                return _undoubted(text, line, found)
        end = line - 1
    return None


def _marked(text: str) -> tuple[Number | Doubt, Mark] | None:
    """Return what the last marker that says anything gives."""
    marks = sorted((*boxed(text), *hashes(text), *phrases(text)), key=lambda mark: mark.start)
    for mark in reversed(marks):
        if (found := _in_scope(text, mark)) is not None:
            return found, mark
    return None


def _find(text: str) -> tuple[Number, Rule] | None:
    answers = json_answers(text)
    if answers:  # the format has a place for the answer: what is not there is not given
        number = _in_scope(text, answers[-1])
        return (number, Rule.JSON) if isinstance(number, Number) else None
    first = 0
    if marked := _marked(text):
        found, mark = marked
        if isinstance(found, Number):
            return found, mark.rule
        if found is not Doubt.EMPTY:
            return None
        first = mark.end  # the numbers before an empty place are those of the prompt that is repeated
    return _unmarked(text, first)


def _unmarked(text: str, first: int) -> tuple[Number, Rule] | None:
    if number := _leading_number(text, first):
        return number, Rule.LINE
    if declines(text):
        return None
    if last := _last_number(text, first):
        return (last, Rule.LAST) if isinstance(last, Number) else None
    if not any(c.isdigit() for c in text) and (spelled := last_spelled(text)):
        return None if spelled.start < first or denial(text, first, spelled) else (spelled, Rule.WORD)
    return None


def extract_number(answer: str) -> Extraction:
    """Find the number that ``answer`` gives as its result; never raises.

    ``value`` is canonical, so that equal numbers have equal values.
    """
    visible = visible_part(answer)
    found = _find(visible.text)
    if found is None:
        return Extraction(open_thinking=visible.open_thinking)
    number, rule = found
    return Extraction(
        canonical(number.value),
        rule,
        visible.span(number.start, number.end),
        visible.open_thinking,
        visible.is_last(number.end, also=_UNFINISHED),
    )
