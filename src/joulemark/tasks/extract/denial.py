"""Words by which a reply denies its answer, takes it back, or leaves a place for one empty."""

from __future__ import annotations

import re

# "It is not the case that the answer is …": nothing is answered.
DENIED_CLAIM = (
    r"(?:\bnot|n't) (?:the case|true|correct|right|so|clear|certain|likely|sure) that"
    r" (?:the |my |our )?(?:final |correct |right )?"
)
_CLAIM = re.compile(rf"{DENIED_CLAIM}$", re.IGNORECASE)
_LOOK_BACK = 64
# A correction begins a sentence or a clause: "Cells actually wait for …" takes nothing back.
_CORRECTION = re.compile(
    r"(?:^|[.!?,;:\n(*-])[^\S\n]{0,3}(?:(?:oh|hmm|oops|but|or|and|no)\b[,.]{0,3} ?)?"
    r"(?:wait|actually|correction|scratch that|on second thoughts?|I meant?|no,|sorry)(?!\w)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[\s*_`\"'(]{0,4}(?:[<\[{](?:(?:the|your|final)\s){0,3}(?:number|answer|result)[>\]}]"
    r"|number(?=[\s\"'.]{0,4}$))",
    re.IGNORECASE,
)


def is_denied_claim(text: str, at: int) -> bool:
    """Tell whether the "answer is" that begins at ``at`` is said not to be the case."""
    return _CLAIM.search(text, max(0, at - _LOOK_BACK), at) is not None


def correction_end(text: str, start: int) -> int | None:
    """Return where the first word after ``start`` that takes the answer back ends, or null."""
    found = _CORRECTION.search(text, start)
    return found.end() if found else None


def is_placeholder(text: str, start: int, end: int) -> bool:
    """Tell whether ``text[start:end]`` is the empty field of a prompt that is repeated ("<number>")."""
    return _PLACEHOLDER.match(text, start, end) is not None
