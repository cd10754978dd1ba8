"""The figures that a bundle states: numbers and codes, to be compared with what is recomputed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value

REL_TOLERANCE = 1e-9
"""Another machine's mathematical library may round the last digits of a figure otherwise."""


def stated_figures(summary: Summary) -> dict[str, Any]:
    """Return every scalar figure with its interval, the latencies, the counts and the tier."""
    return {
        "figures": {name: _value(value) for name, value in summary.figures.items()},
        "latency": {
            name: {
                "n_failed": latency.n_failed,
                "answered": {str(percent): _value(value) for percent, value in latency.answered.items()},
                "with_failures": {
                    str(percent): _value(value) for percent, value in latency.with_failures.items()
                },
            }
            for name, latency in summary.latency.items()
        },
        "other_energy": [
            {"meter": name, **_value(value)} for name, value in sorted(summary.other_energy.items())
        ],
        "verdicts": dict(summary.verdicts),
        "counts": {
            "n_wanted": summary.n_wanted,
            "n_items": summary.n_items,
            "n_requests": summary.n_requests,
            "n_scored": summary.n_scored,
            "n_correct": summary.n_correct,
            "n_retried": summary.n_retried,
        },
        "duration_s": summary.duration_s,
        "measurement_tier": summary.measurement_tier,
        "energy_source": summary.energy_source,
        "headline_source": summary.headline_source,
        "headline_scope": summary.headline_scope,
        "replayed": summary.replayed,
    }


def _value(value: Value) -> dict[str, Any]:
    return {
        "value": value.value,
        "unit": value.unit,
        "lo": value.lo,
        "hi": value.hi,
        "interval": value.interval,
        "n": value.n,
        "reason": None if value.reason is None else value.reason.value,
    }


def known_to(stated: dict[str, Any], recomputed: dict[str, Any]) -> dict[str, Any]:
    """Return what is recomputed without the figures that a bundle of another version does not have."""
    kept = dict(recomputed)
    for part in ("figures", "latency"):
        theirs = stated.get(part)
        if isinstance(theirs, dict):
            kept[part] = {name: value for name, value in recomputed[part].items() if name in theirs}
    return kept


def differences(stated: Any, recomputed: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield each place in which two documents differ by more than rounding: place, stated, recomputed."""
    if isinstance(stated, dict) and isinstance(recomputed, dict):
        for name in sorted({*stated, *recomputed}):
            yield from differences(stated.get(name), recomputed.get(name), f"{at}.{name}" if at else name)
    elif isinstance(stated, list) and isinstance(recomputed, list) and len(stated) == len(recomputed):
        for place, (one, other) in enumerate(zip(stated, recomputed, strict=True)):
            yield from differences(one, other, f"{at}[{place}]")
    elif not _same(stated, recomputed):
        yield at, stated, recomputed


def _same(stated: Any, recomputed: Any) -> bool:
    if isinstance(stated, bool) or isinstance(recomputed, bool):
        return stated is recomputed
    if isinstance(stated, int | float) and isinstance(recomputed, int | float):
        try:
            return math.isclose(stated, recomputed, rel_tol=REL_TOLERANCE, abs_tol=1e-12)
        except OverflowError:
            return False
    return bool(stated == recomputed)
