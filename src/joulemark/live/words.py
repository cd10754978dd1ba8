"""One line of words for a stretch: what a prompt shows."""

from __future__ import annotations

from joulemark.live.stretch import Stretch
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.scope import Scope


def short(stretch: Stretch) -> str:
    """Return the duration and each scope's joules with their bound, or why there are none."""
    parts = [f"{Scope(path).label} {joules(energy)}" for path, energy in stretch.energies.items()]
    if not parts:
        parts = [f"no joules: {why(stretch.total)}"]
    made = ["REPLAYED"] * stretch.replayed + ["SIMULATED"] * stretch.simulated
    return "; ".join((f"{stretch.duration_s:.4g} s", *made, *parts))


def joules(energy: MeasuredOrWithheld) -> str:
    """Return ``JOULES J [LO, HI] METHOD``, or a dash with the reason."""
    if isinstance(energy, Withheld):
        return f"— ({why(energy)})"
    return f"{energy.joules:.4g} J [{energy.lo:.4g}, {energy.hi:.4g}] {energy.method.value}"


def why(energy: MeasuredOrWithheld) -> str:
    """Return why an energy is withheld, as sentences; nothing for one that is not."""
    if not isinstance(energy, Withheld):
        return ""
    return " ".join(filter(None, (energy.reason.text, energy.detail)))
