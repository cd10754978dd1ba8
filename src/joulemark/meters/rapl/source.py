"""Processor energy from the kernel's powercap tree (Intel RAPL, and AMD under the same names)."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from joulemark.meters.machine import is_virtual
from joulemark.meters.notes import ONE_CORE, VIRTUAL_MACHINE, note, twins_note
from joulemark.meters.rapl.powercap import Domain, find_domains, powercap_root
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.meters.sysfs import number
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Reading

# The hardware register counts 32 bits of energy units, and max_energy_range_uj is their whole range
# (Intel SDM vol. 3B, section "RAPL Interfaces"; Linux drivers/powercap/intel_rapl_common.c).
_REGISTER_STEPS = 2**32
USUAL_UNIT_J = 2**-14  # 61 µJ, the unit of most Intel parts; AMD and server memory have less
_LONGEST_NUMBER = 32  # bytes; the kernel's 64-bit number needs 21 with its line end
_RANGE_SLACK = 1e-6  # the range is rounded, the counter is not
_GONE = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ESTALE})


class RaplSource:
    """One domain.

    Raises `SourceLost` where its counter cannot be opened (``permission_denied``, ``gone``). Where the first
    of several directories that show the counter cannot be opened, another is.
    """

    def __init__(self, domain: Domain, clock: Clock | None = None, name: str | None = None) -> None:
        self.info = describe(domain, name)
        self._file = _open_first([domain.directory, *domain.twins])
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns

    def read(self, segment: int) -> Reading:
        """Read the counter; raises `SourceLost` when the file is gone. No number in range is flagged."""
        begin_ns = self._now_ns()
        raw = b""
        try:
            raw = os.pread(self._file, _LONGEST_NUMBER, 0)
        except OSError as error:
            if isinstance(error, PermissionError) or error.errno in _GONE:
                raise SourceLost(reason_of(error)) from error
        t_ns = self._now_ns()
        energy_j = joules_of(raw)
        values: dict[str, float] = {}
        flags: tuple[str, ...] = ()
        modulus_j = self.info.counter_modulus_j
        if energy_j is None:
            flags = ("energy_j:unreadable",)
        elif modulus_j is not None and energy_j > modulus_j * (1 + _RANGE_SLACK):
            flags = ("energy_j:out_of_range",)
        else:
            values["energy_j"] = energy_j
        return Reading(
            segment, t_ns, self.info.name, self.info.scope.path, values, read_ns=t_ns - begin_ns, flags=flags
        )

    def close(self) -> None:
        """Close the counter's file; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def joules_of(raw: bytes) -> float | None:
    """Return the joules that the text of ``energy_uj`` means; null where it is no whole number of them."""
    text = raw.strip()
    # a number that fills the buffer may be the first part of a longer one
    return int(text) * 1e-6 if text.isdigit() and len(raw) < _LONGEST_NUMBER else None


def describe(domain: Domain, name: str | None = None) -> SourceInfo:
    """Return the facts of a domain, which any user may read."""
    places = (domain.directory, *domain.twins)
    modulus_j = next((range_j for place in places if (range_j := modulus_of_j(place)) is not None), None)
    notes = [*machine_notes()]
    if domain.is_one_core:
        notes.append(note(ONE_CORE))
    if domain.twins:
        notes.append(twins_note((twin.name for twin in domain.twins), "counter"))
    return SourceInfo(
        name=name or f"rapl:{domain.name}",
        kind="rapl",
        scope=domain.scope,
        quantities=("energy_j",),
        counter_modulus_j=modulus_j,
        counter_wraps=True,
        counter_quantum_j=quantum_j(modulus_j),
        power_max_w=power_max_w(domain),
        device_id=str(domain.directory),
        notes=tuple(notes),
    )


def machine_notes() -> tuple[str, ...]:
    """Return what this machine makes peculiar about every processor counter."""
    return (note(VIRTUAL_MACHINE),) if is_virtual() else ()


def quantum_j(modulus_j: float | None) -> float:
    """Return the step of a counter that wraps at ``modulus_j``, the usual one where that is not known."""
    return USUAL_UNIT_J if modulus_j is None else modulus_j / _REGISTER_STEPS


def modulus_of_j(directory: Path) -> float | None:
    """Return where the counter wraps (joules), or null where the kernel does not say."""
    range_uj = number(directory / "max_energy_range_uj")
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
            if (limit := number(place / f"constraint_{index}_{kind}")) is not None
        ]
        if any(limits_uw):
            return max(limits_uw) * 1e-6
    return None


def open_rapl(spec: SourceSpec, clock: Clock | None = None) -> RaplSource:
    """Open the domain that ``spec`` names; raises `SourceLost` where it is not in the tree."""
    for domain in find_domains(Path(str(spec.args["root"]))):
        if domain.name == spec.args["domain"]:
            return RaplSource(domain, clock, spec.name)
    raise SourceLost("gone")


def rapl_spec(domain: Domain, root: Path | None = None) -> SourceSpec:
    """Return how to open a domain in another process."""
    return SourceSpec("rapl", {"root": str(root or powercap_root()), "domain": domain.name})


def reason_of(error: OSError) -> str:
    """Return why a counter cannot be opened or read, as a word."""
    if isinstance(error, PermissionError):
        return "permission_denied"
    return "gone" if error.errno in _GONE else "unreadable"


def _open_first(directories: list[Path]) -> int:
    """Open the counter in the first directory that lets us; raises `SourceLost` with the first's reason."""
    first: OSError | None = None
    for directory in directories:
        try:
            return os.open(directory / "energy_uj", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            first = first or error
    assert first is not None
    raise SourceLost(reason_of(first)) from first
