"""Arithmetic on a run: pure functions from observations to figures. Opens no file, socket or clock.

A `RunView` goes in, a `Summary` of `Value`s comes out; `definitions` says what each figure is. Single metrics
are in their modules: ``attribution``, ``latency``, ``bootstrap``, ``accuracy``, ``energy_per``, ``tier``, …
`predict` and `workload_energy` price requests by a run's cost model; `pool` takes several runs together.
"""

from joulemark.metrics.catalogue import definition, definitions
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.cost_forecast import Predicted, predict, transfer_error_pct, workload_energy
from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.grid import GridIntensity, grid_intensity
from joulemark.metrics.pooling import NotPoolable, pool
from joulemark.metrics.repeats import Spread
from joulemark.metrics.run_view import PowerTimeline, RunView
from joulemark.metrics.summary import Summary, summarize
from joulemark.metrics.value import Value
from joulemark.metrics.verdict_energy import VerdictCosts

__all__ = [
    "Caveat",
    "CostModel",
    "GridIntensity",
    "MetricDefinition",
    "NotPoolable",
    "PowerTimeline",
    "Predicted",
    "RunView",
    "Spread",
    "Summary",
    "Value",
    "VerdictCosts",
    "definition",
    "definitions",
    "grid_intensity",
    "pool",
    "predict",
    "summarize",
    "transfer_error_pct",
    "workload_energy",
]
