"""How often exporters renew what they show, by the first part of a series' name, at their default settings.

How old a value may be is a part of every bound, and nothing on a page tells it. What is not known here has to
be said by the user: a guess would make a bound that does not hold.
"""

from __future__ import annotations

# node_exporter reads RAPL and hwmon when it is asked; Kepler has monitor.interval; Scaphandre keeps records
# for a few seconds; our own exporter adds its energies up every five; DCGM's has --collect-interval.
_RENEWED_S = {
    "node_rapl_": 1.0,
    "node_hwmon_": 1.0,
    "kepler_": 5.0,
    "scaph_": 5.0,
    "joulemark_": 5.0,
    "DCGM_": 30.0,
}
_AVERAGED = ("kepler_", "scaph_")


def renewed_s(name: str) -> float | None:
    """Return how often its exporter renews a series (seconds); null where that is not known."""
    return next((seconds for prefix, seconds in _RENEWED_S.items() if name.startswith(prefix)), None)


def is_average(name: str) -> bool:
    """Tell whether a power is the mean since the last renewal."""
    return name.startswith(_AVERAGED)
