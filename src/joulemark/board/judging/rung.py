"""The ladder of trust: what was shown of a row, and what was not.

What each rung demands:

- `Rung.PUBLISHED`: somebody else published it; it has no answers and no readings here.
- `Rung.SELF_REPORTED`: somebody sent it, and its figures were not made anew from its evidence.
- `Rung.RECOMPUTED`: its bundle verified: every figure follows from its own answers and readings.
- `Rung.CHALLENGED`: that, and its submitter opened the answers that the board picked, and they graded alike.
- `Rung.REPRODUCED`: that, and another signer's run, challenged as well, came to the same energy. Keys are
  free, so without the challenge somebody would reproduce himself.
- `Rung.METERED`: challenged, and an outside meter (tier A or B) ran beside it. Whether it was reproduced as
  well is a line of its own, since a rare machine may have no second owner.
- `Rung.AUDITED`: it verified, and a moderator looked at it and wrote down what was seen.

More evidence never lowers a row: each condition only asks for evidence that there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Literal


class Rung(IntEnum):
    """How far a row may be trusted, the least first."""

    PUBLISHED = 0
    SELF_REPORTED = 1
    RECOMPUTED = 2
    CHALLENGED = 3
    REPRODUCED = 4
    METERED = 5
    AUDITED = 6

    @property
    def title(self) -> str:
        """Its name for a reader."""
        return _TITLES[self]

    @property
    def shown(self) -> str:
        """One sentence: what was shown, and what was not."""
        return _SHOWN[self]


_TITLES: Mapping[Rung, str] = MappingProxyType(
    {
        Rung.PUBLISHED: "Published elsewhere",
        Rung.SELF_REPORTED: "Self-reported",
        Rung.RECOMPUTED: "Recomputed",
        Rung.CHALLENGED: "Challenged",
        Rung.REPRODUCED: "Reproduced",
        Rung.METERED: "Metered",
        Rung.AUDITED: "Audited",
    }
)
_SHOWN: Mapping[Rung, str] = MappingProxyType(
    {
        Rung.PUBLISHED: "Taken from what others published: neither answers nor readings are here, so nothing "
        "was checked but that it is not impossible.",
        Rung.SELF_REPORTED: "Sent by somebody and shown as it came: its figures were not made anew from its "
        "evidence.",
        Rung.RECOMPUTED: "Every figure follows from its own answers and readings and is possible for its "
        "device; that these were measured, and that the answers were right, is its submitter's word.",
        Rung.CHALLENGED: "Its submitter opened answers that the board picked, and they were right or wrong "
        "as stated; that the model gave them, and that the readings were measured, is still its submitter's "
        "word.",
        Rung.REPRODUCED: "Another signer's challenged run of the same configuration came to the same energy; "
        "that the two are not one person, and that the device's own meter is right, was not shown.",
        Rung.METERED: "A meter outside the device ran beside a challenged run and does not contradict it; "
        "that the meter stood there is its submitter's word.",
        Rung.AUDITED: "A moderator looked at the evidence and wrote down what was seen; the note says how "
        "far it went.",
    }
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about a row.

    ``is_imported``: it comes from what others published. ``is_verified``: its bundle verified.
    ``challenge_passed``: the answers that the board asked for were opened and graded as stated.
    ``is_reproduced``: a challenged run of another signer came to the same (`likeness.reproduces`). ``tier``
    is that of the recomputed summary. ``is_audited``: a moderator says so, with a note.
    """

    is_imported: bool = False
    is_verified: bool = False
    challenge_passed: bool = False
    is_reproduced: bool = False
    tier: Literal["A", "B", "C"] | None = None
    is_audited: bool = False


def rung_of(evidence: Evidence) -> Rung:
    """Return the highest rung whose every demand is met."""
    if evidence.is_imported:
        return Rung.PUBLISHED
    if not evidence.is_verified:
        return Rung.SELF_REPORTED
    if evidence.is_audited:
        return Rung.AUDITED
    if not evidence.challenge_passed:
        return Rung.RECOMPUTED
    if evidence.tier in ("A", "B"):
        return Rung.METERED
    return Rung.REPRODUCED if evidence.is_reproduced else Rung.CHALLENGED
