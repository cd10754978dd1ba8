"""The form that a reply must have: bullets, highlights, sections, JSON, a title, a fixed answer."""

from __future__ import annotations

import json
import re

from joulemark.tasks.instructions.arguments import Arguments, Check

_BULLET = re.compile(r"^[^\S\n]*+[*+-][^\S\n](?![*_ \t-]*$)[^\S\n]*+\S", re.MULTILINE)
_HIGHLIGHT = re.compile(r"(?<!\*)(\*{1,3})(?=[^\s*])[^*\n]++(?<!\s)\1(?!\*)")
_TITLE = re.compile(r"<<([^<>\n]*+)>>")
_FENCED = re.compile(r"```\w*\s*\n?(?P<inner>.*)```", re.DOTALL)
_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


def number_bullet_lists(arguments: Arguments) -> Check:
    """There are exactly so many markdown bullets, lines that start with ``*``, ``-`` or ``+`` and a space.

    Nested bullets count, numbered items and rules ("---", "* * *") do not; the publication counts "---".
    """
    wanted = arguments.count("num_bullets")
    return lambda reply: sum(1 for _ in _BULLET.finditer(reply)) == wanted


def number_highlighted_sections(arguments: Arguments) -> Check:
    """There are at least so many stretches in markdown emphasis, ``*so*`` or ``**so**``, each on one line."""
    wanted = arguments.count("num_highlights")
    return lambda reply: sum(1 for _ in _HIGHLIGHT.finditer(reply)) >= wanted


def multiple_sections(arguments: Arguments) -> Check:
    """At least so many lines start with the marker, in any case, and a number in digits or Roman capitals."""
    wanted = arguments.count("num_sections")
    marker = re.escape(arguments.text("section_spliter").strip())
    pattern = re.compile(
        rf"^[^\S\n]*+[>#*_\"'“(\[-]{{0,8}}[^\S\n]*+[*_\"“]{{0,4}}(?i:{marker})[^\S\n]*+(?:\d++|[IVXLC]++)(?!\w)",
        re.MULTILINE,
    )
    return lambda reply: sum(1 for _ in pattern.finditer(reply)) >= wanted


def json_format(arguments: Arguments) -> Check:
    """The whole reply is one JSON value, bare or in one code fence."""
    return _is_json


def _is_json(reply: str) -> bool:
    fenced = _FENCED.fullmatch(reply)
    try:
        json.loads(fenced["inner"] if fenced else reply, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


def title(arguments: Arguments) -> Check:
    """There is a title in double angular brackets on one line, and it is not blank."""
    return lambda reply: any(inner.strip() for inner in _TITLE.findall(reply))


def constrained_response(arguments: Arguments) -> Check:
    """The reply contains one of three fixed answers ("My answer is yes.", no, maybe) and none of the others.

    The publication lets a reply pass that gives several of them.
    """
    return lambda reply: sum(answer in reply for answer in _ANSWERS) == 1
