"""A pick as it is shown: in a terminal, as a picture, as a page."""

import dataclasses
import io
import re

import altair as alt
import pytest
from rich.console import Console

from doubles.pickables import candidate
from doubles.points import point
from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.picking import (
    Bound,
    Named,
    Spread,
    TextWorkload,
    TokenRates,
    Transfer,
    Wanted,
    declared,
    pick,
    published_candidate,
)
from joulemark.metrics.picking.times import Times
from joulemark.metrics.value import Value
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason
from joulemark.report.pick_chart import pick_chart, pick_rows
from joulemark.report.pick_html import render_pick
from joulemark.report.pick_terminal import print_pick
from joulemark.report.pick_words import chance_of, leads

RATES = Rates(usd_per_kwh=0.3, gco2e_per_kwh=400.0)
TIMES = Times(CostModel(reason=Reason.NOT_IDENTIFIED), 1.0, 0.1, 20, (10, 4000), (1, 900))
IDLE = Value(70.0, "W", 69.0, 71.0, "bound")
STREAMED = {"latencies": {"ttft_mean": 1.0}}
EVIL = "<script>alert(1)</script>\x1b[2J"


def found(by="joules_per_correct"):
    common = {"rates": RATES, "whole": TIMES, "first": TIMES, "in_flight": 1.0}
    among = [
        candidate("batch 1", 1, point_fields=STREAMED, idle_w=IDLE, **common),
        candidate("batch 2", 2, point_fields=STREAMED, factor=1.02, idle_w=IDLE, own=(40, 20), **common),
        candidate(
            "big",
            3,
            point_fields=STREAMED,
            factor=3.0,
            transfers=(Transfer("poems", Value(4.0, "%", 1.0, 7.0, "ci95")),),
            **common,
        ),
        candidate("bad", 4, point_fields=STREAMED, right=10, **common),
        candidate("sim", 5, point_fields={**STREAMED, "kind": "simulated", "tier": None}, **common),
        candidate("vague", 6, model=CostModel(reason=Reason.NOT_IDENTIFIED, detail="Alike."), **common),
        candidate(EVIL, 7, point_fields={"device": None, "model": EVIL}, **common),
        published_candidate(
            dataclasses.replace(
                point(50.0, label="row", kind="published", tier=None, accuracy=0.5),
                mean_completion_tokens=100,
            ),
            RATES,
        ),
    ]
    limits = (Bound("accuracy", 0.4, at_least=True), Named("hardware", "testboard"), Bound("ttft_mean", 2.0))
    limits = (*limits, Bound("workload_usd_per_day", 5.0)) if by == "gco2e" else limits
    return pick(among, declared(Spread(1200, 400), Spread(80), 1000), Wanted(by, limits), n_draws=2000)


def shown(what, width=100):
    console = Console(width=width, record=True, file=io.StringIO())
    print_pick(what, console, unread=[("x\x1b[2J", "torn")])
    return console.export_text()


def test_the_terminal_tells_it_all():
    text = " ".join(shown(found(), 200).split())
    assert text.startswith(
        "What to run for 1,200 ± 400 prompt and 80 completion tokens a request, 1,000 requests"
    )
    assert "Cannot be told from" in text
    assert "measured, tier C, joules of gpu, accuracy of sums" in text
    assert "SIMULATED, not measured" in text
    assert "accuracy 10 % (6 … 17), at least 40.00 % is asked for" in text
    assert "hardware not known, testboard is asked for" in text
    assert "Alike." in text
    assert "The lengths of these prompts and answers do not tell the coefficients apart. Alike." in text
    assert "poems +4.0 % off (+1.0 … +7.0)" in text
    assert "Extrapolated" in text or "extrapolated" in text
    assert "not read: x" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_fits(width):
    assert max(map(len, shown(found(), width).splitlines())) <= width


@pytest.mark.parametrize("by", ["joules", "usd", "gco2e_per_correct"])
def test_every_objective_is_drawn(by):
    what = found(by)
    for table in what.tables:
        rows = pick_rows(what, table)
        picture = pick_chart(what, rows, 470)
        alt.Chart.from_dict(picture.chart.to_dict(), validate=True)
        assert len(rows) == len(table.rows)


def test_the_page_escapes_and_loads_nothing():
    page = render_pick(found())
    assert "<script" not in page
    assert "\x1b" not in page
    assert not re.search(r"(?:src|href)=\"http", page)
    assert page.count("<svg") >= 2
    assert "Ruled out" in page
    assert "Alike." in page


def test_no_answer_has_a_page_too():
    nothing = pick(
        [candidate("one")], declared(Spread(1), Spread(1)), Wanted("joules", (Bound("accuracy", 1.0, True),))
    )
    assert "Nothing of 1 configurations" in render_pick(nothing)
    assert "Nothing of 1 configurations" in shown(nothing)


def test_a_workload_of_texts_has_a_title():
    texts = TextWorkload(((400, 100),) * 3, told="3 requests as texts in x.jsonl")
    one = candidate("one", token_rates=TokenRates(10.0, 0.25, 0.2, 40))
    assert shown(pick([one], texts, Wanted("joules"))).startswith(
        "What to run for 3 requests as texts in x.jsonl"
    )


def test_certainty_is_not_made_of_rounding():
    assert chance_of(0.9999) == chance_of(1.0) == ">99.9 %"
    assert chance_of(0.00001) == chance_of(0.0) == "<0.1 %"
    assert chance_of(0.625) == "62.5 %"
    assert leads(found())[0].count("J") >= 1
