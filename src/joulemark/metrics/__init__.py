"""Arithmetic on a run: pure functions from observations to figures. Opens no file, socket or clock.

A `RunView` goes in, a `Summary` of `Value`s comes out; `definitions` says what each figure is. Single metrics
are in their modules: ``attribution``, ``latency``, ``bootstrap``, ``accuracy``, ``energy_per``, ``tier``, …
"""

from joulemark.metrics.catalogue import definition, definitions
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.run_view import PowerTimeline, RunView
from joulemark.metrics.summary import Summary, summarize
from joulemark.metrics.value import Value

__all__ = [
    "Caveat",
    "MetricDefinition",
    "PowerTimeline",
    "RunView",
    "Summary",
    "Value",
    "definition",
    "definitions",
    "summarize",
]
