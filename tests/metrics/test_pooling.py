import dataclasses

import pytest

from doubles import run_views
from joulemark.metrics.pooling import NotPoolable, pool
from joulemark.record.energy import Method
from joulemark.record.manifest import Sampling
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope


def _run(seed=3, run_id=None, **fields):
    view = run_views.with_lengths(12, seed)
    fields = {"run_id": run_id or f"run-{seed}", **fields}
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update=fields))


def test_several_runs_have_a_spread_each_run_one_value():
    runs = [_run(seed) for seed in (1, 2, 3)]
    pooled = pool(runs)
    spread = pooled["joules_per_request"]
    assert (spread.n, spread.unit) == (3, "J")
    assert spread.values == pytest.approx([run.headline_energy.joules / 12 for run in runs])
    assert spread.sigma > 0
    assert pooled["accuracy"].mean == 0.5


def test_one_run_has_no_spread():
    assert pool([_run()])["joules_per_request"].reason is Reason.SINGLE_RUN


def test_runs_at_different_temperatures_are_never_pooled():
    warm = _run(2, sampling=Sampling(temperature=0.7, seed=1234, max_tokens=128), config_hash="another")
    with pytest.raises(NotPoolable, match="runs at different temperatures are never pooled") as refused:
        pool([_run(1), warm])
    assert "run-1: 0.0" in str(refused.value)
    assert "run-2: 0.7" in str(refused.value)


def test_what_else_is_refused():
    wall = run_views.meter("plug", "plug", Scope("wall"))
    cases = {
        "tiers": _run(2, meters=[run_views.meter(), wall]),
        "scopes": dataclasses.replace(_run(2), headline_scope="gpu:1"),
        "energy sources": dataclasses.replace(
            _run(2), headline_energy=dataclasses.replace(_run(2).headline_energy, method=Method.INTEGRATED)
        ),
        "configurations": _run(2, config_hash="another"),
    }
    for name, other in cases.items():
        with pytest.raises(NotPoolable, match=f"different {name}"):
            pool([_run(1), other])
    with pytest.raises(NotPoolable, match="given twice"):
        pool([_run(1), _run(1)])
    with pytest.raises(NotPoolable, match=r"not complete: run-2"):
        pool([_run(1), _run(2, state="partial")])
    with pytest.raises(ValueError, match="no runs"):
        pool([])


def test_a_figure_that_one_run_lacks_is_withheld_with_its_name():
    lost = _run(2)
    rows = tuple(
        dataclasses.replace(row, joules=None, reason=Reason.GAP_TOO_LONG) for row in lost.attributions
    )
    pooled = pool([_run(1), dataclasses.replace(lost, attributions=rows)])
    assert pooled["joules_per_request"].reason is Reason.GAP_TOO_LONG
    assert "run-2" in pooled["joules_per_request"].detail
    assert pooled["accuracy"].n == 2
