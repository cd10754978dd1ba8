"""What a board does with a run whose bundle verified: it is accepted, or held back with the reasons.

Nothing is refused or dropped here. A bundle that does not verify never gets so far; the same bundle sent
again is the same run, which whoever takes it in sees by its digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from joulemark.board.judging.facts import RunFacts
from joulemark.board.judging.ground import Ground
from joulemark.board.judging.likeness import likeness_grounds
from joulemark.board.judging.marks import COPY_SHARE
from joulemark.board.judging.physics import physics_grounds, physics_notes

__all__ = ["Ground", "Judgement", "judge"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """``grounds`` are why a run is held back, empty exactly when it is accepted.

    ``notes`` say what could not be looked at; they hold nothing back.
    """

    status: Literal["accepted", "quarantined"]
    grounds: tuple[Ground, ...] = ()
    notes: tuple[str, ...] = ()


def judge(facts: RunFacts, peers: Sequence[RunFacts], copies: Mapping[str, float]) -> Judgement:
    """Judge a run by what its device can do, by accepted runs of others, and by what it shares with others.

    ``peers``: accepted runs; those that do not compare are left out. ``copies``: by the digests of other
    submissions, withdrawn ones too, the share of marks in common (`joulemark.board.judging.share_of_marks`).
    """
    grounds = (
        *_duplicates(facts, copies),
        *physics_grounds(facts),
        *likeness_grounds(facts, peers),
    )
    return Judgement("quarantined" if grounds else "accepted", grounds, physics_notes(facts))


def _duplicates(facts: RunFacts, copies: Mapping[str, float]) -> Iterator[Ground]:
    """Name the submission that a run shares most of its noise with; whoever plays a trace may share it."""
    if facts.kind != "measured":
        return
    others = {digest: share for digest, share in copies.items() if digest != facts.digest}
    closest = max(others, key=lambda digest: (others[digest], digest), default=None)
    if closest is not None and others[closest] >= COPY_SHARE:
        yield Ground(
            "duplicate_telemetry",
            f"{100 * others[closest]:.0f} % of the marks of its readings and times are those of submission "
            f"{closest}: it is the same run, whole or in part. Who sent that one can appeal with the reason.",
        )
