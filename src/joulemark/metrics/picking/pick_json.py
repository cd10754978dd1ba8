"""What was picked as plain JSON values, unrounded; each null has its entry under ``reasons``."""

from __future__ import annotations

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.constraints import Constraint, Kept, Named
from joulemark.metrics.picking.pick import Picked, Ranked, Table, not_full
from joulemark.metrics.picking.price import Priced
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.plain import JsonValue, cost_model_json, intervals_json, reasons_json
from joulemark.metrics.value import Value


def picked_json(found: Picked) -> dict[str, JsonValue]:
    """Return all of it by the names of the figures' definitions."""
    best = found.best
    return {
        "by": found.wanted.by,
        "figure": found.wanted.figure,
        "workload": _workload_json(found),
        "asked": [_constraint_json(one) for one in found.wanted.constraints],
        "best": _row_json(best) if best is not None else None,
        "tables": [_table_json(table) for table in found.tables],
        "ruled_out": [
            {**_priced_json(one.priced), "failed": [kept_json(check) for check in one.failed]}
            for one in found.ruled_out
        ],
        "not_priced": [
            {**_who(one.candidate.point), "code": one.code, "text": one.text} for one in found.not_priced
        ],
        "n_per_request": found.n_per_request,
        "notes": list(found.notes),
        "units": dict(told.UNITS),
    }


def kept_json(check: Kept) -> dict[str, JsonValue]:
    """Return a constraint, the figure or text that was held against it, and whether it is kept."""
    value = check.value
    return {
        **_constraint_json(check.constraint),
        "met": check.met,
        "value": value.value if value is not None else check.text,
        "lo": value.lo if value is not None else None,
        "hi": value.hi if value is not None else None,
        "within_noise": check.within_noise,
        "reason": None
        if value is None or value.reason is None
        else {"code": value.reason.value, "text": value.reason.text, "detail": value.detail},
    }


def _constraint_json(constraint: Constraint) -> dict[str, JsonValue]:
    if isinstance(constraint, Named):
        return {"name": constraint.name, "limit": constraint.wanted, "at_least": None}
    return {"name": constraint.name, "limit": constraint.bound, "at_least": constraint.at_least}


def _table_json(table: Table) -> dict[str, JsonValue]:
    return {
        "kind": table.kind,
        "tier": table.tier,
        "scope": table.scope,
        "task": table.task,
        "questions": table.questions,
        "rows": [_row_json(row) for row in table.rows],
    }


def _row_json(row: Ranked) -> dict[str, JsonValue]:
    made = _priced_json(row.priced, row.probability)
    ranks: JsonValue = None if row.ranks is None else list(row.ranks)
    return {
        **made,
        told.RANK.name: ranks,
        "limits": [kept_json(check) for check in row.checks],
    }


def _priced_json(row: Priced, probability: Value | None = None) -> dict[str, JsonValue]:
    candidate, point = row.candidate, row.candidate.point
    figures = {**row.figures, "accuracy": point.accuracy}
    if probability is not None:
        figures[told.PROBABILITY.name] = probability
    return {
        **_who(point),
        **{name: value.value for name, value in figures.items()},
        "intervals": intervals_json(figures),
        "reasons": reasons_json(figures),
        "workload": None if row.workload is None else _lengths_json(row.workload),
        "extrapolated": list(row.extrapolated),
        "loaded": candidate.loaded,
        "in_flight": candidate.in_flight,
        "load_note": not_full(row) or None,
        "scaled_j_per_token": candidate.scaled_j_per_token,
        "cost_model": cost_model_json(candidate.model),
        "transfers": [
            {"task": one.task, "error_pct": one.error.value, "lo": one.error.lo, "hi": one.error.hi}
            for one in candidate.transfers
        ],
        "own_mean_lengths": None if candidate.own is None else list(candidate.own),
        "notes": [*candidate.notes, *point.notes],
    }


def _who(point: OperatingPoint) -> dict[str, JsonValue]:
    names = ("model", "label", "kind", "device", "n_devices", "tier", "scope", "task", "questions", "origin")
    return {name: getattr(point, name) for name in (*names, "config_hash")}


def _workload_json(found: Picked) -> dict[str, JsonValue]:
    workload = found.workload
    if isinstance(workload, Workload):
        return _lengths_json(workload)
    return {
        "prompt_tokens": None,
        "completion_tokens": workload.completion_tokens,
        "n": len(workload.requests),
        "requests_per_day": workload.requests_per_day,
        "told": workload.told,
    }


def _lengths_json(workload: Workload) -> dict[str, JsonValue]:
    return {
        "prompt_tokens": workload.prompt_tokens,
        "completion_tokens": workload.completion_tokens,
        "covariance": [list(row) for row in workload.covariance],
        "prompt_span": list(workload.prompt_span),
        "completion_span": list(workload.completion_span),
        "n": workload.n,
        "requests_per_day": workload.requests_per_day,
        "told": workload.told,
    }
