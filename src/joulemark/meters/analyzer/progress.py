"""Whether an integration goes on as time does: its own clock tells a held display and a hidden restart."""

from __future__ import annotations

from dataclasses import dataclass

STALE, RESTARTED = "stale", "restarted"
_RUNNING = "START"


@dataclass(slots=True)
class Progress:
    """Follows the elapsed time that an instrument shows with its integral.

    ``still_ns``: for longer than this a running integration never shows the same second.
    """

    still_ns: int
    _elapsed_s: float | None = None
    _energy_wh: float | None = None
    _moved_ns: int = 0
    _restarted: bool = False

    def doubt(self, elapsed_s: float | str, energy_wh: float | str, t_ns: int, state: str) -> str | None:
        """Return `STALE` for values of the past, `RESTARTED` for an integral with a hidden restart, or null.

        A restart is hidden when the integral has already passed what it was: then no fall shows it, and
        nothing read later says how much is missing.
        """
        if state != _RUNNING or not isinstance(elapsed_s, float):
            self._elapsed_s = None
            return RESTARTED if self._restarted else None
        before_s, before_wh = self._elapsed_s, self._energy_wh
        self._energy_wh = energy_wh if isinstance(energy_wh, float) else before_wh
        if before_s is None or elapsed_s != before_s:
            self._elapsed_s, self._moved_ns = elapsed_s, t_ns
        elif t_ns - self._moved_ns > self.still_ns:
            return STALE
        if before_s is not None and elapsed_s < before_s and before_wh is not None:
            self._restarted |= isinstance(energy_wh, float) and energy_wh >= before_wh
        return RESTARTED if self._restarted else None
