"""Processor energy from the kernel's powercap tree (Intel RAPL, and AMD under the same names)."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from joulemark.meters.machine import is_virtual
from joulemark.meters.notes import VIRTUAL_MACHINE, note
from joulemark.meters.powercap import Domain, find_domains, powercap_root
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Reading

# The hardware register counts 32 bits of energy units, and max_energy_range_uj is their whole range
# (Intel SDM vol. 3B, section "RAPL Interfaces"; Linux drivers/powercap/intel_rapl_common.c).
_REGISTER_STEPS = 2**32
_USUAL_UNIT_J = 2**-14  # 61 µJ, the unit of most Intel parts


class RaplSource:
    """One domain.

    Raises `SourceLost` where its counter cannot be opened (``permission_denied``, ``gone``).
    """

    def __init__(self, domain: Domain, clock: Clock | None = None) -> None:
        self.info = describe(domain)
        try:
            self._file = os.open(domain.directory / "energy_uj", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise SourceLost(_reason(error)) from error
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns

    def read(self, segment: int) -> Reading:
        """Read the counter; raises `SourceLost` when the file no longer answers."""
        begin_ns = self._now_ns()
        try:
            raw = os.pread(self._file, 32, 0)
        except OSError as error:
            raise SourceLost(_reason(error)) from error
        t_ns = self._now_ns()
        values: dict[str, float] = {}
        flags: tuple[str, ...] = ()
        try:
            values["energy_j"] = int(raw) * 1e-6
        except ValueError:
            flags = ("energy_j:unreadable",)
        return Reading(
            segment, t_ns, self.info.name, self.info.scope.path, values, read_ns=t_ns - begin_ns, flags=flags
        )

    def close(self) -> None:
        """Close the counter's file; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def describe(domain: Domain) -> SourceInfo:
    """Return the facts of a domain, which any user may read."""
    modulus_j = modulus_of_j(domain.directory)
    notes = []
    if is_virtual():
        notes.append(
            note(VIRTUAL_MACHINE, "a hypervisor gives these values; they need not be the hardware's")
        )
    if domain.twins:
        twins = ", ".join(twin.name for twin in domain.twins)
        notes.append(note("twins", f"{twins} show the same counter again and are left out"))
    return SourceInfo(
        name=f"rapl:{domain.name}",
        kind="rapl",
        scope=domain.scope,
        quantities=("energy_j",),
        counter_modulus_j=modulus_j,
        counter_wraps=True,
        counter_quantum_j=_USUAL_UNIT_J if modulus_j is None else modulus_j / _REGISTER_STEPS,
        power_max_w=power_max_w(domain),
        device_id=str(domain.directory),
        notes=tuple(notes),
    )


def modulus_of_j(directory: Path) -> float | None:
    """Return where the counter wraps (joules), or null where the kernel does not say."""
    range_uj = _read_int(directory / "max_energy_range_uj")
    return None if range_uj is None or range_uj <= 0 else range_uj * 1e-6


def power_max_w(domain: Domain) -> float | None:
    """Return the highest power that a constraint of the domain, or of what holds it, allows (W).

    Null where no constraint says so (AMD, memory domains): a missing limit is no limit.
    """
    places = [domain.directory]
    if domain.parent is not None and domain.scope.kind in ("core", "uncore"):
        places.append(domain.parent)
    for place in places:
        limits_uw = [
            limit
            for index in range(3)
            for kind in ("power_limit_uw", "max_power_uw")
            if (limit := _read_int(place / f"constraint_{index}_{kind}")) is not None
        ]
        if any(limits_uw):
            return max(limits_uw) * 1e-6
    return None


def open_rapl(spec: SourceSpec, clock: Clock | None = None) -> RaplSource:
    """Open the domain that ``spec`` names; raises `SourceLost` where it is not in the tree."""
    root, name = Path(str(spec.args["root"])), spec.args["domain"]
    for domain in find_domains(root):
        if domain.name == name:
            return RaplSource(domain, clock)
    raise SourceLost("gone")


def rapl_spec(domain: Domain, root: Path | None = None) -> SourceSpec:
    """Return how to open a domain in another process."""
    return SourceSpec("rapl", {"root": str(root or powercap_root()), "domain": domain.name})


def _read_int(path: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return int(path.read_text())
    return None


def _reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "permission_denied"
    return "gone" if isinstance(error, FileNotFoundError) else f"unreadable ({error.strerror})"
