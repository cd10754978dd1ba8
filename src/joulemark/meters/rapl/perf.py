"""Processor energy through perf, where the powercap tree is missing or closed to this user.

The kernel adds the steps of the hardware's 32-bit register up in a 64-bit count that begins at 0 when the
event is opened. It would run over after 2**32 J, more than four months at 400 W, so it does not wrap.
"""

from __future__ import annotations

import errno
import time
from pathlib import Path

from joulemark.meters.notes import PERF, note
from joulemark.meters.rapl.event import EventEnded, PowerEvent
from joulemark.meters.rapl.pmu import PmuDomain, find_pmu_domains, pmu_root
from joulemark.meters.rapl.powercap import find_domains, powercap_root
from joulemark.meters.rapl.source import USUAL_UNIT_J, machine_notes, modulus_of_j, power_max_w, quantum_j
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.meters.sysfs import sys_root
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Reading

NOT_PERMITTED, FORBIDDEN = "permission_denied", "forbidden"
_REASONS = {
    errno.EACCES: NOT_PERMITTED,  # kernel.perf_event_paranoid
    errno.EPERM: FORBIDDEN,  # a container's filter or a kernel in lockdown
    errno.ENOSYS: "no_perf_events",
    errno.ENOENT: "not_supported",
    errno.EINVAL: "not_supported",
    errno.EOPNOTSUPP: "not_supported",
    errno.ENODEV: "gone",
    errno.ENXIO: "gone",
}
_SERVER_PSYS_UNIT_J = 1.0  # platform counters of Sapphire Rapids and later step by a whole joule
_COUNTED_SHARE = 0.999  # of the time that an event is enabled; less means that energy was missed


class RaplPerfSource:
    """One domain of the power PMU. Raises `SourceLost` where the kernel does not open its counter."""

    def __init__(
        self,
        domain: PmuDomain,
        clock: Clock | None = None,
        *,
        sys_root: Path,
        powercap: Path,
        name: str | None = None,
    ) -> None:
        if domain.unusable:
            raise SourceLost("unusable")
        self.info = describe(domain, sys_root, powercap, name)
        self._scale_j = domain.scale_j
        try:
            self._event = PowerEvent(domain.pmu_type, domain.config, domain.cpu)
        except OSError as error:
            raise SourceLost(_REASONS.get(error.errno or 0, "unreadable")) from error
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns

    def read(self, segment: int) -> Reading:
        """Read the counter; raises `SourceLost` when it has ended. A count that missed time is flagged."""
        begin_ns = self._now_ns()
        values: dict[str, float] = {}
        flags: tuple[str, ...] = ()
        try:
            count, enabled_ns, running_ns = self._event.read()
        except EventEnded as error:
            raise SourceLost("gone") from error
        except OSError as error:
            if _REASONS.get(error.errno or 0) == "gone":
                raise SourceLost("gone") from error
            flags = ("energy_j:unreadable",)
        else:
            if running_ns < _COUNTED_SHARE * enabled_ns:
                flags = ("energy_j:not_counting",)
            else:
                values["energy_j"] = count * self._scale_j
        t_ns = self._now_ns()
        return Reading(
            segment, t_ns, self.info.name, self.info.scope.path, values, read_ns=t_ns - begin_ns, flags=flags
        )

    def close(self) -> None:
        """Release the counter; a second call does nothing."""
        self._event.close()


def describe(domain: PmuDomain, sys_root: Path, powercap: Path, name: str | None = None) -> SourceInfo:
    """Return the facts of a domain. Its step and its limit stand in the powercap tree, where there is one."""
    twin = next((other for other in find_domains(powercap) if other.name == domain.name), None)
    modulus_j = None if twin is None else modulus_of_j(twin.directory)
    step_j = quantum_j(modulus_j)
    if modulus_j is None:
        step_j = _SERVER_PSYS_UNIT_J if domain.scope.kind == "psys" else USUAL_UNIT_J
    perf = note(PERF, f"counted by perf on processor {domain.cpu}, from 0 when the run begins")
    return SourceInfo(
        name=name or f"rapl_perf:{domain.name}",
        kind="rapl_perf",
        scope=domain.scope,
        quantities=("energy_j",),
        counter_quantum_j=step_j,
        power_max_w=None if twin is None else power_max_w(twin),
        device_id=f"{pmu_root(sys_root)}/{domain.name}",
        notes=(perf, *machine_notes()),
    )


def open_rapl_perf(spec: SourceSpec, clock: Clock | None = None) -> RaplPerfSource:
    """Open the domain that ``spec`` names; raises `SourceLost` where the PMU does not have it."""
    root, powercap = Path(str(spec.args["sys"])), Path(str(spec.args["powercap"]))
    for domain in find_pmu_domains(root):
        if domain.name == spec.args["domain"]:
            return RaplPerfSource(domain, clock, sys_root=root, powercap=powercap, name=spec.name)
    raise SourceLost("gone")


def rapl_perf_spec(domain: PmuDomain) -> SourceSpec:
    """Return how to open a domain in another process."""
    places = {"sys": str(sys_root()), "powercap": str(powercap_root())}
    return SourceSpec("rapl_perf", {**places, "domain": domain.name})
