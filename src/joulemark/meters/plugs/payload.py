"""What a device wrote as JSON: parsed within limits, numbers kept with the digits that were written.

The digits matter, for they are the step of the register (`written.step`): ``3.700`` counts in thousandths,
``3.7`` may not.
"""

from __future__ import annotations

import contextlib
import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any

from joulemark.meters.http.answer import Answer
from joulemark.meters.http.deadline import Unanswered

MAX_DEPTH = 20
_MAX_DIGITS = 32
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?")
_LARGEST = 10**15  # no meter counts so far; what is larger is no reading
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def json_object(answer: Answer) -> dict[str, Any]:
    """Return the JSON object in a body; raises `Unanswered` (``not_json``) for anything else."""
    content = json_value(answer)
    if not isinstance(content, dict):
        raise Unanswered("not_json")
    return content


def json_value(answer: Answer) -> Any:
    """Return the JSON value in a body; raises `Unanswered` (``not_json``).

    Numbers with a point are `Decimal`. NaN, Infinity, endless numbers and deep nesting are refused.
    """
    try:
        depth = deepest = 0
        for token in _TOKENS.findall(answer.body):
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token, 0)
            deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            raise ValueError("too deep")
        return json.loads(
            answer.body.decode("utf-8"), parse_float=_decimal, parse_int=_whole, parse_constant=_refused
        )
    except (ValueError, RecursionError) as error:
        raise Unanswered("not_json") from error


def member(content: object, *path: str) -> Any:
    """Return what lies at ``path`` in nested objects; null where any part of it is missing."""
    for name in path:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def number(value: object) -> Decimal | None:
    """Return a JSON number as it was written; null for anything else, text and truth values included."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    exact = Decimal(value)
    return exact if abs(exact) < _LARGEST else None


def number_in(value: object) -> Decimal | None:
    """Like `number`, and also for text that is a plain decimal number and nothing else."""
    if not isinstance(value, str):
        return number(value)
    text = value.strip()
    if not _NUMBER.fullmatch(text):
        return None
    with contextlib.suppress(ValueError):
        return number(_decimal(text))
    return None


def plain(text: object, longest: int = 40) -> str | None:
    """Return a device's text where it is a short word of letters, digits and ``-._ ``; else null."""
    if isinstance(text, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]*", text) and len(text) <= longest:
        return text
    return None


def _decimal(text: str) -> Decimal:
    if len(text) > _MAX_DIGITS:
        raise ValueError("too many digits")
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError("no number") from None
    if not value.is_finite() or not -30 <= value.adjusted() <= 30:
        raise ValueError("out of range")
    return value


def _whole(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError("too many digits")
    return int(text)


def _refused(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")
