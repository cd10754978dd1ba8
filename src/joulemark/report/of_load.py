"""Which figures are of a server under load, and whether a run has any."""

from __future__ import annotations

from joulemark.metrics.engine_figures import DEFINITIONS as ENGINE_GAUGES
from joulemark.metrics.loaded_definitions import DEFINITIONS as LOADED
from joulemark.metrics.summary import Summary
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason

OF_LOAD = frozenset(defined.name for defined in (*LOADED, *ENGINE_GAUGES))
"""The figures of a server under load, and what an engine says of its batch."""


def is_loaded(summary: Summary) -> bool:
    """Tell whether requests were asked under load: only then is there a steady state to speak of."""
    window = summary.steady.window
    return not (isinstance(window, Withheld) and window.reason is Reason.NOT_LOADED)
