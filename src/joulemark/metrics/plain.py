"""The parts of a summary as plain JSON values, unrounded; each null has its reason beside it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.latency import Latency
from joulemark.metrics.repeats import Spread
from joulemark.metrics.value import Value
from joulemark.metrics.verdict_energy import VerdictCosts
from joulemark.record.attribution import AttributionCheck
from joulemark.record.reason import Reason

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


def reason_json(reason: Reason, detail: str = "") -> JsonValue:
    """Return a reason with its sentence and what completes it."""
    return {"code": reason.value, "text": reason.text, "detail": detail}


def intervals_json(figures: Mapping[str, Value]) -> dict[str, JsonValue]:
    """Return the intervals of the figures that have one; ``method`` where it is not the usual one."""
    return {
        name: {
            "lo": value.lo,
            "hi": value.hi,
            "kind": value.interval,
            **({"method": value.interval_method} if value.interval_method else {}),
        }
        for name, value in figures.items()
        if value.interval is not None
    }


def reasons_json(figures: Mapping[str, Value]) -> dict[str, JsonValue]:
    """Return why figures are null, by their names, and why intervals are, by ``intervals.NAME``."""
    found: dict[str, JsonValue] = {}
    for name, value in figures.items():
        if value.reason is not None:
            found[name] = reason_json(value.reason, value.detail)
        if value.interval_reason is not None:
            found[f"intervals.{name}"] = reason_json(value.interval_reason, value.detail)
    return found


def check_json(check: AttributionCheck) -> JsonValue:
    """Return the proof that an attribution adds up."""
    return {
        "method": check.method,
        "scope": check.scope,
        "total_j": check.total_j,
        "items_j": check.items_j,
        "idle_j": check.idle_j,
        "residual_j": check.residual_j,
        "reason": check.reason.value if check.reason else None,
    }


def latency_json(latency: Latency) -> JsonValue:
    """Return the percentiles of a latency in both forms."""
    forms: dict[str, JsonValue] = {"unit": "s", "n": len(latency.samples_s), "n_failed": latency.n_failed}
    for form, values in (("answered", latency.answered), ("with_failures", latency.with_failures)):
        forms[form] = {f"p{p}": value.value for p, value in values.items()}
        reasons = {f"p{p}": value.reason.value for p, value in values.items() if value.reason}
        forms[f"{form}_reasons"] = dict(reasons)
    return forms


def cost_model_json(model: CostModel) -> JsonValue:
    """Return a cost model by the names of its fields."""
    fields: dict[str, JsonValue] = {
        field.name: _listed(getattr(model, field.name))
        for field in dataclasses.fields(model)
        if field.name not in ("reason", "detail", "n_blocks")
    }
    if model.n_blocks is not None:
        fields["n_blocks"] = model.n_blocks
    fields["reason"] = reason_json(model.reason, model.detail) if model.reason else None
    return fields


def spread_json(spread: Spread) -> JsonValue:
    """Return a mean with its standard deviation and the values behind it."""
    return {
        "mean": spread.mean,
        "sigma": spread.sigma,
        "n": spread.n,
        "unit": spread.unit,
        "values": list(spread.values),
        "reason": reason_json(spread.reason, spread.detail) if spread.reason else None,
    }


def verdict_costs_json(costs: VerdictCosts) -> JsonValue:
    """Return the bill by verdict; ``reasons`` by row and field."""
    reasons: dict[str, JsonValue] = {}

    def point(name: str, value: Value) -> float | None:
        if value.reason is not None:
            reasons[name] = reason_json(value.reason, value.detail)
        return value.value

    rows: dict[str, JsonValue] = {}
    for row in costs.rows:
        rows[row.verdict] = {
            "n": row.n,
            "share_of_requests": row.share_of_requests,
            "cost": point(f"{row.verdict}.cost", row.cost),
            "share_of_cost": point(f"{row.verdict}.share_of_cost", row.share_of_cost),
            "mean_cost": point(f"{row.verdict}.mean_cost", row.mean_cost),
        }
    return {
        "resource": costs.resource,
        "unit": costs.unit,
        "total": point("total", costs.total),
        "rows": rows,
        "unattributed": point("unattributed", costs.unattributed),
        "share_unattributed": point("share_unattributed", costs.share_unattributed),
        "reasons": reasons,
    }


def _listed(value: JsonValue | tuple[object, ...]) -> JsonValue:
    """Return tuples as lists, all the way down."""
    if isinstance(value, tuple):
        return [_listed(part) for part in value]  # type: ignore[arg-type]
    return value
