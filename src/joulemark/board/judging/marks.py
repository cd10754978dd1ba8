"""Marks of a run: a fixed-size sample of its noise by which a copy is found whatever it is called.

Of each kind of shingle (`joulemark.board.judging.shingles`) those that stand in the run at one time alone
are kept, and of these the smallest hashes: two runs that share a stretch have the same ones of it (min-hash,
bottom-k sketch: Broder 1997), so the share that two runs have in common tells how much of the one is in the
other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from joulemark.board.judging.shingles import Shingles, answer_shingles, pause_shingles, power_shingles

if TYPE_CHECKING:
    from joulemark.bundles.submission.verification import Verification

MOST_MARKS = 64
POWER_MARKS, ANSWER_MARKS, PAUSE_MARKS = 24, 24, 16
LEAST_MARKS = 8
"""A run of fewer has none: it is too short, or too regular, to be told from others by its noise."""
COPY_SHARE = 0.1
"""From this share on it is a copy. Runs made apart have none in common but by a chance of 10⁻⁹ and less."""


def marks_of(verification: Verification) -> tuple[int, ...]:
    """Return at most `MOST_MARKS` marks of 63 bits, ascending; empty where there are too few.

    A run whose power, streams and pauses are all regular (simulated, or read in steps) has none, and no copy
    of it is found by them.
    """
    view = verification.view
    if view is None:
        return ()
    with np.errstate(all="ignore"):  # made-up readings may be larger than their difference can be
        found = {
            *_smallest(power_shingles(view), POWER_MARKS),
            *_smallest(answer_shingles(view), ANSWER_MARKS),
            *_smallest(pause_shingles(view), PAUSE_MARKS),
        }
    return tuple(sorted(found)) if len(found) >= LEAST_MARKS else ()


def share_of_marks(marks: Iterable[int], others: Iterable[int]) -> float:
    """Return the marks that two runs have in common, over those of the run that has fewer; 0 without any."""
    one, other = set(marks), set(others)
    return share_of_counts(len(one & other), len(one), len(other))


def share_of_counts(n_common: int, n_one: int, n_other: int) -> float:
    """Return `share_of_marks` of two runs whose marks, and those in common, were counted."""
    least = min(n_one, n_other)
    return n_common / least if least else 0.0


def _smallest(shingles: Shingles, most: int) -> list[int]:
    """Return the smallest hashes of those that do not repeat: what does tells of a pattern, not of a run."""
    return [int(value) for value in shingles.once()[:most] >> np.uint64(1)]
