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
        "power limits": _run(2, devices=[run_views.device(power_limit_w=250)]),
        "hosts": _run(
            2, segments=[_run(2).manifest.segments[0].model_copy(update={"host_hash": "elsewhere"})]
        ),
        "processors": _run(2, host=_run(2).manifest.host.model_copy(update={"cpu_model": "Otherchip 9"})),
        "versions of joulemark": _run(2, joulemark_version="0.2.0"),
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


def test_the_limit_of_a_board_beside_the_measured_one_does_not_matter():
    beside = run_views.device(1, power_limit_w=100)
    assert pool([_run(1), _run(2, devices=[run_views.device(), beside])])["accuracy"].n == 2


def test_an_endpoint_stands_for_the_model_where_it_has_no_digest():
    def at(seed, endpoint, digest):
        facts = {"endpoint_hash": endpoint, "model_digest": digest}
        return _run(seed, engine=_run(seed).manifest.engine.model_copy(update=facts))

    assert pool([at(1, "here", "d"), at(2, "there", "d")])["accuracy"].n == 2
    with pytest.raises(NotPoolable, match=r"different endpoints \(run-1: here, run-2: there\)"):
        pool([at(1, "here", None), at(2, "there", None)])


def test_a_figure_that_one_run_lacks_is_withheld_with_its_name():
    lost = _run(2)
    rows = tuple(
        dataclasses.replace(row, joules=None, reason=Reason.GAP_TOO_LONG) for row in lost.attributions
    )
    pooled = pool([_run(1), dataclasses.replace(lost, attributions=rows)])
    assert pooled["joules_per_request"].reason is Reason.GAP_TOO_LONG
    assert "run-2" in pooled["joules_per_request"].detail
    assert pooled["accuracy"].n == 2
