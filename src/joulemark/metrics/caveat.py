"""One warning to the reader of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caveat:
    """A warning: a stable code, a sentence or two, and whether it must be said first."""

    code: str
    text: str
    loud: bool = False
