"""A recommendation as plain JSON values, unrounded; each null has its entry under ``reasons``."""

from __future__ import annotations

import math

from joulemark.metrics.limits import Checked
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.plain import JsonValue, intervals_json, reason_json, reasons_json
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.recommendation import Recommendation
from joulemark.metrics.value import Value, withheld
from joulemark.metrics.why_none import why_none
from joulemark.record.reason import Reason

UNITS = {
    "energy_j": "J",
    "joules_per_correct": "J",
    "accuracy": "1",
    "throughput": "1/s",
    "tokens_per_second": "tokens/s",
    "throughput_per_watt": "tokens/J",
    "mean_power_w": "W",
    "tdp_energy_j": "J",
    "tdp_ratio": "1",
    "usd": "USD",
    "gco2e": "gCO2e",
}
"""The figures, with the units in which they are null where nothing was picked; media have others a watt."""
FIGURES = tuple(UNITS)
_TPOT, _WHOLE = "tpot_mean", "e2el_mean"


def recommendation_json(found: Recommendation) -> dict[str, JsonValue]:
    """Return the pick's figures at the top level, and all else by name.

    ``tpot_s`` and ``latency_s`` are the pick's mean time per output token and mean end-to-end latency;
    ``energy_j`` its joules a unit; ``saving_fraction`` what it saves of the objective against the fastest.
    """
    pick = found.pick
    figures = {name: _of(found, name) for name in FIGURES}
    figures["tpot_s"], figures["latency_s"] = _of(found, _TPOT), _of(found, _WHOLE)
    figures["saving_fraction"] = found.savings["fastest"]
    return {
        "model": pick.model if pick else (found.ranked[0].model if found.ranked else None),
        "task": found.ranked[0].task if found.ranked else None,
        "kind": pick.kind if pick else None,
        "unit": found.ranked[0].unit if found.ranked else None,
        "objective": found.wish.objective,
        "latency": found.latency,
        "label": pick.label if pick else None,
        "device": pick.device if pick else None,
        "n_devices": pick.n_devices if pick else None,
        "settings": dict(pick.settings) if pick else None,
        **{name: value.value for name, value in figures.items()},
        "intervals": intervals_json(figures),
        "units": {name: value.unit for name, value in figures.items()},
        "reasons": reasons_json(figures),
        "limits": [_check_json(check) for check in (found.checks(pick) if pick else ())],
        "asked": [
            {"name": limit.name, "bound": limit.bound, "at_least": limit.at_least}
            for limit in found.wish.limits
        ],
        "savings": {name: _saving_json(value) for name, value in found.savings.items()},
        "pick": point_json(pick) if pick else None,
        "fastest": point_json(found.fastest) if found.fastest else None,
        "default": point_json(found.default) if found.default else None,
        "least_energy": point_json(found.least_energy) if found.least_energy else None,
        "ties": [point_json(point) for point in found.ties],
        "n_ranked": len(found.ranked),
        "n_met": len(found.met),
        "frontier": {
            "axes": list(found.front.axes),
            "points": [point_json(point) for point in found.front.front],
            "tied": [point_json(found.front.points[k]) for k in found.front.tied],
            "n_points": len(found.front.points) - len(found.front.left_out),
        },
        "near_misses": [
            {
                "point": point_json(miss.point),
                "worst_share": _finite(miss.worst),
                "limits": [_check_json(check) for check in miss.checks],
            }
            for miss in found.near_misses
        ],
        "left_out": [
            {
                "model": one.point.model,
                "label": one.point.label,
                "kind": one.point.kind,
                "origin": one.point.origin,
                "code": one.code,
                "text": one.text,
            }
            for one in found.left_out
        ],
        "notes": list(found.notes),
    }


def point_json(point: OperatingPoint) -> dict[str, JsonValue]:
    """Return one operating point by the names of its fields; each null figure has its reason."""
    figures = {name: figure_of(point, name) for name in FIGURES}
    figures.update({f"latencies_s.{name}": value for name, value in point.latencies_s.items()})
    return {
        "label": point.label,
        "kind": point.kind,
        "model": point.model,
        "task": point.task,
        "unit": point.unit,
        "device": point.device,
        "n_devices": point.n_devices,
        "tier": point.tier,
        "scope": point.scope,
        "config_hash": point.config_hash,
        "questions": point.questions,
        "settings": dict(point.settings),
        "flags": dict(point.flags),
        **{name: figures[name].value for name in FIGURES},
        "latencies_s": {name: value.value for name, value in point.latencies_s.items()},
        "intervals": intervals_json(figures),
        "reasons": {**reasons_json(figures), **_no_device(point)},
        "origin": point.origin,
        "notes": list(point.notes),
        "late": point.late,
    }


def _no_device(point: OperatingPoint) -> dict[str, JsonValue]:
    if point.device is not None:
        return {}
    return {"device": reason_json(Reason.NOT_PUBLISHED if point.kind == "published" else Reason.NOT_REPORTED)}


def _of(found: Recommendation, name: str) -> Value:
    """Return a figure of the pick, or why there is none."""
    if found.pick is not None:
        return figure_of(found.pick, name)
    return withheld(_unit(found, name), Reason.NOT_APPLICABLE, detail=why_none(found))


def _unit(found: Recommendation, name: str) -> str:
    points = (*found.ranked, *(one.point for one in found.left_out))
    asked_for = points[0].unit if points else "request"
    if name == "throughput_per_watt" and asked_for != "request":
        return f"{asked_for}s/J"
    return UNITS.get(name, "s")


def _saving_json(value: Value) -> JsonValue:
    return {
        "fraction": value.value,
        "lo": value.lo,
        "hi": value.hi,
        "interval": value.interval,
        "reason": reason_json(value.reason, value.detail) if value.reason else None,
    }


def _check_json(check: Checked) -> JsonValue:
    return {
        "name": check.limit.name,
        "bound": check.limit.bound,
        "at_least": check.limit.at_least,
        "value": check.value.value,
        "met": check.met,
        "within_noise": check.within_noise,
        "missed_by": check.missed_by,
        "missed_share": _finite(check.missed_share),
    }


def _finite(number: float | None) -> float | None:
    return None if number is None or math.isinf(number) else number
