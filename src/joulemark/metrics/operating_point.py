"""One way to run a model and what it costs: what a recommendation, a board and a picker choose among."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from joulemark.metrics.setup import Setting
from joulemark.metrics.value import Value

if TYPE_CHECKING:
    from joulemark.record.published import Unit

Kind = Literal["measured", "published", "simulated"]


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A configuration under a load, made from a run, from a published row, or from a simulation.

    ``kind``: measured and published are not ranked together unless asked for, simulated never with either.
    ``questions`` is a digest of what was asked, in which points of one ranking agree; null where nothing is
    known beyond the task's name. ``energy_j`` are
    joules per ``unit`` of all devices together, of the steady state where there was load. ``latencies_s`` are
    seconds by latency and statistic: ``tpot_mean``, ``tpot_p99``, ``ttft_p50``, ``e2el_mean``, …, each a
    `Value`, withheld with its reason. ``tdp_energy_j`` is what the device's rated power would have made of
    the same time: modelled, never a measurement. ``settings`` are the axes that tell points apart;
    ``label`` says them in short. ``flags`` are what else the engine was run with, which
    `joulemark.metrics.point_label.named_apart` adds to the label where it is all that differs. ``origin`` is
    the run's directory or the source of the row, ``scope`` what was metered, ``tier`` how. ``throughput`` is
    in units, ``tokens_per_second`` in output tokens, a second. ``implausible`` is why it cannot be physical,
    empty where nothing speaks against it; such a point enters no ranking. Nor does one that is ``late``: its
    client did not keep up, so that times and rates are withheld, and the joules are of the load that the
    engine got; the text says so, empty where it kept up. ``mean_completion_tokens`` are those of a published
    row's requests, null of runs, whose items tell.
    """

    label: str
    kind: Kind
    model: str
    task: str
    unit: Unit
    energy_j: Value
    latencies_s: Mapping[str, Value]
    accuracy: Value
    joules_per_correct: Value
    throughput: Value
    tokens_per_second: Value
    mean_power_w: Value
    tdp_energy_j: Value
    usd: Value
    gco2e: Value
    origin: str
    device: str | None = None
    n_devices: int | None = None
    tier: str | None = None
    scope: str | None = None
    config_hash: str | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    flags: Mapping[str, Setting] = field(default_factory=dict)
    questions: str | None = None
    notes: tuple[str, ...] = ()
    implausible: str = ""
    late: str = ""
    mean_completion_tokens: float | None = None
