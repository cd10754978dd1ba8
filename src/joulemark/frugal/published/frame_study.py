"""What the length of a frame changes: in items and as a share of all items, as the paper swept it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.published.cutoff import Progress
from joulemark.frugal.published.frames import frame_length
from joulemark.frugal.published.loss import Loss, cutoff_with_loss
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import Shuffles

SHARES = (0.01, 0.02, 0.03, 0.04, 0.05, 0.10)
LENGTHS = (10, 25, 50, 100, 250, 500, 1000, 2500)


@dataclass(frozen=True, slots=True)
class StudiedFrame:
    """The method with frames of ``length`` items; ``share`` is set where that was what was asked.

    Without a knee, or where frames do not fit, there is ``why`` and no figure.
    """

    length: int
    share: float | None
    fraction: float | None = None
    sd: float | None = None
    ks_p: float | None = None
    loss: Loss | None = None
    why: str = ""


def study_frames(
    outcomes: Outcomes,
    shuffles: Shuffles,
    method: Method,
    progress: Callable[[int, int], Progress | None] | None = None,
) -> tuple[StudiedFrame, ...]:
    """Run the method with each length; ``progress`` as of `apply_to_itself`."""
    n = len(outcomes)
    asked: list[tuple[int, float | None]] = [(frame_length(n, share), share) for share in SHARES]
    asked += [(length, None) for length in LENGTHS]
    rows = []
    for number, (length, share) in enumerate(asked, 1):
        told = progress(number, length) if progress is not None else None
        found = cutoff_with_loss(shuffles, outcomes, replace(method, length=length), told)
        if isinstance(found, str):
            rows.append(StudiedFrame(length, share, why=found))
            continue
        cutoff, loss = found
        rows.append(StudiedFrame(length, share, cutoff.mean, cutoff.sd, cutoff.ks_p(), loss))
    return tuple(rows)
