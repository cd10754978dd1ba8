"""From a choice of items and what a model made of them to figures of the whole task."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.outcomes.outcomes import Floats, Outcomes
from joulemark.frugal.prior import anchors
from joulemark.frugal.prior.choice import Choice
from joulemark.frugal.prior.control_variate import controlled_mean, fitted_mean
from joulemark.frugal.prior.draw import best_mean, control_of
from joulemark.frugal.prior.earlier import restricted
from joulemark.frugal.prior.estimate import Estimate
from joulemark.frugal.prior.strata import Sampled, stratified_mean
from joulemark.record.errors import InputError

_PRIOR_IS_A_SAMPLE = 1e-12
_KNOWN = ("accuracy", "score")
"""What a prior holds of other models; of a cost it says nothing."""
_DECIDED = (
    "a decision ended the run when it was clear, and an interval of so many questions does not allow for it"
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model's outcomes on chosen items say of the whole task.

    ``figure`` is the accuracy or the mean score; ``costs`` the mean cost of an item by name, ``per_correct``
    the same per correct answer. ``warnings`` are to be read before the figures, ``notes`` beside them.
    """

    choice: Choice
    outcomes: Outcomes
    figure: Estimate
    costs: Mapping[str, Estimate] = field(default_factory=dict)
    per_correct: Mapping[str, Estimate] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def judge(choice: Choice, outcomes: Outcomes) -> Judgement:
    """Estimate a task's figures; raises `InputError` where the outcomes are not of the chosen items."""
    if not outcomes.item_ids:
        raise InputError(
            "the outcomes have no item ids",
            why="without them none can be matched",
            fix="add a column item_id",
        )
    asked = restricted(outcomes, choice.item_ids)
    if not len(asked):
        raise InputError(
            "none of the chosen items has an outcome",
            why=f"the choice has ids like {choice.item_ids[0]!r}, the outcomes like {outcomes.item_ids[0]!r}",
            fix="name the run that asked these items (joulemark bench run TASK --items CHOICE)",
        )
    notes = [*outcomes.notes, *_missing(choice, outcomes, asked), *_of_which(choice, outcomes)]
    mean = _mean_of(choice, asked)
    share = outcomes.metric == "accuracy" and asked.is_binary
    figure = mean(asked.values, "share" if share else "score" if asked.metric in _KNOWN else "other")
    warnings = [*outcomes.warnings, *_warnings(choice, figure, outcomes.metric)]
    if outcomes.decided:
        figure = _without_interval(figure)
    costs: dict[str, Estimate] = {}
    per_correct: dict[str, Estimate] = {}
    for name, of in asked.costs.items():
        if not np.isfinite(of).all():
            notes.append(f"{int((~np.isfinite(of)).sum())} items have no {name}: it is not estimated")
            continue
        lowest = 0.0 if of.min() >= 0 else -math.inf
        costs[name] = _above(lowest, mean(of, "other"))
        if share and figure.value > 0:
            ratio = costs[name].value / figure.value
            ratio_found = _above(lowest, _ratio(mean, of, asked.values, ratio, figure))
            per_correct[name] = _without_interval(ratio_found) if outcomes.decided else ratio_found
    return Judgement(choice, asked, figure, costs, per_correct, tuple(warnings), tuple(notes))


Kind = Literal["share", "score", "other"]
Mean = Callable[[Floats, Kind], Estimate]


def _mean_of(choice: Choice, asked: Outcomes) -> Mean:
    """Return what estimates the mean over all items of a column of those that were asked."""
    if choice.method == "anchors":
        weights = np.array([choice.weights[item] for item in asked.item_ids])
        return lambda values, _: anchors.anchored_mean(values, weights, choice.n_items)
    if choice.method == "strata":
        return _within_strata(choice, asked)
    control = choice.control
    if control is None:
        nothing = np.zeros(len(asked))
        return lambda values, kind: controlled_mean(
            values, nothing, 0.0, 0.0, choice.n_items, is_share=kind == "share"
        )
    x = np.array([control.x[item] for item in asked.item_ids])
    return _controlled(x, control.x_of_all, control.slope, choice.n_items)


def _controlled(x: Floats, x_of_all: float, slope: float | None, of: int) -> Mean:
    def mean(values: Floats, kind: Kind) -> Estimate:
        if slope is None or kind == "other":  # how a cost follows the difficulty nobody has said beforehand
            return fitted_mean(values, x, x_of_all, of, is_share=kind == "share")
        return controlled_mean(values, x, x_of_all, slope, of, is_share=kind == "share")

    return mean


def _within_strata(choice: Choice, asked: Outcomes) -> Mean:
    place = {item: k for k, item in enumerate(asked.item_ids)}
    drawn = [[place[item] for item in one.item_ids if item in place] for one in choice.strata]
    if not all(drawn):
        raise InputError(
            f"{sum(not one for one in drawn)} of {len(drawn)} strata have no outcome",
            why="what nobody was asked in a stratum cannot be estimated from the others",
            fix="finish the run: the same command resumes it",
        )

    def mean(values: Floats, kind: Kind) -> Estimate:
        samples = [
            Sampled(one.size, values[places]) for one, places in zip(choice.strata, drawn, strict=True)
        ]
        return stratified_mean(samples, is_share=kind == "share")

    return mean


def _ratio(mean: Mean, costs: Floats, correct: Floats, ratio: float, figure: Estimate) -> Estimate:
    """Return cost per correct answer: its error follows the mean of cost − ratio·correct (Cochran 6.4)."""
    residual = mean(costs - ratio * correct, "other")
    if residual.lo is None or residual.hi is None:
        return Estimate(ratio, None, None, figure.n, figure.of, why_no_interval=residual.why_no_interval)
    half = (residual.hi - residual.lo) / 2 / figure.value
    return Estimate(ratio, ratio - half, ratio + half, figure.n, figure.of, residual.gain)


def _without_interval(of: Estimate) -> Estimate:
    """Return a figure that a decision led to: its interval is that of a number that nobody chose."""
    if of.lo is None or of.n == of.of:
        return of
    return replace(of, lo=None, hi=None, why_no_interval=_DECIDED)


def _above(lowest: float, of: Estimate) -> Estimate:
    """Return an estimate whose interval ends at what such a cost cannot be below."""
    return of if of.lo is None or of.lo >= lowest else replace(of, lo=min(lowest, of.value))


def _missing(choice: Choice, outcomes: Outcomes, asked: Outcomes) -> list[str]:
    notes = []
    lacking = len(choice.item_ids) - len(asked)
    if lacking:
        notes.append(
            f"{lacking:,} of {len(choice.item_ids):,} chosen items have no outcome: the figures hold where"
            " chance alone left them out, as in a run that was stopped"
        )
    others = len(outcomes) - len(asked)
    if others:
        notes.append(f"{others:,} outcomes are of items that were not chosen and do not count")
    return notes


def _of_which(choice: Choice, outcomes: Outcomes) -> list[str]:
    """Say which items the figures speak of where these are not all of the task."""
    if outcomes.n_whole is None or outcomes.n_whole == choice.n_items:
        return []
    of = f"the {choice.n_items:,} items that other models were asked"
    return [f"the figures speak of {of}; the task has {outcomes.n_whole:,}"]


def _warnings(choice: Choice, figure: Estimate, metric: str) -> list[str]:
    warnings = list(choice.warnings)
    better_than_all = choice.best is not None and figure.value > choice.best + _PRIOR_IS_A_SAMPLE
    if better_than_all and metric in _KNOWN:
        better = f"The model looks better ({figure.value:.3f}) than all that the choice was learned from"
        effect = (
            "the estimate is most biased there"
            if choice.method == "anchors"
            else "the estimate stays unbiased, the gain may be smaller"
        )
        warnings.append(f"{better} (at most {choice.best:.3f}): {effect}.")
    return warnings


def by_regression(prior: OutcomeMatrix, outcomes: Outcomes) -> Judgement:
    """Judge outcomes that no choice was made for: those of the prior's items, as a plain random sample."""
    if outcomes.is_listed:
        raise InputError(
            f"the items of {outcomes.name} are no random ones",
            why="the run was given a list of them (`--items`), and how they were drawn is not known",
            fix="give the choice that they come from with --choice",
        )
    known = set(prior.item_ids)
    ids = tuple(item for item in outcomes.item_ids if item in known)
    if not ids:
        raise InputError(
            "none of the items is known from other models",
            why="the ids of the outcomes and of the prior are all different",
            fix="name other models' outcomes on the same task with --prior",
        )
    choice = Choice(
        method="random",
        task=prior.name,
        n_items=len(prior.item_ids),
        key="",
        item_ids=ids,
        models=prior.models,
        best=best_mean(prior),
        control=control_of(prior, ids),
    )
    judged = judge(choice, outcomes)
    note = "the items are taken to be drawn at random, as `--limit` draws them; the first n of a file are not"
    return replace(judged, notes=(*judged.notes, note)) if len(ids) < choice.n_items else judged
