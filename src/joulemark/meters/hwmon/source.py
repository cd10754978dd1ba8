"""Energy and power from the kernel's hwmon chips: Intel and AMD graphics, Grace, Jetson, power supplies."""

from __future__ import annotations

import errno
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from joulemark.meters.hwmon.channel import channels_of
from joulemark.meters.hwmon.chip import find_chips
from joulemark.meters.hwmon.place import Placed, place, slug
from joulemark.meters.machine import is_virtual
from joulemark.meters.notes import VIRTUAL_MACHINE, note, twins_note
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import CEILING_UNKNOWN_W, SourceInfo
from joulemark.record.telemetry import Quantity, Reading

_NUMBER = re.compile(rb"-?\d{1,20}\s*\Z")
_TOO_MUCH = 10.0  # times the largest power that it states: no peak, but a wrong unit
_UPDATE_S = 0.05  # what an update of a counter may hold that was read just before and just after it
_GONE = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR})
# What a driver says while it cannot answer; the next read may succeed. amdgpu denies (EPERM) while the card
# sleeps or is being reset, which is something else than a file that only root may open (EACCES).
_FOR_NOW = {
    errno.EPERM: "suspended",
    errno.EAGAIN: "not_ready",
    errno.EBUSY: "busy",
    errno.ENODATA: "no_data",
    errno.ETIMEDOUT: "timed_out",
    errno.EIO: "io_error",
    errno.EOPNOTSUPP: "not_supported",
    errno.EINVAL: "not_supported",
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """The last change of a counter that was believed."""

    t_ns: int
    value: float


class HwmonSource:
    """One channel of one chip.

    Raises `SourceLost` where its files cannot be opened (``permission_denied``, ``gone``).
    """

    def __init__(self, placed: Placed, clock: Clock | None = None, name: str | None = None) -> None:
        self.info = describe(placed, name)
        self._channel = placed.channel
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns
        self._seen: _Seen | None = None
        try:
            # The directory is held, not its path: after a driver was loaded anew the number may be another
            # chip's. The files are opened for each read, so that one that vanished is noticed.
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
            self._directory = os.open(placed.chip.directory, flags)
        except OSError as error:
            raise SourceLost(_lost(error) or "gone") from error
        try:
            for file in self._channel.files:
                os.close(self._open(file))
        except OSError as error:
            if (reason := _lost(error)) is not None:
                self.close()
                raise SourceLost(reason) from error

    def read(self, segment: int) -> Reading:
        """Read the channel; a value that is missing or cannot be is flagged. Raises `SourceLost`."""
        begin_ns = self._now_ns()
        product, trouble = 1.0, None
        try:
            for file in self._channel.files:
                product *= self._number(file)
        except OSError as error:
            if (reason := _lost(error)) is not None:
                raise SourceLost(reason) from error
            code = error.errno or 0
            trouble = _FOR_NOW.get(code, errno.errorcode.get(code, "unreadable").lower())
        except ValueError:
            trouble = "unreadable"
        t_ns = self._now_ns()
        value = product * self._channel.unit
        if trouble is None and not self._is_plausible(t_ns, value):
            trouble = "implausible"
        quantity = self._channel.quantity.value
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            {quantity: value} if trouble is None else {},
            read_ns=t_ns - begin_ns,
            flags=() if trouble is None else (f"{quantity}:{trouble}",),
        )

    def close(self) -> None:
        """Close the chip's directory; a second call does nothing."""
        if self._directory >= 0:
            os.close(self._directory)
            self._directory = -1

    def _open(self, file: str) -> int:
        return os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self._directory)

    def _number(self, file: str) -> int:
        descriptor = self._open(file)
        try:
            raw = os.read(descriptor, 64)
        finally:
            os.close(descriptor)
        if not _NUMBER.match(raw):  # text, nothing at all, or what Python would take for a number: 1_000
            raise ValueError(file)
        return int(raw)

    def _is_plausible(self, t_ns: int, value: float) -> bool:
        """Tell whether a device may have drawn this: error codes and wrong units lie beyond its limits."""
        limit_w = self.info.power_max_w
        most_w = CEILING_UNKNOWN_W if limit_w is None else _TOO_MUCH * limit_w
        if value < 0:
            return False
        if self._channel.quantity is not Quantity.ENERGY_J:
            return value <= min(most_w, CEILING_UNKNOWN_W)
        seen = self._seen
        if seen is not None and value > seen.value:
            allowed_j = most_w * ((t_ns - seen.t_ns) * 1e-9 + _UPDATE_S) + self.info.counter_quantum_j
            if value - seen.value > allowed_j:
                return False
        if seen is None or value != seen.value:
            self._seen = _Seen(t_ns, value)
        return True


def find_placed(root: Path | None = None) -> list[Placed]:
    """Return every channel of energy and power below ``root`` (null: the machine's), with its scope."""
    chips = find_chips(root)
    found: list[Placed] = []
    for chip in chips:
        alone = sum(other.name == chip.name for other in chips) == 1
        found += place(chip, channels_of(chip), alone=alone)
    return found


def name_of(placed: Placed) -> str:
    """Return the name of a channel's source: chip, place on its bus, channel. The same at each boot."""
    chip, channel = placed.chip, placed.channel
    label = slug(channel.label) if channel.label else channel.key
    return f"hwmon:{slug(chip.name)}-{_safe(chip.place)}" + ("" if placed.only else f"/{label}")


def describe(placed: Placed, name: str | None = None) -> SourceInfo:
    """Return the facts of a channel, which any user may read."""
    chip, channel = placed.chip, placed.channel
    notes = list(placed.notes)
    if chip.twins:
        notes.append(twins_note(chip.twins, "chip"))
    if chip.name == "power_meter" and is_virtual():  # a card that is passed through is the hardware itself
        notes.append(note(VIRTUAL_MACHINE))
    is_counter = channel.quantity is Quantity.ENERGY_J
    return SourceInfo(
        name=name or name_of(placed),
        kind="hwmon",
        scope=placed.scope,
        quantities=(channel.quantity.value,),
        # Not where it wraps, for the kernel carries on in 64 bits, but what a gap between two reads may hold.
        counter_modulus_j=placed.register_range_j,
        counter_quantum_j=placed.quantum_j or (1e-6 if is_counter else 0.0),
        power_window_s=channel.window_s,
        power_max_w=placed.power_max_w,
        value_age_s=channel.value_age_s,
        read_period_s=placed.read_period_s,
        uncertainty_pct=channel.uncertainty_pct,
        device_id=f"{chip.device}#{channel.key}",
        device_name=chip.text("device/product_name") or chip.name,
        notes=tuple(notes),
    )


def hwmon_spec(placed: Placed) -> SourceSpec:
    """Return how to open a channel in another process."""
    chip = placed.chip
    args: dict[str, str | int | float | None] = {
        "root": str(chip.root),
        "chip": chip.name,
        "device": chip.device,
        "channel": placed.channel.key,
    }
    return SourceSpec("hwmon", args)


def open_hwmon(spec: SourceSpec, clock: Clock | None = None) -> HwmonSource:
    """Open the channel that ``spec`` names; raises `SourceLost` where it is not in the tree."""
    wanted = (spec.args["chip"], spec.args["device"], spec.args["channel"])
    for placed in find_placed(Path(str(spec.args["root"]))):
        if (placed.chip.name, placed.chip.device, placed.channel.key) == wanted:
            return HwmonSource(placed, clock, spec.name)
    raise SourceLost("gone")


def _safe(place: str) -> str:
    return re.sub(r"[^A-Za-z0-9:._-]+", "-", place)


def _lost(error: OSError) -> str | None:
    """Return why the source is lost; null for what may pass."""
    if error.errno == errno.EACCES:
        return "permission_denied"
    return "gone" if error.errno in _GONE else None
