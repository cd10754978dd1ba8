"""What a meter is and how far it was believed: facts about a source, stored in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from joulemark.record.rated import rated_between
from joulemark.record.scope import Scope

CEILING_OVER_MAX = 2.0  # what a device may draw for a short time, over the maximum it states
AGE_STATED = "age_as_stated"
"""The flag of an energy that rests on an age of values which no reading could confirm."""
CEILING_UNKNOWN_W = 25_000.0  # no single board, package, module or plug draws more


class Trust(StrEnum):
    """The outcome of a source's self-test."""

    QUALIFIED = "qualified"
    SUSPECT = "suspect"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A source of telemetry as its driver presents it, before any test.

    ``name`` is unique on the machine, for example ``nvml:0`` or ``rapl:package-0``.
    ``quantities`` are the names it can give. ``counter_modulus_j`` is where its energy counter wraps;
    null when it does not or is not known (``counter_wraps`` tells which). ``power_window_s`` is the
    trailing average of its power gauge, 0 when instantaneous, null when it has none.
    ``power_max_w`` is the largest power that the device can draw, null when the device does not say.
    ``device_id`` is salted-hashable identity (a UUID or a sysfs path); never leaves the machine unhashed.

    A meter outside the device differs in four things. ``is_register``: its counter is an energy register that
    counts in steps of ``counter_quantum_j``, seconds of power each; its energies have the method ``meter``.
    ``value_age_s``: how old a value may be when it is read, beside the time since its last update (a network,
    a home server's cache). ``read_period_s``: the shortest time between two reads that the meter can take,
    null where reading costs microseconds; a source with one is read in a thread of its own, because its reads
    may hang. ``uncertainty_pct``: what its maker states, in per cent of the reading; null where nothing is
    stated. It is shown and never mixed into a bound, which says what may have been missed.
    """

    name: str
    kind: str
    scope: Scope
    quantities: tuple[str, ...]
    counter_modulus_j: float | None = None
    counter_wraps: bool = False
    counter_quantum_j: float = 0.0
    power_window_s: float | None = None
    power_max_w: float | None = None
    is_register: bool = False
    value_age_s: float = 0.0
    read_period_s: float | None = None
    uncertainty_pct: float | None = None
    device_id: str | None = None
    device_name: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def known_max_w(self) -> float | None:
        """What the device states, else what a board of its name is rated at; null where neither is known."""
        if self.power_max_w or self.scope.kind != "gpu":
            return self.power_max_w
        rated = rated_between(self.device_name)
        return None if rated is None else rated[1]

    @property
    def power_ceiling_w(self) -> float:
        """More watts than the device can draw: a gauge that shows more is wrong, most likely in its unit."""
        return min(CEILING_OVER_MAX * (self.known_max_w or CEILING_UNKNOWN_W), CEILING_UNKNOWN_W)

    @property
    def power_quantity(self) -> str | None:
        """The power quantity to integrate: the instantaneous one where there is one; null without a gauge."""
        return next((name for name in ("power_w", "power_average_w") if name in self.quantities), None)


@dataclass(frozen=True, slots=True)
class Qualification:
    """What the self-test of a source saw.

    ``update_period_s`` is the median and ``update_period_max_s`` the longest time between two changes of
    the counter (or of the gauge, where there is no counter); null where it did not change.
    ``counter_over_power`` is counter energy over integrated power in the test. ``poll_period_s`` is what
    the sampler should use. ``reason`` says why a source is suspect or absent.
    """

    trust: Trust
    reason: str | None = None
    update_period_s: float | None = None
    update_period_max_s: float | None = None
    counter_over_power: float | None = None
    mean_power_w: float | None = None
    duration_s: float = 0.0
    reads: int = 0
    poll_period_s: float = 0.2

    @property
    def counter_ok(self) -> bool:
        """Whether the source's energy counter may be believed."""
        return self.trust is Trust.QUALIFIED

    @property
    def gauge_ok(self) -> bool:
        """Whether its power gauge may be believed: a counter's fault alone does not touch it."""
        at_fault = self.trust is Trust.SUSPECT and (self.reason or "").startswith("counter")
        return self.trust is Trust.QUALIFIED or at_fault


@dataclass(frozen=True, slots=True)
class QualifiedSource:
    """A source together with its test."""

    info: SourceInfo
    qualification: Qualification
