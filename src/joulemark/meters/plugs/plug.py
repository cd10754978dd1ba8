"""A source behind a network: what all plugs have in common, whatever they speak."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.source import SourceLost
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Quantity, Reading

RATED_MAX_W = 4000.0  # 16 A x 250 V, the most that a plug of a household is built for
_FAILURES_TO_LOSE = 3
_FINAL = frozenset({"password_missing", "password_refused", "another_device"})  # asking again mends nothing


@dataclass(slots=True)
class Polled:
    """What one poll of a device gave, in joules and watts; ``flags`` name what is missing and why."""

    values: dict[str, float] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    t_driver_ns: int | None = None

    def take(self, quantity: Quantity, value: float | None, reason: str) -> None:
        """Note a value; where it is null, or negative, it is absent with the reason."""
        if value is None:
            self.flags.append(f"{quantity}:{reason}")
        elif value < 0:
            self.flags.append(f"{quantity}:negative")
        else:
            self.values[quantity.value] = value

    def drop(self, quantity: str, reason: str) -> None:
        """Take a value back: it is there, but cannot be believed."""
        if self.values.pop(quantity, None) is not None:
            self.flags.append(f"{quantity}:{reason}")


class Device(Protocol):
    """A device and the way to ask it. ``poll`` raises `Unanswered`."""

    info: SourceInfo

    def poll(self, now_s: float, deadline: Deadline) -> Polled:
        """Ask once. ``now_s`` is the reader's clock, by which the age of an unchanged mark is told."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class PlugSource:
    """A device as a source. Where a request fails the values are absent; the third in a row loses it."""

    def __init__(self, device: Device, clock: Clock | None = None) -> None:
        self.info = device.info
        self._device = device
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns
        self._failures = 0

    def read(self, segment: int) -> Reading:
        """Ask the device; the reading's stamp spans the whole request. Raises `SourceLost`."""
        begin_ns = self._now_ns()
        try:
            polled = self._device.poll(begin_ns * 1e-9, Deadline())
            self._failures = 0
        except Unanswered as error:
            reason = error.reason
            self._failures += 1
            if reason in _FINAL or self._failures >= _FAILURES_TO_LOSE:
                self._device.close()
                raise SourceLost(reason) from error
            polled = Polled(flags=[f"{quantity}:{reason}" for quantity in self.info.quantities])
        t_ns = self._now_ns()
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            polled.values,
            read_ns=t_ns - begin_ns,
            t_driver_ns=polled.t_driver_ns,
            flags=tuple(polled.flags),
        )

    def close(self) -> None:
        """Hang up."""
        self._device.close()


@dataclass(slots=True)
class Mark:
    """A mark that a living device moves (a minute's stamp, its clock); one that stops says that it is stale.

    Only a mark that was seen to move is believed to: a device without the time of day has one that stands
    still.
    """

    limit_s: float
    _value: object = None
    _since_s: float | None = None
    _has_moved: bool = False

    def is_stale(self, value: object, now_s: float) -> bool:
        """Note the mark; tell whether it has stood still for longer than ``limit_s``."""
        if value is None:
            return False
        if self._since_s is None or value != self._value:
            self._has_moved = self._since_s is not None
            self._value, self._since_s = value, now_s
            return False
        return self._has_moved and now_s - self._since_s > self.limit_s
