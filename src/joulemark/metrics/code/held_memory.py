"""Memory that a program holds before it is called: tables made at import, modules that it loads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.metrics.code.baseline import MIB, Baseline
from joulemark.metrics.code.pairs import Pair
from joulemark.record.code_run import CodeRun

HELD_FLOOR_BYTES = 1 << 20
"""Below it the reference's memory is not told from what reading a source leaves (0.3 MiB were seen)."""
HELD_SLACK_BYTES = 1 << 18
"""How far a kernel's count of pages may be off. Of 166 right answers none differed by over 128 KiB."""


def held_mib(pairs: Sequence[Pair], baseline: Baseline) -> tuple[float | None, float | None]:
    """Return what the reference and the candidate hold before their calls (MiB), null where nobody read it.

    What was resident before the call, in the middle of the pairs. The reference's is without what a program
    that does nothing has when it is loaded, and without what the input adds; it counts from 1 MiB up, and
    then all of it. The candidate had the same inputs: where it differs by 256 KiB it holds so much more than
    the reference, or less.
    """
    references = [pair.reference for pair in pairs]
    inputs = [added for run in references if (added := _added_by_input(run)) is not None]
    theirs, mine = _resident(references), _resident([pair.candidate for pair in pairs])
    if baseline.loaded_bytes is None or not inputs or theirs is None:
        return None, None
    held = theirs - baseline.loaded_bytes - float(np.median(inputs))
    counted = held if held >= HELD_FLOOR_BYTES else 0.0
    if mine is None:
        return counted / MIB, None
    more = mine - theirs if abs(mine - theirs) >= HELD_SLACK_BYTES else 0.0
    return counted / MIB, max(0.0, counted + more) / MIB


def _added_by_input(run: CodeRun) -> float | None:
    if run.resident_bytes is None or run.loaded_bytes is None:
        return None
    return float(run.resident_bytes - run.loaded_bytes)


def _resident(runs: Sequence[CodeRun]) -> float | None:
    resident = [run.resident_bytes for run in runs if run.resident_bytes is not None]
    return float(np.median(resident)) if resident else None
