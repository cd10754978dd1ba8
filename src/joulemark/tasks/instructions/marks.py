"""Signs that come in several forms and mean one thing: quotation marks, and dividers made of asterisks."""

from __future__ import annotations

import re

_STRAIGHT = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"', "\u00a0": " "}
)
_MAY_PRECEDE_EMPHASIS = frozenset("\"'“‘([{")


def plain(text: str) -> str:
    """Return the text as it is compared: without case, straight quotation marks, single spaces."""
    return " ".join(text.translate(_STRAIGHT).casefold().split())


def divided(text: str, asterisks: int) -> tuple[str, ...]:
    """Return the parts of ``text`` between dividers, runs of exactly so many asterisks; parts are stripped.

    A divider before the first or behind the last part is let pass; an empty part between two others stays.
    ``***both bold and italic***`` on one line is emphasis and divides nothing.
    """
    runs = list(re.finditer(rf"(?<!\*)\*{{{asterisks}}}(?!\*)", text))
    parts, start, at = [], 0, 0
    while at < len(runs):
        if asterisks == 3 and at + 1 < len(runs) and _is_emphasis(text, runs[at], runs[at + 1]):
            at += 2
            continue
        parts.append(text[start : runs[at].start()].strip())
        start, at = runs[at].end(), at + 1
    parts.append(text[start:].strip())
    if len(parts) > 1 and not parts[0]:
        parts = parts[1:]
    if len(parts) > 1 and not parts[-1]:
        parts = parts[:-1]
    return tuple(parts)


def _is_emphasis(text: str, left: re.Match[str], right: re.Match[str]) -> bool:
    inner = text[left.end() : right.start()]
    before = text[left.start() - 1 : left.start()] if left.start() else ""
    after = text[right.end() : right.end() + 1]
    return (
        inner == inner.strip()
        and "\n" not in inner
        and (not before or before.isspace() or before in _MAY_PRECEDE_EMPHASIS)
        and not after.isalnum()
    )
