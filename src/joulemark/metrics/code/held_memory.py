"""Memory that a program holds before it is called: tables made at import, modules that it loads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.metrics.code.baseline import MIB, Baseline
from joulemark.metrics.code.pairs import Pair
from joulemark.record.code_run import CodeRun

HELD_FLOOR_BYTES = 1 << 20
"""Below it memory is not told from what reading a source leaves, and from how a kernel counts pages."""


def held_mib(pairs: Sequence[Pair], baseline: Baseline) -> tuple[float | None, float | None]:
    """Return what the reference and the candidate hold before their calls (MiB), null where nobody read it.

    What was resident before the call, less what a program that does nothing has when it is loaded, and less
    what the input adds to the reference, which had the same one; in the middle of the pairs. It counts from
    1 MiB up, and then all of it.
    """
    references = [pair.reference for pair in pairs]
    inputs = [added for run in references if (added := _added_by_input(run)) is not None]
    if baseline.loaded_bytes is None or not inputs:
        return None, None
    without = baseline.loaded_bytes + float(np.median(inputs))
    return _held(references, without), _held([pair.candidate for pair in pairs], without)


def _added_by_input(run: CodeRun) -> float | None:
    if run.resident_bytes is None or run.loaded_bytes is None:
        return None
    return float(run.resident_bytes - run.loaded_bytes)


def _held(runs: Sequence[CodeRun], without_bytes: float) -> float | None:
    resident = [run.resident_bytes for run in runs if run.resident_bytes is not None]
    if not resident:
        return None
    held = float(np.median(resident)) - without_bytes
    return held / MIB if held >= HELD_FLOOR_BYTES else 0.0
