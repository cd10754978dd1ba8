"""What else the machine's processors did during a run, and what a hypervisor took from them."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

QUIET_LIMIT = 0.05

FOREIGN = MetricDefinition(
    "foreign_cpu_share",
    "Processor time used by other processes",
    "1",
    r"(t_\mathrm{busy} - t_\mathrm{engine} - t_\mathrm{client} - t_\mathrm{sampler}) / (n_\mathrm{cpu}\, t)",
    ("telemetry.cpu_time_ns", "client.cpu_seconds", "windows"),
    ("the machine's or the engine's processor time could not be observed",),
    "of all processors together, in the measured windows; above 5 % the run was not on a quiet machine",
)
STOLEN = MetricDefinition(
    "stolen_cpu_share",
    "Processor time taken by the hypervisor",
    "1",
    r"t_\mathrm{stolen} / (n_\mathrm{cpu}\, t)",
    ("telemetry.cpu_stolen_ns", "windows"),
    ("the system does not say what a hypervisor took",),
    "of all processors together, in the measured windows; above 5 % the run was not on a quiet machine",
)
DEFINITIONS = (FOREIGN, STOLEN)


def cpu_share(share: float | None) -> Value:
    """Return a share (0..1) of the machine's processor time, null where it could not be observed."""
    if share is None:
        return withheld(
            "1", Reason.CPU_NOT_OBSERVED, detail="How busy the machine was could not be observed."
        )
    return Value(share, "1")


def is_quiet(*shares: float | None) -> bool:
    """Tell whether none of the known shares is above the limit."""
    return all(share is None or share <= QUIET_LIMIT for share in shares)
