"""A study of the published method as plain JSON values, unrounded; each null has its reason."""

from __future__ import annotations

from typing import Any

from joulemark.frugal.published.criteria import Criterion
from joulemark.frugal.published.cutoff import Cutoff, no_p
from joulemark.frugal.published.frame_study import StudiedFrame
from joulemark.frugal.published.honest import whole_of
from joulemark.frugal.published.loss import Loss
from joulemark.frugal.published.normality import NO_EVIDENCE
from joulemark.frugal.published.projection import OtherModel, Projected
from joulemark.frugal.published.self_application import SelfApplication
from joulemark.frugal.published.study import NullResult, Study

NO_DATA = "random numbers have no score to lose"


def study_json(found: Study) -> dict[str, Any]:
    """Return the study. ``loss`` is a share of the metric's range (0.004: 0.4 points of 100)."""
    values = found.outcomes.values
    return {
        "name": found.outcomes.name,
        "metric": found.outcomes.metric,
        "n_items": len(found.outcomes),
        "mean": float(values.mean()),
        "range": [found.outcomes.low, found.outcomes.high],
        "stratified": found.stratified,
        **_of_cutoff(found.cutoff, found.ks_p),
        "loss": found.loss.absolute,
        "loss_sd": found.loss.absolute_sd,
        "loss_relative": found.loss.relative,
        "loss_relative_sd": found.loss.relative_sd,
        "loss_by_formula": found.loss.formula,
        "interval": list(found.interval),
        "target": found.wanted.text,
        "needed_n": found.needed_n,
        "n_drawn_from": whole_of(found.outcomes),
        "needed_n_reason": None if found.needed_n is not None else "a share of a mean of 0 is nothing",
        "rarer_in_frame": found.rarer_in_frame,
        "rarer_in_frame_reason": "items are not right or wrong" if found.rarer_in_frame is None else None,
        "leaves_constant": found.leaves_constant,
        "null": _null(found.null),
        "criteria": [_criterion(one) for one in found.criteria],
        "projections": [_projection(*one) for one in found.projected],
        "frame_study": None if found.frame_study is None else [_frame(one) for one in found.frame_study],
        "self_application": None if found.self_application is None else _applied(found.self_application),
        "notes": [*found.outcomes.warnings, *found.outcomes.notes],
    }


def null_json(found: NullResult) -> dict[str, Any]:
    """Return random numbers alone, with the names that a study has."""
    return {
        "name": f"random numbers ({found.kind})",
        "n_items": found.cutoff.frames.n_items,
        **_of_cutoff(found.cutoff, found.ks_p),
        "loss": None,
        "interval": None,
        "needed_n": None,
        "reason": NO_DATA,
        "null": _null(found),
    }


def _of_cutoff(cutoff: Cutoff, ks_p: float | None) -> dict[str, Any]:
    method = cutoff.method
    return {
        "cutoff_fraction": cutoff.mean,
        "cutoff_sd": cutoff.sd,
        "cutoff_items": cutoff.n_items,
        "shuffles_without_knee": cutoff.n_without_knee,
        "ks_p": ks_p,
        "ks_p_reason": None if ks_p is not None else no_p(cutoff),
        "ks_p_note": None if ks_p is None else NO_EVIDENCE,
        "method": {
            "reading": method.reading.value,
            "exact": cutoff.is_exact,
            "frame_items": cutoff.frames.length,
            "slopes": len(cutoff.frames.starts),
            "slope": method.slope_of(cutoff.frames.n_items).value,
            "frac": method.frac,
            "passes": method.passes,
            "sensitivity": method.sensitivity,
            "shuffles": method.shuffles,
            "seed": method.seed,
        },
    }


def _null(found: NullResult) -> dict[str, Any]:
    return {
        "kind": found.kind.value,
        "cutoff_fraction": found.cutoff.mean,
        "cutoff_sd": found.cutoff.sd,
        "ks_p": found.ks_p,
        "exact": found.cutoff.is_exact,
        "slope": found.cutoff.method.slope_of(found.cutoff.frames.n_items).value,
    }


def _loss(loss: Loss | None) -> dict[str, float | None]:
    return {
        "loss": None if loss is None else loss.absolute,
        "loss_relative": None if loss is None else loss.relative,
        "loss_by_formula": None if loss is None else loss.formula,
    }


def _criterion(one: Criterion) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "kind": None if one.total is None else one.kind,
        "n_items": one.n_items,
        "total": one.total,
        "at_cutoff": one.spent,
        "saved": one.saved,
        "saved_half_width": one.saved_half,
        "cutoff_fraction": one.fraction,
        "loss_relative": one.relative_loss,
        "reason": one.why or None,
    }


def _projection(other: OtherModel, rows: tuple[Projected, ...]) -> dict[str, Any]:
    return {
        "model": other.name,
        "kind": "modelled",
        "verbosity": other.verbosity,
        "criteria": [
            {
                "name": row.name,
                "title": row.title,
                "total": row.total,
                "saved": row.saved,
                "reason": row.why or None,
            }
            for row in rows
        ],
    }


def _frame(one: StudiedFrame) -> dict[str, Any]:
    return {
        "frame_items": one.length,
        "frame_share": one.share,
        "cutoff_fraction": one.fraction,
        "cutoff_sd": one.sd,
        "ks_p": one.ks_p,
        **_loss(one.loss),
        "reason": one.why or None,
    }


def _applied(found: SelfApplication) -> dict[str, Any]:
    return {
        "ended": found.ended.value,
        "steps": [
            {
                "n_items": step.n_items,
                "n_left": step.n_left,
                "cutoff_fraction": step.fraction,
                "cutoff_sd": step.sd,
                "ks_p": step.ks_p,
                "rejected": step.rejected,
                **_loss(step.loss),
            }
            for step in found.steps
        ],
    }
