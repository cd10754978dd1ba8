"""Why a run is held back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ground:
    """A reason to hold a run back: a code that stays, and a sentence with the figures and the bound."""

    code: str
    why: str
