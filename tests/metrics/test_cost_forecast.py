import numpy as np
import pytest

from doubles import run_views
from joulemark.metrics.cost_forecast import predict, transfer_error_pct, workload_energy
from joulemark.metrics.cost_model import CostModel, CostPoint, cost_model, fit
from joulemark.record.attribution import Attribution
from joulemark.record.reason import Reason

FIXED, ALPHA, BETA = 40.0, 0.06, 1.8


def _task(rng, n, prompt, output, noise_j, curve=0.0):
    """Return requests of one task: lognormal lengths of these medians, energies with meter noise."""
    prompts = np.maximum(1, np.rint(rng.lognormal(np.log(prompt), 0.35, n))).astype(int)
    outputs = np.maximum(1, np.rint(rng.lognormal(np.log(output), 0.6, n))).astype(int)
    joules = FIXED + ALPHA * prompts + BETA * outputs + curve * outputs.astype(float) ** 2
    joules = joules + rng.normal(0, noise_j, n)
    return [
        CostPoint(f"q{k}", 0, int(p), int(c), float(j))
        for k, (p, c, j) in enumerate(zip(prompts, outputs, joules, strict=True))
    ]


def _as_items(points):
    items = [
        run_views.item(k, item_id=p.item_id, tokens=p.completion_tokens, prompt_tokens=p.prompt_tokens)
        for k, p in enumerate(points)
    ]
    rows = {
        i.key: Attribution(i.item_id, 0, 0, "sequential", "gpu:0", p.joules, p.joules, p.joules)
        for i, p in zip(items, points, strict=True)
    }
    return items, rows


def _exact():
    table = [(10 * (k % 4 + 1), 5 * (k // 4 + 1)) for k in range(12)]
    return fit([CostPoint(f"q{k}", 0, p, c, 10 + 0.5 * p + 2 * c) for k, (p, c) in enumerate(table)])


def test_prices_by_hand():
    model = _exact()
    assert predict(model, 30, 10).energy.value == pytest.approx(45.0)
    assert workload_energy(model, 1000, 30, 10).energy.value == pytest.approx(45_000.0)
    assert predict(model, 30, 10).extrapolated == ()
    assert predict(model, 41, 10).extrapolated == ("prompt_tokens",)
    assert predict(model, 5, 99).extrapolated == ("prompt_tokens", "completion_tokens")
    assert workload_energy(model, 3, 5, 10).extrapolated == ("prompt_tokens",)


def test_the_interval_is_that_of_the_mean_and_grows_away_from_the_data():
    model = cost_model(run_views.with_lengths(60))
    near, far = predict(model, 200, 50).energy, predict(model, 8000, 50).energy
    assert near.interval == "ci95"
    assert near.lo < near.value < near.hi
    assert far.hi - far.lo > 10 * (near.hi - near.lo)
    one, many = workload_energy(model, 1, 200, 50).energy, workload_energy(model, 10_000, 200, 50).energy
    # one request deviates by itself; of many only the coefficients' errors are left
    assert one.hi - one.lo > 3 * (near.hi - near.lo)
    assert (many.hi - many.lo) / 10_000 == pytest.approx(near.hi - near.lo, rel=0.01)


def test_a_withheld_model_prices_nothing():
    model = CostModel(reason=Reason.NOT_IDENTIFIED, detail="why")
    for forecast in (predict(model, 10, 10), workload_energy(model, 5, 10, 10)):
        assert (forecast.energy.reason, forecast.energy.detail) == (Reason.NOT_IDENTIFIED, "why")
    assert transfer_error_pct(model, [], {}).reason is Reason.NOT_IDENTIFIED


@pytest.mark.parametrize("lengths", [(-1, 5), (5, -1), (float("nan"), 5), (5, float("inf"))])
def test_lengths_that_no_request_has(lengths):
    with pytest.raises(ValueError, match="no request has"):
        predict(_exact(), *lengths)
    with pytest.raises(ValueError, match="at least one request"):
        workload_energy(_exact(), 0, 5, 5)


def test_the_model_of_one_task_prices_another():
    """500 pairs of tasks with other lengths: the metered total lies in its interval in at least 93 %."""
    held, errors = 0, []
    for seed in range(500):
        rng = np.random.default_rng(70_000 + seed)
        model = fit(_task(rng, 60, prompt=120, output=40, noise_j=8.0))
        items, rows = _as_items(_task(rng, 80, prompt=500, output=150, noise_j=8.0))
        error = transfer_error_pct(model, items, rows)
        held += error.lo <= 0 <= error.hi
        errors.append(error.value)
    assert held >= 0.93 * 500
    assert abs(np.mean(errors)) < 1.0


def test_the_interval_is_no_wider_than_it_must_be():
    held = 0
    for seed in range(300):
        rng = np.random.default_rng(90_000 + seed)
        model = fit(_task(rng, 60, prompt=120, output=40, noise_j=8.0))
        truth = FIXED + ALPHA * 300 + BETA * 90
        energy = predict(model, 300, 90).energy
        half = truth + (energy.lo - energy.value) / 2, truth + (energy.hi - energy.value) / 2
        held += half[0] <= energy.value <= half[1]
    assert held < 0.85 * 300


def test_a_cost_that_is_not_linear_shows_as_an_error_of_transfer():
    rng = np.random.default_rng(11)
    model = fit(_task(rng, 60, prompt=120, output=40, noise_j=8.0, curve=0.01))
    assert model.r2 > 0.9
    items, rows = _as_items(_task(rng, 80, prompt=120, output=300, noise_j=8.0, curve=0.01))
    error = transfer_error_pct(model, items, rows)
    assert error.unit == "%"
    assert error.n == 80
    assert error.value < -30
    assert error.hi < 0
    same, rows = _as_items(_task(rng, 80, prompt=120, output=40, noise_j=8.0, curve=0.01))
    assert abs(transfer_error_pct(model, same, rows).value) < 5


def test_the_error_by_hand():
    items, rows = _as_items([CostPoint("a", 0, 10, 5, 20.0), CostPoint("b", 0, 20, 10, 30.0)])
    # predicted 25 + 40 J, metered 20 + 30 J
    assert transfer_error_pct(_exact(), items, rows).value == pytest.approx(30.0)


def test_a_run_without_item_energies_cannot_be_compared():
    items, rows = _as_items([CostPoint("a", 0, 10, 5, 20.0)])
    assert transfer_error_pct(_exact(), items, {}).reason is Reason.NO_METER
    lost = {
        k: Attribution("a", 0, 0, "sequential", "gpu:0", None, None, None, Reason.GAP_TOO_LONG) for k in rows
    }
    assert transfer_error_pct(_exact(), items, lost).reason is Reason.GAP_TOO_LONG
    nothing = {k: Attribution("a", 0, 0, "sequential", "gpu:0", 0.0, 0.0, 0.0) for k in rows}
    assert transfer_error_pct(_exact(), items, nothing).reason is Reason.NO_SAMPLES
