"""Facts are plain values, the same after JSON, and nothing else passes for them."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.board_runs import content_of, verified
from doubles.forgeries import H100
from joulemark.board.judging import RunFacts, facts_of, facts_of_json, judge, marks_of
from joulemark.bundles.submission.verification import Verification
from joulemark.metrics.run_view import PowerTimeline


def test_facts_are_those_of_the_run(facts: RunFacts) -> None:
    assert (facts.kind, facts.tier, facts.scope, facts.n_devices) == ("measured", "C", "gpu", 1)
    assert (facts.device, facts.meter_device) == (H100.device, H100.device)
    assert (facts.parameters, facts.active_parameters, facts.bits_per_weight) == (8e9, 8e9, 16.0)
    assert facts.energy_lo_j is not None
    assert facts.energy_j is not None
    assert facts.energy_hi_j is not None
    assert facts.energy_lo_j < facts.energy_j < facts.energy_hi_j
    assert facts.mean_power_w == pytest.approx(facts.energy_j / (facts.duration_s or 0))
    assert facts.joules_per_request == pytest.approx(facts.energy_j / facts.n_requests)
    assert facts.sequence_tokens_per_s == pytest.approx(facts.sequence_steps_per_s)
    assert (facts.sequence_tokens_per_s or 0) < (facts.decode_tokens_per_second or 0)
    assert facts.idle_power_w == H100.idle_w
    assert facts.most_in_flight == 1
    assert facts.repeated_share == 0.0


def test_a_plug_is_a_meter_beside_it() -> None:
    found = facts_of(verified(content_of(replace(H100, plug=True))))
    assert found.tier == "B"
    assert found.energy_j is not None
    assert found.wall_energy_j is not None
    assert found.wall_energy_j > 1.1 * found.energy_j
    assert (found.wall_residual_share or 0) > 0.01


def test_what_was_not_recomputed_has_no_facts() -> None:
    with pytest.raises(ValueError, match="recomputed"):
        facts_of(Verification("0" * 64, (), ()))


def test_json_brings_the_same_facts_back(facts: RunFacts) -> None:
    assert facts_of_json(json.loads(json.dumps(facts.to_json(), allow_nan=False))) == facts


@given(st.data())
def test_json_with_nulls_brings_the_same_facts_back(facts: RunFacts, data: st.DataObject) -> None:
    optional = [one.name for one in fields(RunFacts) if "None" in str(one.type)]
    gone = data.draw(st.sets(st.sampled_from(optional)))
    fewer = replace(facts, **dict.fromkeys(gone))
    assert facts_of_json(json.loads(json.dumps(fewer.to_json()))) == fewer


WILD = st.sampled_from([0.0, -1.0, 1e-300, 1e5, 1e154, 1e308, -1e308, float("nan"), float("inf")])


@given(st.lists(WILD, min_size=1, max_size=80), st.lists(WILD, min_size=1, max_size=80))
def test_wild_readings_give_facts_that_json_holds(
    wild: Verification, board: list[float], wall: list[float]
) -> None:
    view = wild.view
    assert view is not None
    ends = view.timelines[0].t_ns[[0, -1]]
    lines = tuple(
        PowerTimeline(source, scope, 0, np.linspace(*ends, len(watts)).astype(np.int64), np.array(watts))
        for source, scope, watts in (("nvml:0", "gpu:0", board), ("shelly", "wall", wall))
    )
    forged = replace(wild, view=replace(view, timelines=lines))
    found = facts_of(forged)
    assert facts_of_json(json.loads(json.dumps(found.to_json(), allow_nan=False))) == found
    assert judge(found, [], {}).status in ("accepted", "quarantined")
    assert len(marks_of(forged)) <= 64


@pytest.fixture(scope="module")
def wild() -> Verification:
    """A run with a plug, whose power is to be replaced."""
    return verified(content_of(replace(H100, plug=True, n=12)))


def test_whole_numbers_pass_for_real_ones(facts: RunFacts) -> None:
    found = facts_of_json({**facts.to_json(), "duration_s": 5})
    assert isinstance(found.duration_s, float)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("digest", None),
        ("digest", 5),
        ("kind", "guessed"),
        ("kind", None),
        ("tier", "D"),
        ("n_items", 1.5),
        ("n_items", True),
        ("n_items", None),
        ("was_stopped", 1),
        ("energy_j", "many"),
        ("energy_j", float("nan")),
        ("energy_j", float("inf")),
        ("energy_j", [1.0]),
        ("prefix_cache", "yes"),
        ("model", {"name": "x"}),
    ],
)
def test_another_type_is_refused(facts: RunFacts, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        facts_of_json({**facts.to_json(), name: value})


def test_a_field_more_or_less_is_refused(facts: RunFacts) -> None:
    document = facts.to_json()
    with pytest.raises(ValueError, match="note"):
        facts_of_json({**document, "note": "hello"})
    del document["model"]
    with pytest.raises(ValueError, match="model"):
        facts_of_json(document)
    with pytest.raises(ValueError, match="object"):
        facts_of_json([])  # type: ignore[arg-type]
