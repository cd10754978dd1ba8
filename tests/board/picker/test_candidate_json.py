"""Candidates as JSON: back exactly what went in, and nothing else is read."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import pickables, run_views
from joulemark.board.picker.candidate_json import of_json, of_text, to_json
from joulemark.metrics import summarize
from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.picking import Candidate, TokenRates, Transfer, measured_candidate
from joulemark.metrics.picking.curvature import Curvature
from joulemark.metrics.picking.times import Times
from joulemark.metrics.run_point import run_point
from joulemark.metrics.value import Value, withheld
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

numbers = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(max_size=12)
values = st.one_of(
    st.builds(withheld, words, st.sampled_from(Reason), detail=words),
    st.builds(Value, numbers, words, n=st.none() | st.integers(0, 9)),
    st.builds(
        lambda a, unit: Value(a[1], unit, a[0], a[2], "ci95", n=3),
        st.lists(numbers, min_size=3, max_size=3).map(sorted),
        words,
    ),
)
settings_of = st.dictionaries(words, st.none() | st.booleans() | st.integers() | numbers | words, max_size=3)
triple = st.tuples(numbers, numbers, numbers)
models = st.one_of(
    st.builds(CostModel, reason=st.sampled_from(Reason), detail=words),
    st.builds(
        CostModel,
        n=st.integers(0, 99),
        e_fixed_j=numbers,
        alpha_j_per_token=numbers,
        beta_j_per_token=numbers,
        covariance=st.tuples(triple, triple, triple),
        prompt_range=st.tuples(st.integers(), st.integers()),
        n_blocks=st.none() | st.integers(0, 99),
    ),
)
times = st.builds(
    Times, models, numbers, st.none() | numbers, st.integers(0, 99), st.tuples(numbers, numbers)
)
points = st.builds(
    OperatingPoint,
    label=words,
    kind=st.sampled_from(["measured", "published", "simulated"]),
    model=words,
    task=words,
    unit=st.sampled_from(["request", "image", "video"]),
    energy_j=values,
    latencies_s=st.dictionaries(words, values, max_size=2),
    accuracy=values,
    joules_per_correct=values,
    throughput=values,
    tokens_per_second=values,
    mean_power_w=values,
    tdp_energy_j=values,
    usd=values,
    gco2e=values,
    origin=words,
    device=st.none() | words,
    settings=settings_of,
    flags=settings_of,
    notes=st.lists(words, max_size=2).map(tuple),
)
candidates = st.builds(
    Candidate,
    points,
    models,
    st.builds(Rates, usd_per_kwh=st.none() | numbers, pue=numbers, grid_zone=st.none() | words),
    values,
    st.none() | times,
    st.none() | times,
    bend=st.none() | st.builds(Curvature, st.tuples(numbers, numbers, numbers, numbers)),
    gain_sd=numbers,
    in_flight=st.none() | numbers,
    local=st.none() | st.booleans(),
    transfers=st.lists(st.builds(Transfer, words, values), max_size=2).map(tuple),
    token_rates=st.none() | st.builds(TokenRates, numbers, numbers, numbers, st.integers(0, 99)),
    own=st.none() | st.tuples(numbers, numbers),
)


@given(candidates)
@settings(max_examples=60, deadline=None)
def test_what_is_read_is_what_was_written(one):
    document = json.loads(json.dumps(to_json(one)))  # as a database keeps it
    found = of_json(document)
    assert found == one
    for name, value in one.point.settings.items():  # 1, 1.0 and true are equal, and not alike
        assert type(found.point.settings[name]) is type(value)
    assert of_text(json.dumps(document)) == one


def test_candidates_of_runs_come_back():
    run = run_views.with_counter()
    made = measured_candidate(run, run_point(run, summarize(run), "runs/a"))
    assert of_json(to_json(made)) == made


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(secret=1),
        lambda d: d["model"].update(zzz=1),
        lambda d: d["point"].update(kind="guessed"),
        lambda d: d["point"]["energy_j"].update(value="12"),
        lambda d: d["point"]["energy_j"].update(value=None),
        lambda d: d.pop("point"),
        lambda d: d["rates"].update(pue=[]),
    ],
)
def test_what_was_not_written_here_is_refused(spoil):
    document = to_json(pickables.candidate())
    spoil(document)
    with pytest.raises(ValueError):
        of_json(document)
