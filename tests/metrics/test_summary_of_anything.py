"""Whatever was and was not observed, a summary is whole: strict JSON, and a reason for every null."""

import dataclasses
import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

COUNTS = st.none() | st.integers(0, 2**40)
ITEMS = st.fixed_dictionaries(
    {
        "prompt_tokens": COUNTS,
        "cached_tokens": COUNTS,
        "completion_tokens": COUNTS,
        "engine_prefill_ns": COUNTS,
        "engine_decode_ns": COUNTS,
        "verdict": st.none() | st.sampled_from(Verdict),
        "score": st.none() | st.floats(-1, 1),
        "repeat": st.integers(0, 2),
        "streamed": st.none() | st.booleans(),
    }
)
# no counter counts in less than microjoules
JOULES = st.none() | st.just(0.0) | st.floats(1e-6, 1e9)
RATE = st.none() | st.floats(0, 1e4)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(ITEMS, max_size=14),
    st.lists(JOULES, min_size=14, max_size=14),
    JOULES,
    st.tuples(RATE, RATE, RATE, RATE),
    st.none() | st.booleans(),
)
def test_a_summary_of_anything_is_whole(table, joules, total, rates, local):
    view = run_views.with_lengths(14)
    items = tuple(
        dataclasses.replace(
            one,
            **fields,
            correct=None if fields["verdict"] is None else fields["verdict"] is Verdict.CORRECT,
        )
        for one, fields in zip(view.items, table, strict=False)
    )
    rows = tuple(
        dataclasses.replace(
            row, repeat=one.repeat, joules=j, lo=j, hi=j, reason=Reason.GAP_TOO_LONG if j is None else None
        )
        for one, row, j in zip(items, view.attributions, joules, strict=False)
    )
    engine = view.manifest.engine.model_copy(update={"local": local})
    names = (
        "usd_per_kwh",
        "usd_per_million_prompt_tokens",
        "usd_per_million_completion_tokens",
        "gco2e_per_kwh",
    )
    declared = Rates(**dict(zip(names, rates, strict=True)))
    view = dataclasses.replace(
        view,
        items=items,
        attributions=rows,
        headline_energy=Withheld(Reason.GAP_TOO_LONG) if total is None else run_views.measured(total),
        manifest=view.manifest.model_copy(update={"engine": engine, "rates": declared}),
    )
    summary = summarize(view)
    document = summary.to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    for name in summary.figures:
        assert (document[name] is None) == (name in document["reasons"]), name
    model = summary.cost_model
    assert (model.coefficients is None) == (model.reason is not None)
    for spread in summary.repeats.values():
        assert (spread.sigma is None) == (spread.reason is not None)
    if summary.by_verdict.total.value is not None:
        known = [row.cost.value for row in summary.by_verdict.rows if row.cost.value is not None]
        rest = summary.by_verdict.unattributed.value
        assert math.isclose(
            math.fsum([*known, rest]), summary.by_verdict.total.value, rel_tol=1e-9, abs_tol=1e-3
        )
