"""Which figures of programs go by the wall of a machine that kept them waiting."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.metrics.code.queued import WAITED_SHARE, Queued, walled
from joulemark.record.code_run import Purpose
from joulemark.report.busy import DAGGER

_RUNS = {Purpose.WHOLE: "runs of all tests", Purpose.PAIRED: "runs on the scaled input"}
_OF_WALL = {
    Purpose.WHOLE: f"ET, TMU, NET and NTMU ({DAGGER}) are wall time, as defined, and are not to be believed.",
    Purpose.PAIRED: f"TMU corrected and NTMU corrected ({DAGGER}) go by the wall and are not to be believed; "
    "CPU time is without the waiting.",
}


def busy_words(queued: Mapping[Purpose, Queued]) -> list[str]:
    """Say of which runs so many waited that their wall time is the machine's load."""
    return [
        f"The machine was busy: {one.n_waited:,} of {one.n_runs:,} {_RUNS[purpose]} waited for a "
        f"processor for more than {100 * WAITED_SHARE:.0f} % of their time. {_OF_WALL[purpose]}"
        for purpose, one in queued.items()
        if one.is_busy
    ]


def is_of_busy_wall(name: str, queued: Mapping[Purpose, Queued]) -> bool:
    """Tell whether a figure goes by the wall of runs of which so many waited for a processor."""
    purpose = walled(name)
    return purpose is not None and purpose in queued and queued[purpose].is_busy
