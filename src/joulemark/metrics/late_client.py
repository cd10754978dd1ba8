"""A client that did not keep up: what of its run still holds, in the words that every place uses."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.record.reason import Reason

JOULES_HOLD = "the joules hold, for the load that the engine got, which may be less than was asked for"
"""Meters are read by a process of their own, and the engine counts its tokens: neither waits for us."""
NOT_RANKED = "so the run enters no ranking"


def why_not_ranked(codes: Sequence[str]) -> str:
    """Return why a run is not ranked whose client failed by ``codes`` (`ClientProof.invalid`), or nothing."""
    if not codes:
        return ""
    held = f"{JOULES_HOLD[:1].upper()}{JOULES_HOLD[1:]}"
    return f"{Reason.CLIENT_INVALID.text} ({', '.join(codes)}) {held}, {NOT_RANKED}."
