"""The page and the terminal of a run under load: its steady state, or why there is none."""

import dataclasses
import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from doubles import loaded_views, run_views, varied_runs
from joulemark.metrics import summarize
from joulemark.metrics.catalogue import definition
from joulemark.metrics.repeats import Spread
from joulemark.metrics.slo import Slo
from joulemark.metrics.slo_energy import joules_per_correct_answer_at
from joulemark.record.energy import Withheld
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason
from joulemark.report.html import render
from joulemark.report.loaded import loaded_section
from joulemark.report.loaded_rules import rule_rows
from joulemark.report.loaded_split import split_chart, split_of, split_words
from joulemark.report.loaded_words import load_words, refusal
from joulemark.report.of_load import OF_LOAD, is_loaded
from joulemark.report.terminal import print_summary
from joulemark.report.theme import NARROW_PX, WIDE_PX
from joulemark.report.wording import DASH, figure_texts, missing, shown


def section(view):
    return loaded_section(summarize(view), view)


def limited(view, slo):
    return replace(view, manifest=view.manifest.model_copy(update={"limits_s": slo.limits}))


def printed(view, width=100):
    out = io.StringIO()
    print_summary(summarize(view), Console(file=out, width=width, legacy_windows=False), view)
    return out.getvalue()


def with_steady(view, why):
    return dataclasses.replace(view, steady=dataclasses.replace(view.steady, window=why))


@pytest.mark.parametrize("make", [run_views.with_counter, run_views.without_meter, varied_runs.fitted])
def test_of_a_sequential_run_nothing_is_said_of_a_load_but_in_json(make):
    view = make()
    summary = summarize(view)
    assert not is_loaded(summary)
    assert section(view) is None
    assert not {row.name for row in shown(summary)} & OF_LOAD
    titles = {definition(name).title for name in OF_LOAD} - {"… with the meter's bound"}
    assert not titles & {title for some in missing(summary).values() for title in some}
    assert summary.to_json()["reasons"]["steady_joules_per_request"]
    for text in (printed(view), render(summary, view).partition("<h2>Details</h2>")[0]):
        assert "Under load" not in text
        assert "Loaded:" not in text
        assert Reason.NOT_LOADED.text not in text


def test_the_section_leads_with_the_energy_of_a_correct_answer():
    view = loaded_views.closed()
    summary, found = summarize(view), section(loaded_views.closed())
    text, interval = figure_texts("", summary.figures["steady_joules_per_correct_answer"])
    assert (found.tiles[0].title, found.tiles[0].text) == ("Energy per correct answer", text)
    assert interval in found.tiles[0].lines
    titles = [one.title for one in found.tiles]
    assert titles[1:] == [
        "Energy per request",
        "Energy per output token",
        "Requests per second",
        "Output tokens per second",
        "Mean power",
        "Mean batch",
    ]
    assert any(line.startswith("meter's bound") for line in found.tiles[1].lines)
    assert "by the engine's own gauge" in found.tiles[-1].lines
    assert found.load == "closed loop, 12 in flight, 12 lead requests"
    assert "at 8 requests in the batch, by the engine's own gauge, held for " in found.window
    assert "requests in flight on average" in section(loaded_views.poisson()).window
    assert found.refused == []


def test_made_up_requests_lead_with_the_energy_of_a_request():
    view = loaded_views.closed()
    bare = [dataclasses.replace(i, correct=None, score=None, verdict=None) for i in view.items]
    found = section(dataclasses.replace(view, items=tuple(bare)))
    assert found.tiles[0].title == "Energy per request"
    assert found.tiles[0].text != DASH
    assert (found.tiles[1].title, found.tiles[1].text) == ("Energy per correct answer", DASH)


def test_a_refusal_stands_alone_with_what_would_help():
    view = loaded_views.refused()
    summary, found = summarize(view), section(loaded_views.refused())
    assert found.tiles == []
    assert found.latencies == []
    assert found.refused[0].startswith("No steady state: ")
    assert "Ask more" in " ".join(found.refused)
    page = render(summary, view)
    assert page.count("No steady state: ") == 1
    assert "measured, never steady" in page
    assert "the steady window, which" not in page
    text = printed(view)
    assert "Under load  No steady state: " in text
    assert text.count("No steady state") == 1


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        (Reason.OVERLOADED, "--rate"),
        (Reason.NOT_STEADY, "--lead"),
        (Reason.WINDOW_TOO_SHORT, "--requests"),
        (Reason.TOO_FEW_TOKENS, "--max-tokens"),
    ],
)
def test_each_refusal_says_what_helps_once(reason, word):
    summary = summarize(with_steady(loaded_views.closed(), Withheld(reason, "Because.")))
    first, helps = refusal(summary)
    assert reason.text in first
    assert word in helps
    told = summarize(with_steady(loaded_views.closed(), Withheld(reason, "Ask more requests.")))
    assert len(refusal(told)) == 1


def test_a_degenerate_rule_gives_no_figure_and_its_reason():
    rows = rule_rows(summarize(loaded_views.refused()))
    assert rows[0].ours
    assert rows[0].why
    ours, *published = rule_rows(summarize(loaded_views.closed()))
    assert (ours.ours, ours.beside) == (True, "")
    assert {row.ours for row in published} == {False}
    for row in published:
        if row.why:
            assert row.per_request.text == DASH
        else:
            assert re.fullmatch(r"[+-]?\d+\.\d %", row.beside)


def test_how_far_a_rule_is_from_ours_is_its_own_figure_over_ours():
    summary = summarize(loaded_views.closed())
    rules = {rule.title: rule.joules_per_request.value for rule in summary.steady.rules}
    ours = next(iter(rules.values()))
    rows = [row for row in rule_rows(summary)[1:] if not row.why]
    assert rows
    for row in rows:
        value = next(v for title, v in rules.items() if title.lower() == row.title.lower())
        assert float(row.beside.rstrip(" %")) == pytest.approx(100 * (value / ours - 1), abs=0.06)


def test_the_parts_of_the_energy_fill_the_bar_and_its_interval_is_that_of_a_prompt_token():
    summary = summarize(loaded_views.closed())
    found = split_of(summary)
    assert [name for name, _ in found.parts] == ["prompts", "output", "idle power"]
    assert sum(share for _, share in found.parts) == pytest.approx(1.0)
    price = summary.figures["loaded_joules_per_prompt_token"]
    assert found.lo / 0.2 == pytest.approx(price.lo / price.value)
    assert found.hi / 0.2 == pytest.approx(price.hi / price.value)
    for px in (WIDE_PX, NARROW_PX):
        picture = split_chart(found, px)
        picture.chart.to_dict()
        assert [row["b"] for row in picture.data["parts"]] == pytest.approx([20, 75, 100])
    assert "idle power 25 %" in split_words(summary)[0]


def test_without_an_idle_power_it_is_said_where_time_is():
    fit = dataclasses.replace(
        loaded_views.FIT, idle_source=None, prompt_share=0.3, output_share=0.7, idle_share=0.0
    )
    summary = summarize(dataclasses.replace(loaded_views.closed(), input_aware=fit))
    assert [name for name, _ in split_of(summary).parts] == ["prompts", "output"]
    assert "no idle power is known" in split_words(summary)[1]


def test_what_is_not_told_apart_says_why():
    fit = dataclasses.replace(
        loaded_views.FIT, weights=None, prompt_share=None, reason=Reason.NOT_IDENTIFIED, detail="All alike."
    )
    view = dataclasses.replace(loaded_views.closed(), input_aware=fit)
    found = section(view)
    assert found.split is None
    assert "All alike." in found.split_lines[0]
    assert "All alike." in " ".join(printed(view).split())


def test_latencies_from_when_a_request_was_due_stand_below_those_from_sending():
    found = section(loaded_views.poisson())
    titles = [row.title for row in found.latencies]
    place = titles.index("Time to first token")
    assert titles[place + 1] == "Time to first token from when it was due"
    sent, due = (next(r for r in found.latencies if r.anchor == n) for n in ("e2el", "e2el_scheduled"))
    assert sent.n == due.n < len(loaded_views.poisson().measured_items)
    closed = [row.anchor for row in section(loaded_views.closed()).latencies]
    assert not any(name.endswith("_scheduled") for name in closed)


def test_limits_have_their_share_and_their_energy():
    slo = Slo(e2el_s=1.0, tpot_s=0.05)
    view = limited(loaded_views.closed(), slo)
    found = section(view)
    value = joules_per_correct_answer_at(view, slo)
    tile = found.tiles[1]
    assert tile.title == "Energy per correct answer within the limits"
    assert tile.text == figure_texts("", value)[0]
    assert tile.name == "slo_joules_per_correct_answer"
    kept, correct = found.limits
    assert re.match(r"\d+\.\d % \(95 % interval .*\) of 388 counted requests kept ", kept)
    assert "each token after the first ≤ 50 ms, whole answer ≤ 1 s" in kept
    assert correct.startswith("Correct answers within the limits: ")
    assert "kept each token" in render(summarize(view), view)
    plain = section(loaded_views.closed())
    assert plain.limits == []
    assert len(plain.tiles) == len(found.tiles) - 1


def test_what_the_engine_does_not_say_has_one_reason():
    found = section(dataclasses.replace(loaded_views.closed(), engine_gauges=()))
    assert found.gauges == []
    assert len(found.gauge_notes) == 1


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (Load(mode="closed", concurrency=8), "closed loop, 8 in flight"),
        (
            Load(mode="open", concurrency=64, arrival="poisson", rate=2.5, ramp_s=10),
            "Poisson arrivals, 2.5 a second, 64 in flight at most, risen over 10 s",
        ),
        (
            Load(mode="open", concurrency=None, arrival="gamma", rate=4, burstiness=0.5),
            "gamma arrivals of burstiness 0.5, 4 a second",
        ),
        (Load(mode="open", concurrency=None, arrival="at_once"), "all requests at once"),
        (
            Load(mode="trace", concurrency=None, trace="azure.csv", trace_speed=2.0),
            "replay of azure.csv, 2 times as fast",
        ),
    ],
)
def test_a_load_in_words(load, words):
    assert load_words(load) == words


def test_foreign_text_of_a_trace_stays_text():
    hostile = "<script>alert(1)</script>"
    view = loaded_views.closed()
    load = Load(mode="trace", concurrency=None, trace=hostile)
    view = dataclasses.replace(view, manifest=view.manifest.model_copy(update={"load": load}))
    page = render(summarize(view), view)
    assert hostile not in page
    assert "replay of &lt;script&gt;" in page


@pytest.mark.parametrize("make", [loaded_views.closed, loaded_views.poisson, loaded_views.refused])
@pytest.mark.parametrize("width", [60, 100])
def test_the_terminal_leads_with_the_load_and_stays_short(make, width):
    text = printed(make(), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    start = next(k for k, line in enumerate(lines) if line.startswith("Under load"))
    assert start <= 3 + sum(line.startswith("!") for line in lines[:10]) * 3
    assert "Loaded:" not in text
    if width == 100:
        assert len(lines) <= 60


def test_the_terminal_gives_the_steady_figures_and_the_steady_latencies():
    view = loaded_views.closed()
    summary, text = summarize(view), printed(loaded_views.closed())
    for name in ("steady_joules_per_request", "steady_joules_per_token", "steady_power_w"):
        assert figure_texts(name, summary.figures[name])[0] in text
    assert "Latency, steady window" in text
    row = next(line for line in text.splitlines() if line.startswith("End-to-end latency"))
    assert row.split()[-1] == str(len(summary.steady.latency["e2el"].samples_s))
    assert "By the published rules" in text
    assert "idle power 25 %" in text


def test_an_open_load_has_no_number_at_a_time():
    assert "None" not in printed(loaded_views.poisson())
    assert "12 at a time" in " ".join(printed(loaded_views.closed()).split())


def test_without_the_run_the_load_is_told_all_the_same():
    out = io.StringIO()
    summary = summarize(loaded_views.closed())
    print_summary(summary, Console(file=out, width=100, legacy_windows=False))
    assert "Under load: energy per correct answer" in out.getvalue()


def test_the_page_of_a_load_has_one_course_and_the_whole_run_below():
    view = loaded_views.closed()
    page = render(summarize(view), view)
    assert page.index("Under load") < page.index("The whole run, its start and end included")
    assert "What happened" not in page
    assert page.count("The load and its power</h3>") == 1


def test_a_spread_that_is_not_known_is_told_with_its_reason():
    view = loaded_views.closed()
    summary = summarize(view)
    none = Spread(None, None, 3, "J", reason=Reason.OVERLAPPED)
    known = Spread(0.5769, 0.0, 3, "1", (0.5769,) * 3)
    out = io.StringIO()
    repeats = {"accuracy": known, "joules_per_correct_answer": none}
    print_summary(dataclasses.replace(summary, repeats=repeats), Console(file=out, width=200), view)
    assert "— ± —" not in out.getvalue()
    assert f"— Energy per correct answer over repeats: {Reason.OVERLAPPED.text}" in out.getvalue()
