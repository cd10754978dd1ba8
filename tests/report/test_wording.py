import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles import run_views
from joulemark.metrics import Value, summarize
from joulemark.metrics.value import withheld
from joulemark.record.reason import Reason
from joulemark.report.wording import DASH, figure_texts, gathered, missing, number, printable, shown, why


@pytest.mark.parametrize(
    ("name", "value", "text", "interval"),
    [
        (
            "total_joules",
            Value(8893.29, "J", 8871.29, 8915.29, "bound"),
            "8,893 J",
            "meter's bound 8,871 … 8,915 J",
        ),
        (
            "joules_per_token",
            Value(3.8121, "J", 3.8025, 3.8214, "bound"),
            "3.812 J",
            "meter's bound 3.803 … 3.821 J",
        ),
        ("accuracy", Value(0.4833, "1", 0.3618, 0.6069, "ci95"), "48 %", "95 % interval 36 … 61 %"),
        ("total_joules", Value(2_500_000.0, "J"), "2.500 MJ", ""),
        ("total_joules", Value(250_000.0, "J"), "250.0 kJ", ""),
        ("e2el", Value(0.0123, "s"), "12.30 ms", ""),
        ("cpu_seconds", Value(12.3456, "s"), "12.35 s", ""),
        ("ipj", Value(0.0032614, "1/J"), "0.003261 per J", ""),
        ("thermal_throttle_pct", Value(0.0, "%"), "0 %", ""),
        ("net_joules", withheld("J", Reason.NO_METER), DASH, ""),
    ],
)
def test_figures_in_words(name, value, text, interval):
    assert figure_texts(name, value) == (text, interval)


def test_a_missing_interval_says_why():
    value = Value(5.0, "J", interval_reason=Reason.TOO_FEW_ITEMS)
    assert figure_texts("x", value) == ("5.000 J", "no interval: Too few items for an interval.")


@given(st.floats(1e-9, 1e9), st.floats(1e-6, 0.5))
def test_a_shown_interval_is_told_apart_from_its_point(point, share):
    value = Value(point, "W", point * (1 - share), point * (1 + share), "bound")
    text, interval = figure_texts("mean_power_w", value)
    lo, hi = interval.removeprefix("meter's bound ").removesuffix(" W").split(" … ")
    if point * share > 1e-10:
        assert lo != text.removesuffix(" W") != hi


def test_no_minus_before_zero():
    assert number(-0.0001, 2) == "0.00"
    assert number(-1234.5, 1) == "-1,234.5"


@given(st.text())
def test_printable_text_cannot_steer_a_terminal(text):
    shown_text = printable(text)
    assert all(c.isprintable() for c in shown_text)
    assert "\x1b" not in shown_text
    assert "\n" not in shown_text


def test_a_detail_replaces_a_reason_that_says_nothing():
    assert why(withheld("J", Reason.NOT_APPLICABLE, detail="No baseline.")) == "No baseline."
    assert why(withheld("J", Reason.NO_METER)) == Reason.NO_METER.text


def test_every_dash_shown_has_its_reason_told_once():
    for view in (run_views.without_meter(), run_views.not_streamed(), run_views.replayed()):
        summary = summarize(view)
        told = missing(summary)
        titles = [title for some in told.values() for title in some]
        assert len(titles) == len(set(titles))
        for row in shown(summary):
            assert (row.text == DASH) == (row.title in titles)
    assert gathered([("a", "x"), ("b", "x"), ("c", "")]) == {"x": ["a", "b"]}
