"""Where a model that plays both sides begins the next few-shot question, or the next chat turn.

A reply that *starts* with the word only repeats what it was asked, so there must be something before it.
"""

from __future__ import annotations

import re

_ON_A_LINE = re.compile(
    r"\n[*#_> \t]{0,8}(?:Question|Q|Human|User)(?:\s?\d{1,4})?[*_]{0,2}\s?:"  # its newline is found fast
)
_IN_A_SENTENCE = re.compile(r"Question(?:\s?\d{1,4})?:")


def _after_line(text: str, start: int, end: int) -> int | None:
    """Return where the text before the first turn on a line of its own ends."""
    for turn in _ON_A_LINE.finditer(text, start, end):
        at = turn.start()
        while at > start and text[at - 1].isspace():
            at -= 1
        if at > start:
            return at
    return None


def _after_sentence(text: str, start: int, end: int) -> int | None:
    """Return where the sentence before the first turn on the same line ends."""
    for turn in _IN_A_SENTENCE.finditer(text, start, end):
        at = turn.start()
        while at > start and text[at - 1] != "\n" and text[at - 1].isspace():
            at -= 1
        if at == turn.start() or at < start + 2 or text[at - 2].isspace():
            continue
        if text[at - 1] in ".!?)}]" or text[at - 1].isdecimal():
            return at
    return None


def next_turn(text: str, start: int = 0, end: int | None = None) -> int | None:
    """Return where the answer in ``text[start:end]`` ends because a next question begins, or null."""
    end = len(text) if end is None else end
    cuts = (_after_line(text, start, end), _after_sentence(text, start, end))
    return min((cut for cut in cuts if cut is not None), default=None)
