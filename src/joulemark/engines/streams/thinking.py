"""Thinking that a server without a reasoning parser leaves inside the content, between tags."""

from __future__ import annotations

from typing import NamedTuple

_PAIRS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))


class Split(NamedTuple):
    """Content taken apart: the thinking, and the answer from character ``start`` of the content on."""

    reasoning: str
    start: int


def split_thinking(content: str, *, reasoning_known: bool) -> Split | None:
    """Take leading thinking off ``content``; null where there is none.

    Thinking without its closing tag reaches to the end: the answer never began. A closing tag alone ends
    thinking that a chat template opened inside the prompt, unless the server separates thinking itself
    (``reasoning_known``) or the tag is quoted.
    """
    parts: list[str] = []
    start = 0
    while (pair := _opened(content, begin := _skip_blank(content, start))) is not None:
        opening, closing = pair
        end = content.find(closing, begin + len(opening))
        parts.append(content[begin + len(opening) : end if end >= 0 else None])
        start = len(content) if end < 0 else end + len(closing)
    if not parts and not reasoning_known:
        for _, closing in _PAIRS:
            end = content.find(closing)
            if end >= 0 and not content[:end].endswith("`"):
                parts.append(content[:end])
                start = end + len(closing)
                break
    if not parts:
        return None
    return Split("\n".join(part.strip() for part in parts), _skip_blank(content, start))


def _opened(content: str, begin: int) -> tuple[str, str] | None:
    return next((pair for pair in _PAIRS if content.startswith(pair[0], begin)), None)


def _skip_blank(content: str, start: int) -> int:
    while start < len(content) and content[start].isspace():
        start += 1
    return start
