"""A thermal guard: a device that throttles from heat measures its cooler, not the model.

Pure: it is fed with readings and says what the run should do. ``go`` → hot for 10 s → ``pause`` → cool for a
while → ``go``; still hot after 300 s of pause → ``stop``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from joulemark.record.telemetry import Quantity, Reading

HW_THERMAL_SLOWDOWN = 0x40  # nvmlClocksEventReasonHwThermalSlowdown
_NS = 1_000_000_000


class Advice(StrEnum):
    """What the run should do now."""

    GO = "go"
    PAUSE = "pause"
    STOP = "stop"


@dataclass(slots=True)
class _Heat:
    """What is known of one source: each sign of heat stands until the source says otherwise."""

    masked: bool = False
    counting: bool = False
    too_warm: bool = False
    counter_ns: float | None = None
    hot_since_ns: int | None = None
    cool_since_ns: int | None = None

    @property
    def is_hot(self) -> bool:
        return self.masked or self.counting or self.too_warm


class ThermalGuard:
    """Watches any number of sources; one hot source is enough to pause.

    Hot means: the driver's mask shows a hardware thermal slowdown, its cumulative hardware thermal counter
    moved between two readings, or the temperature is above ``limit_c`` (null: no limit of our own). A
    device counts as cool again ``hysteresis_c`` below the limit.
    """

    def __init__(
        self,
        *,
        limit_c: float | None = None,
        hot_s: float = 10.0,
        stop_s: float = 300.0,
        cool_s: float = 5.0,
        hysteresis_c: float = 5.0,
    ) -> None:
        self._limit_c, self._hysteresis_c = limit_c, hysteresis_c
        self._hot_ns, self._stop_ns, self._cool_ns = (round(s * _NS) for s in (hot_s, stop_s, cool_s))
        self._sources: dict[str, _Heat] = {}
        self._paused_since_ns: int | None = None
        self._stopped = False
        self.advice = Advice.GO
        self.why = ""

    def feed(self, reading: Reading) -> Advice:
        """Take a reading and return the advice at its instant. Readings come in order of time."""
        heat = self._sources.setdefault(reading.source, _Heat())
        self._note_signs(heat, reading)
        if heat.is_hot:
            heat.cool_since_ns = None
            heat.hot_since_ns = reading.t_ns if heat.hot_since_ns is None else heat.hot_since_ns
        else:
            heat.hot_since_ns = None
            heat.cool_since_ns = reading.t_ns if heat.cool_since_ns is None else heat.cool_since_ns
        return self.advise(reading.t_ns)

    def advise(self, t_ns: int) -> Advice:
        """Return the advice at ``t_ns``; while paused it is to be asked for even where no reading comes."""
        if self._stopped:
            return self.advice
        if self._paused_since_ns is None:
            self._maybe_pause(t_ns)
        elif all(self._is_cool(heat, t_ns) for heat in self._sources.values()):
            self._paused_since_ns = None
            self.advice, self.why = Advice.GO, ""
        elif t_ns - self._paused_since_ns >= self._stop_ns:
            self._stopped = True
            self.advice = Advice.STOP
            self.why = f"still hot after {self._stop_ns / _NS:.0f} s of pause: {self.why}"
        return self.advice

    def _maybe_pause(self, t_ns: int) -> None:
        for name, heat in self._sources.items():
            if heat.hot_since_ns is not None and t_ns - heat.hot_since_ns >= self._hot_ns:
                self._paused_since_ns = t_ns
                self.advice, self.why = Advice.PAUSE, f"{name} {_sign(heat)}"
                return

    def _is_cool(self, heat: _Heat, t_ns: int) -> bool:
        return heat.cool_since_ns is not None and t_ns - heat.cool_since_ns >= self._cool_ns

    def _note_signs(self, heat: _Heat, reading: Reading) -> None:
        values = reading.values
        if (mask := values.get(Quantity.THROTTLE_REASONS)) is not None:
            heat.masked = bool(int(mask) & HW_THERMAL_SLOWDOWN)
        if (counter_ns := values.get(Quantity.THROTTLE_HW_THERMAL_NS)) is not None:
            heat.counting = heat.counter_ns is not None and counter_ns > heat.counter_ns
            heat.counter_ns = counter_ns
        if self._limit_c is not None and (celsius := values.get(Quantity.TEMPERATURE_C)) is not None:
            limit_c = self._limit_c - (self._hysteresis_c if heat.too_warm else 0.0)
            heat.too_warm = celsius > limit_c


def _sign(heat: _Heat) -> str:
    if heat.too_warm:
        return "is above its temperature limit"
    return "throttles from heat"
