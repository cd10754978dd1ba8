"""The books: the true energy of each device, as a piecewise linear function of time (ADR 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from joulemark.simulate.log import StepLog

Floats = NDArray[np.float64]
Times = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ByCause:
    """Joules by cause: ``idle_j`` of devices that are on, ``prefill_j`` and ``decode_j`` above that.

    ``nobodys_j`` is the part of ``idle_j`` in which no request ran on the instance; it belongs to no request.
    """

    idle_j: float
    prefill_j: float
    decode_j: float
    nobodys_j: float

    @property
    def total_j(self) -> float:
        """All of it."""
        return self.idle_j + self.prefill_j + self.decode_j


class DeviceCourse:
    """The energy of one instance's ``devices``, which all draw the same; joules are of all of them."""

    __slots__ = (
        "_decode_j",
        "_gap_ns",
        "_knots_ns",
        "_prefill_j",
        "_spent_j",
        "_t0_ns",
        "devices",
        "end_ns",
        "idle_w",
    )

    def __init__(self, log: StepLog, t0_ns: int, idle_w: float, devices: int) -> None:
        self._t0_ns, self.idle_w, self.devices = t0_ns, idle_w, devices
        begun, ended = log.integers("t0_ns"), log.integers("t1_ns")
        self.end_ns = int(ended[-1]) if len(ended) else t0_ns
        self._knots_ns = np.concatenate(([0.0], np.column_stack((begun, ended)).ravel() - float(t0_ns)))
        self._gap_ns = np.concatenate(([0.0], np.repeat(log.integers("gap_ns"), 2)))
        self._spent_j = _stairs(log.joules("spent_j"))
        self._prefill_j = _stairs(log.joules("prefill_j"))
        self._decode_j = _stairs(log.joules("decode_j"))

    def by_cause(self, t_ns: Times) -> tuple[Floats, Floats, Floats, Floats]:
        """Return joules up to ``t_ns``: idle, prefill, decode, nobody's. Idle power goes on for ever."""
        at = (t_ns - self._t0_ns).astype(np.float64)
        spent, prefill, decode, gap_ns = (
            np.interp(at, self._knots_ns, column)
            for column in (self._spent_j, self._prefill_j, self._decode_j, self._gap_ns)
        )
        outside_ns = np.maximum(0.0, at - self._knots_ns[-1]) + np.minimum(0.0, at)
        nobodys = self.devices * self.idle_w * ((gap_ns + outside_ns) * 1e-9)
        return spent - prefill - decode + nobodys, prefill, decode, nobodys

    def energy_j(self, t_ns: Times) -> Floats:
        """Return joules from the start to ``t_ns``."""
        idle, prefill, decode, _ = self.by_cause(t_ns)
        return idle + prefill + decode


def _stairs(totals: NDArray[np.float64]) -> Floats:
    """Return a running total at the start, and at the beginning and end of each step."""
    before = np.concatenate(([0.0], totals))
    return np.concatenate(([0.0], np.column_stack((before[:-1], before[1:])).ravel()))


class Books:
    """True energies from ``t0_ns`` to ``t_end_ns`` and, at idle power, before and after.

    Devices are numbered as in `ServerConfig.devices`.
    """

    __slots__ = ("_courses", "t0_ns", "t_end_ns")

    def __init__(self, courses: Sequence[DeviceCourse], t0_ns: int, t_end_ns: int) -> None:
        self._courses, self.t0_ns, self.t_end_ns = tuple(courses), t0_ns, t_end_ns

    @property
    def devices(self) -> int:
        """Devices in all."""
        return sum(course.devices for course in self._courses)

    def energy_j(self, device: int, t_ns: ArrayLike) -> Floats:
        """Return the joules of a device from ``t0_ns`` to each of ``t_ns``, in its shape.

        Raises ``ValueError`` for a device that there is not.
        """
        course = self._course(device)
        return course.energy_j(np.asarray(t_ns, dtype=np.int64)) / course.devices

    def between_j(self, t0_ns: int, t1_ns: int, device: int | None = None) -> float:
        """Return the joules of a window, of one device or of all."""
        return self.by_cause(t0_ns, t1_ns, device).total_j

    def by_cause(
        self, t0_ns: int | None = None, t1_ns: int | None = None, device: int | None = None
    ) -> ByCause:
        """Return the joules of a window by cause; null ends are those of the books, a null device is all."""
        edges = np.array(
            [self.t0_ns if t0_ns is None else t0_ns, self.t_end_ns if t1_ns is None else t1_ns],
            dtype=np.int64,
        )
        chosen = self._courses if device is None else (self._course(device),)
        sums = np.zeros(4)
        for course in chosen:
            part = 1.0 if device is None else 1.0 / course.devices
            sums += [part * float(column[1] - column[0]) for column in course.by_cause(edges)]
        return ByCause(*sums.tolist())

    @property
    def idle_j(self) -> float:
        """Idle energy of all devices, with and without requests."""
        return self.by_cause().idle_j

    @property
    def prefill_j(self) -> float:
        """Energy above idle of all prefill."""
        return self.by_cause().prefill_j

    @property
    def decode_j(self) -> float:
        """Energy above idle of all decoding, moving context to the host and back included."""
        return self.by_cause().decode_j

    @property
    def nobodys_j(self) -> float:
        """The part of ``idle_j`` in which no request ran on the instance."""
        return self.by_cause().nobodys_j

    @property
    def total_j(self) -> float:
        """All of it."""
        return self.by_cause().total_j

    def _course(self, device: int) -> DeviceCourse:
        if device < 0:
            raise ValueError(f"no device {device}")
        first = 0
        for course in self._courses:
            if first <= device < first + course.devices:
                return course
            first += course.devices
        raise ValueError(f"no device {device}: there are {first}")
