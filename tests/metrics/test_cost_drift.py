"""A cost that changes slowly while it is measured: ranks of what a question does not fix tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import summarize
from joulemark.metrics.cost_drift import CostDrift, cost_drift
from joulemark.metrics.run_view import RunView
from joulemark.record.manifest import Manifest, StopFacts, Stopped
from joulemark.record.reason import Reason

Floats = NDArray[np.float64]
CASES = [
    (k, lengths, noise) for k in (20, 50, 110, 400) for lengths in (0.5, 2.4) for noise in (0.02, 0.3, 2.4)
]


def lognormal(chance: np.random.Generator, variation: float, size: int) -> Floats:
    """Return values with the mean 1 and that coefficient of variation."""
    sd = np.sqrt(np.log1p(variation**2))
    return np.asarray(chance.lognormal(-sd * sd / 2, sd, size))


def answers(
    chance: np.random.Generator, k: int, lengths: float, noise: float, course: Floats | float = 1.0
) -> tuple[Floats, Floats]:
    """Return the seconds of ``k`` answers, and what fixes them but for noise and the engine's course."""
    tokens = np.rint(200 * lognormal(chance, lengths, k)) + 1
    prompts = np.rint(chance.uniform(40, 200, k))
    seconds = (0.05 + 0.0002 * prompts + 0.01 * tokens) * lognormal(chance, noise, k) * course
    return seconds, np.stack([np.ones(k), prompts, tokens], axis=1)


def found(
    share: float, runs: int, k: int, noise: float, *, lengths: float = 0.7, settles: bool = False
) -> float:
    """Return how often a rise by ``share`` is told: over 200 answers, or with that time constant."""
    chance, at = np.random.default_rng(3), np.arange(k) / 200
    course = 1 + share * ((1 - np.exp(-at)) if settles else at)
    told = [cost_drift(*answers(chance, k, lengths, noise, course)) for _ in range(runs)]
    return float(np.mean([one is not None and one.drifts for one in told]))


def test_what_is_steady_is_told_to_drift_in_at_most_one_case_of_a_hundred() -> None:
    """Lognormal lengths and noise, up to a coefficient of variation of 2.4, 20 to 400 answers."""
    chance, told = np.random.default_rng(4), []
    for case in CASES:
        told += [cost_drift(*answers(chance, *case)) for _ in range(120)]
    share = np.mean([one is not None and one.drifts for one in told])
    assert 0.003 < share <= 0.01, share


@pytest.mark.slow
def test_so_is_it_in_each_of_these_cases() -> None:
    chance = np.random.default_rng(6)
    shares = {}
    for case in CASES:
        told = [cost_drift(*answers(chance, *case)) for _ in range(3000)]
        shares[case] = float(np.mean([one is not None and one.drifts for one in told]))
    print(shares)
    # three standard errors of 3,000 cases of 0.8 %
    assert max(shares.values()) <= 0.008 + 3 * 0.0016, shares
    assert np.mean(list(shares.values())) <= 0.009


@pytest.mark.parametrize(
    ("k", "noise", "settles", "least", "most"),
    [
        (110, 0.02, False, 0.97, 1.0),
        (110, 0.02, True, 0.9, 1.0),
        (110, 0.05, False, 0.3, 0.5),
        (200, 0.05, False, 0.98, 1.0),
        (200, 0.05, True, 0.7, 0.9),
        (110, 0.1, True, 0.01, 0.1),
    ],
)
def test_how_often_a_rise_of_eight_per_cent_is_told(
    k: int, noise: float, settles: bool, least: float, most: float
) -> None:
    """docs/frugal-stop.md has these; ``noise`` is what prompt and answer do not fix of a request's time."""
    assert least <= found(0.08, 200, k, noise, settles=settles) <= most


def test_what_it_tells_of_the_change() -> None:
    chance = np.random.default_rng(1)
    told = cost_drift(*answers(chance, 300, 0.7, 0.02, np.linspace(1.0, 1.2, 300)))
    assert told is not None
    assert told.drifts
    assert told.change == pytest.approx(0.18, abs=0.04)  # of the mean, which is 1.1
    # a line that goes on: the second half lies by the whole change above the first
    assert told.shift(0.5) == pytest.approx(told.change / 2)
    assert told.shift(0.01) == pytest.approx(0.99 * 1.5 * told.change)
    assert told.shift(1.0) == 0


def test_too_few_and_what_is_fixed_altogether_do_not_drift() -> None:
    chance = np.random.default_rng(2)
    assert cost_drift(*answers(chance, 19, 0.7, 0.02)) is None
    seconds, fixed = answers(chance, 60, 0.7, 0.0)
    assert cost_drift(seconds, fixed) == CostDrift(0.0, 0.0)
    # without a count of tokens what was asked cannot be told from a drift, and the ranks are of all of it
    unknown = fixed.copy()
    unknown[3, 2] = np.nan
    told = cost_drift(seconds, unknown)
    assert told is not None
    assert told.score != 0


def ended_early(rise: float, of: int, n_whole: int | None = None) -> tuple[RunView, Manifest]:
    """Return a run of ``of`` questions that a rule ended after 100, its requests slower by ``rise``."""
    chance, n = np.random.default_rng(8), 100
    items, at_s = [], 0.0
    for k in range(n):
        tokens = int(chance.integers(20, 400))
        took_s = (0.1 + 0.01 * tokens) * (1 + rise * k / n) * (1 + 0.02 * chance.normal())
        items.append(item(k, start_s=at_s, end_s=took_s, tokens=tokens))
        at_s += took_s + 0.01
    ended = Stopped(at=n, asked=n, of=of, segment=0, binding=["accuracy ±9pp"])
    rule = StopFacts(targets=["accuracy ±9pp"], least=30, every=10, named_at=0, stopped=ended)
    manifest = run_views.manifest(stop=rule)
    facts = {"n_items": of, "n_whole": n_whole, "subset_key": "k"}
    manifest.task = manifest.task.model_copy(update=facts)
    return RunView(manifest=manifest, items=tuple(items), duration_s=at_s), manifest


@pytest.mark.parametrize(("rise", "told"), [(0.0, False), (0.01, False), (0.08, True)])
def test_a_run_that_a_rule_ended_says_that_its_requests_drifted(rise: float, told: bool) -> None:
    """Eight per cent over a hundred answers of very different lengths: their halves tell nothing of it."""
    view, manifest = ended_early(rise, 5000)
    summary = summarize(view)
    caveats = {one.code: one for one in summary.caveats}
    assert ("drifting" in caveats) == told
    assert "not_settled" not in caveats
    if told:
        assert caveats["drifting"].loud
        assert "its time by about +" in caveats["drifting"].text
    # what is estimated of the rest has no interval then
    assert summary.stopped is not None
    saved = summary.stopped.lines[0].saved
    assert saved.value is not None
    assert (saved.lo is None) == told
    assert (saved.interval_reason is Reason.COST_CHANGED) == told
    unstopped = manifest.model_copy(update={"stop": None})
    assert "drifting" not in {one.code for one in summarize(replace(view, manifest=unstopped)).caveats}


@pytest.mark.parametrize(("n_whole", "told"), [(None, False), (12_032, True)])
def test_a_drift_matters_for_all_that_the_figures_speak_of(n_whole: int | None, told: bool) -> None:
    """100 of a limit of 101 leave one that may differ; of the 12,032 they were drawn from, nearly all."""
    view, _ = ended_early(0.08, 101, n_whole)
    assert view.manifest.task.n_drawn_from == (n_whole or 101)
    summary = summarize(view)
    assert ("drifting" in {one.code for one in summary.caveats}) == told
    assert summary.stopped is not None
    assert summary.stopped.requests_saved == 1
    assert (summary.stopped.lines[0].saved.lo is None) == told
