import dataclasses
import os
import re
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from doubles import run_views, varied_runs
from joulemark.metrics import definitions, summarize
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason
from joulemark.report.html import render, write_report
from joulemark.report.item_cost import item_cost_chart, item_costs
from joulemark.report.item_table import MAX_ITEM_ROWS
from joulemark.report.templates import coded
from joulemark.report.theme import NARROW_PX, WIDE_PX

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{7*7}}"
VOID = {"meta", "link", "br", "img", "hr", "input", "col"}

VIEWS = {
    "counter": run_views.with_counter,
    "failures": lambda: run_views.with_counter(with_failures=True),
    "no meter": run_views.without_meter,
    "not streamed": run_views.not_streamed,
    "replayed": run_views.replayed,
    "fitted": varied_runs.fitted,
    "priced": varied_runs.priced,
    "wall": varied_runs.with_wall_meter,
    "scores": varied_runs.real_valued,
    "repeats": varied_runs.repeated,
    "all failed": varied_runs.all_failed,
    "one item": lambda: run_views.with_counter(1),
    "empty": lambda: dataclasses.replace(run_views.without_meter(), items=(), duration_s=None),
}


class Page(HTMLParser):
    """Reads a page and refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.cells = []  # (tag, attributes, text) of each element without children
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)
            self.cells.append((tag, dict(attrs), ""))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.words.append(data)
            if self.cells:
                tag, attributes, text = self.cells[-1]
                self.cells[-1] = (tag, attributes, text + data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@cache
def rendered(name):
    view = VIEWS[name]()
    return render(summarize(view), view)


@pytest.fixture(params=VIEWS)
def page(request):
    return rendered(request.param)


def test_the_page_is_well_formed_and_asks_nobody(page):
    read = Page(page)
    assert not re.search(r"(?i)\b(https?|wss?|ftp|data):?//|//[a-z0-9-]+\.[a-z]{2,}", page)
    assert not {"script", "iframe", "object", "embed", "link", "img", "base"} & set(read.tags)
    for tag, name, value in read.attributes:
        assert not name.startswith("on")
        if name in ("href", "src", "xlink:href"):
            assert value.startswith("#"), (tag, value)
        assert "url(" not in (value or "") or re.fullmatch(r"url\(#[\w-]+\)", value)
    assert "@import" not in page
    assert "url(" not in page.split("</style>")[0]


def test_the_page_forbids_everything_but_its_own_style(page):
    policy = next(
        v for t, n, v in Page(page).attributes if t == "meta" and n == "content" and "src" in (v or "")
    )
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


def test_every_chart_has_a_title_a_description_and_a_role(page):
    drawings = re.findall(r"<svg\b[^>]*>(<title>[^<]+</title><desc>[^<]+</desc>)?", page)
    assert all(drawings)
    assert page.count('<svg role="img"') == page.count("<svg")


def test_headings_do_not_skip_a_level(page):
    levels = [int(tag[1]) for tag in Page(page).tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_links_lead_somewhere_and_ids_are_unique(page):
    attributes = Page(page).attributes
    ids = [v for t, n, v in attributes if n == "id" and t == "div"]
    assert len(ids) == len(set(ids)) == len(definitions())
    for _, name, value in attributes:
        if name == "href":
            assert value.removeprefix("#") in ids


def test_hostile_text_stays_text_wherever_it_comes_from():
    view = run_views.with_counter()
    m = view.manifest
    meter = run_views.meter(HOSTILE, reason=HOSTILE)
    manifest = m.model_copy(
        update={
            "run_id": HOSTILE,
            "engine": m.engine.model_copy(
                update={"model": HOSTILE, "version": HOSTILE, "flags": {HOSTILE: HOSTILE},
                        "quantization": None, "reasons": {"quantization": HOSTILE}}
            ),
            "task": m.task.model_copy(update={"name": HOSTILE, "source": HOSTILE, "preset": HOSTILE}),
            "suite": HOSTILE,
            "standing": HOSTILE,
            "rates": Rates(usd_per_kwh=0.3, electricity_source=HOSTILE, gco2e_per_kwh=9.0, grid_zone=HOSTILE,
                           grid_source=HOSTILE),
            "host": m.host.model_copy(update={"cpu_model": HOSTILE}),
            "devices": [m.devices[0].model_copy(update={"name": HOSTILE, "other_processes": [HOSTILE]})],
            "meters": [meter],
            "notes": [HOSTILE, f"`{HOSTILE}`"],
        }
    )  # fmt: skip
    items = tuple(dataclasses.replace(one, item_id=HOSTILE + one.item_id) for one in view.items)
    rows = tuple(dataclasses.replace(row, item_id=HOSTILE + row.item_id) for row in view.attributions)
    lines = tuple(dataclasses.replace(line, source=HOSTILE, scope=HOSTILE) for line in view.timelines)
    seen = next(iter(view.other_energy.values()))
    other = {HOSTILE: seen, f"{HOSTILE} · wall": seen}
    hostile = dataclasses.replace(
        view,
        manifest=manifest,
        items=items,
        attributions=rows,
        timelines=lines,
        other_energy=other,
        chunks={},
    )
    text = render(summarize(hostile), hostile)
    read = Page(text)
    assert "script" not in read.tags
    assert "img" not in read.tags
    assert not [a for a in read.attributes if a[1].startswith("on")]
    assert "{{7*7}}" in read.text
    assert read.text.count("<script>alert(1)</script>") > 60


def test_back_ticks_become_code_and_nothing_else_does():
    assert coded("run `joulemark doctor` <b>") == "run <code>joulemark doctor</code> &lt;b&gt;"
    assert coded("a ` b") == "a ` b"
    assert coded("`x` and ` rest") == "<code>x</code> and ` rest"
    assert coded("`<i>`") == "<code>&lt;i&gt;</code>"


def test_a_metered_page_tells_statistics_and_meter_apart():
    text = Page(rendered("counter")).text
    assert "Over items: 95 % interval" in text
    assert "Of the meter itself: meter's bound" in text
    assert "confidence" not in text
    assert "Attribution (sequential, gpu:0): items" in text
    assert "Tier C" in text


def test_a_page_without_joules_is_still_worth_reading():
    text = Page(rendered("no meter")).text
    assert "No energy meter was found" in text
    assert "joulemark doctor" in text
    assert text.index("Processor time per correct answer") < text.index("Energy per correct answer")
    assert "Processor time per item" in text


def test_that_there_is_no_meter_is_said_once_in_full():
    page = rendered("no meter").split("How each figure is defined")[0]
    text = Page(rendered("no meter")).text
    assert text.count(Reason.NO_METER.text.split(";")[0]) == 1
    assert text.index(Reason.NO_METER.text.split(";")[0]) < text.index("How sure")
    assert "Device's counter" not in page
    assert ">Meter's bound</th>" not in page
    assert "Cost model : no meter." in text
    assert ">Meter's bound</th>" in rendered("counter")


def test_flags_without_a_value_are_left_out():
    view = run_views.without_meter()
    engine = view.manifest.engine.model_copy(update={"flags": {"build": None, "n_ctx": 0}})
    bare = dataclasses.replace(view, manifest=view.manifest.model_copy(update={"engine": engine}))
    text = Page(render(summarize(bare), bare)).text
    assert "n_ctx=0" in text
    assert "build=" not in text


def test_accuracy_without_the_truncated_says_of_how_many():
    view = run_views.without_meter()
    summary = summarize(view)
    n = summary.n_scored - summary.verdicts["truncated"]
    assert f"of {n} answers" in Page(render(summary, view)).text


def test_boards_and_meters_of_several_segments_are_told_apart():
    view = run_views.with_counter()
    boards = [run_views.device(segment=k) for k in range(2)]
    meters = [run_views.meter(segment=k) for k in range(2)]
    segments = view.manifest.segments * 2
    manifest = view.manifest.model_copy(update={"devices": boards, "meters": meters, "segments": segments})
    text = Page(render(summarize(view), dataclasses.replace(view, manifest=manifest))).text
    assert text.count("Engine seen on it") == 1
    assert text.count("nvml:0, segment 1") == text.count("nvml:0, segment 2") == 1


def test_a_replayed_page_says_so_before_any_figure():
    text = Page(rendered("replayed")).text
    assert text.index("REPLAYED") < text.index("307 J")
    assert text.count("nvml:0 (replayed), gpu:0") == 2


def test_writing_is_atomic_and_leaves_nothing_behind(tmp_path, monkeypatch):
    view = run_views.without_meter(12)
    page = tmp_path / "report.html"
    page.write_text("the old page")
    monkeypatch.setattr(
        os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(InputError, match="No space left"):
        write_report(summarize(view), view, page)
    assert page.read_text() == "the old page"
    assert list(tmp_path.iterdir()) == [page]
    monkeypatch.undo()
    write_report(summarize(view), view, page)
    assert page.read_text().startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [page]


def test_a_place_that_cannot_be_written_is_a_users_error():
    view = run_views.without_meter(12)
    with pytest.raises(InputError) as caught:
        write_report(summarize(view), view, Path("/nonexistent-directory/report.html"))
    assert "/nonexistent-directory" in caught.value.fix


def test_many_items_make_a_page_of_bearable_size():
    view = run_views.with_counter(2000)
    text = render(summarize(view), view)
    assert len(text.encode()) < 1_000_000
    assert f"{MAX_ITEM_ROWS} of 2000" in Page(text).text.replace("( ", "(")


def test_a_partial_run_says_how_far_it_came():
    view = dataclasses.replace(run_views.without_meter(2), wanted=52)
    assert "2 of 52 answers" in Page(render(summarize(view), view)).text
    whole = dataclasses.replace(view, wanted=2)
    assert "2 of 2 answers" not in Page(render(summarize(whole), whole)).text


def test_greedy_sampling_says_which_settings_are_idle():
    view = run_views.without_meter()
    engine = view.manifest.engine.model_copy(update={"flags": {"top_k": 40, "min_p": 0.05}})
    greedy = dataclasses.replace(view, manifest=view.manifest.model_copy(update={"engine": engine}))
    assert "greedy: top_k and min_p without effect" in Page(render(summarize(greedy), greedy)).text
    sampling = view.manifest.sampling.model_copy(update={"temperature": 0.7})
    warm = dataclasses.replace(view, manifest=greedy.manifest.model_copy(update={"sampling": sampling}))
    assert "greedy" not in Page(render(summarize(warm), warm)).text


def test_percentiles_of_few_values_are_dashes_that_are_explained():
    few = run_views.without_meter(12)
    text = Page(render(summarize(few), few)).text
    assert "p95 needs 20" in text
    many = run_views.without_meter(100)
    assert "p95 needs 20" not in Page(render(summarize(many), many)).text


def test_legends_and_ticks_follow_the_width():
    view = run_views.with_counter()
    wide, narrow = (item_cost_chart(item_costs(view), [], px).chart.to_dict() for px in (WIDE_PX, NARROW_PX))
    for chart, ticks in ((wide, 8), (narrow, 4)):
        dots = chart["layer"][1]["encoding"]
        assert dots["x"]["axis"]["tickCount"] == ticks
    columns = [chart["layer"][1]["encoding"]["color"]["legend"]["columns"] for chart in (wide, narrow)]
    assert columns[0] > columns[1] == 2


def test_every_dash_has_its_reason_on_hover_and_in_print(page):
    read = Page(page)
    seen = read.text.replace("`", "")
    for place, (tag, attributes, text) in enumerate(read.cells):
        if text.strip() != "—":
            continue
        if tag == "td" and attributes.get("title"):
            # on paper nobody hovers: the same sentence stands in the row or in a note below the table
            reason = " ".join(attributes["title"].replace("`", "").split())
            few = re.match(r"p\d+ needs \d+", reason)  # told for all percentiles at once
            assert (few[0] if few else reason) in seen, reason
        else:
            _, _, beside = read.cells[place + 1]
            assert len(beside.strip()) > 8, (tag, text, beside)


def test_every_figure_leads_to_its_definition(page):
    for tag, name, value in Page(page).attributes:
        if tag == "a" and name == "href":
            assert value.startswith("#def-")
    read = Page(page)
    titles = {d.title for d in definitions()}
    shown_rows = [text for tag, attributes, text in read.cells if tag == "a" and "title" in attributes]
    assert titles & set(shown_rows)


def test_three_ways_to_the_energy_stand_side_by_side():
    text = Page(rendered("wall")).text
    start = text.index("The same energy, three ways")
    part = text[start : start + 700]
    assert part.index("Device's counter") < part.index("Device's power, integrated")
    assert part.count("the headline uses this one") == 1
    assert "-0.9 % against the counter" in part
    assert "+62.0 % against the headline; it sees the whole machine" in part
    alone = Page(rendered("counter")).text
    assert "No wall meter and no analyzer was read" in alone


def test_the_cost_model_is_an_equation_or_says_why_there_is_none():
    text = Page(rendered("fitted")).text
    assert re.search(r"E = [\d.]+ J \+ [\d.]+ J × prompt tokens \+ [\d.]+ J × output tokens", text)
    assert "R² 0.9" in text
    assert "± are standard errors" in text
    assert "Dashed: the fitted cost model at the median prompt" in text
    bare = Page(rendered("counter")).text
    assert "do not tell the coefficients apart" in bare
    assert "E = " not in bare.split("How each figure is defined")[0]


def test_scores_are_no_accuracy():
    text = Page(rendered("scores")).text
    assert "What an answer of" in text
    assert text.index("Energy per request") < text.index("Mean score") < text.index("How sure")
    assert "Accuracy — The score is real-valued" in text
    assert "scored has a score instead of right or wrong" in text


def test_repeats_have_a_spread_and_one_run_says_how_to_get_one():
    text = Page(rendered("repeats")).text
    assert "σ is the sample standard deviation. Temperature 0.7, seed 1234" in text
    assert "--repeat 3 asks everything" in Page(rendered("counter")).text
    assert "--repeat 3 asks everything" not in text


def test_money_and_carbon_are_told_with_their_rates_or_how_to_get_them():
    text = Page(rendered("priced")).text
    assert "Cost per correct answer" in text
    assert "0.3 USD per kWh (declared by the user), times 1.2 for the building (PUE)" in text
    assert "381 g CO2e per kWh (DEU, a yearly mean, 2023)" in text
    assert "A million correct answers: 27.48 USD." in text
    bare = Page(rendered("counter")).text.split("How each figure is defined")[0]
    assert "No price was given. --usd-per-kwh 0.30" in bare
    assert "No grid intensity was given. --zone DEU" in bare
    assert "Cost per correct answer" not in bare


def test_what_a_run_counts_for_stands_in_the_header():
    assert "Suite published · may be ranked: within the same suite" in Page(rendered("priced")).text
    view = varied_runs.canary()
    text = Page(render(summarize(view), view)).text
    assert "Not ranked: a canary task" in text.split("How sure")[0]


def test_a_run_of_failures_blames_no_model():
    text = Page(rendered("all failed")).text
    assert "No request was completed." in text
    assert "there is nothing to be sure of" in text
    assert "The meter can have missed at most" in text
