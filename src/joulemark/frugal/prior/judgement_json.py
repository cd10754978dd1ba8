"""A judgement as plain JSON values, unrounded; each null has its reason."""

from __future__ import annotations

from typing import Any

from joulemark.frugal.prior.estimate import Estimate
from joulemark.frugal.prior.judge import Judgement


def judgement_json(judged: Judgement) -> dict[str, Any]:
    """Return the figures, their intervals and what is to be known about them."""
    figure, choice = judged.figure, judged.choice
    return {
        "model": judged.outcomes.name,
        "task": choice.task,
        "method": choice.method,
        "allocation": choice.allocation,
        "n_asked": figure.n,
        "n_items": figure.of,
        "n_whole": judged.outcomes.n_whole,
        "n_whole_reason": None if judged.outcomes.n_whole is not None else "the outcomes do not say it",
        "metric": judged.outcomes.metric,
        "figure": estimate_json(figure),
        "variance_reduction": figure.gain,
        "worth_items": figure.worth,
        "costs": {name: estimate_json(of) for name, of in judged.costs.items()},
        "costs_per_correct": {name: estimate_json(of) for name, of in judged.per_correct.items()},
        "modelled": sorted(judged.outcomes.modelled),
        "models_learned_from": len(choice.models),
        "best_prior_mean": choice.best,
        "warnings": list(judged.warnings),
        "notes": list(judged.notes),
    }


def estimate_json(of: Estimate) -> dict[str, Any]:
    """Return one figure with its 95 % interval, or why that is withheld."""
    interval = None if of.lo is None or of.hi is None else {"lo": of.lo, "hi": of.hi, "kind": "ci95"}
    return {
        "value": of.value,
        "interval": interval,
        "interval_reason": of.why_no_interval or None,
        "gain": of.gain,
    }
