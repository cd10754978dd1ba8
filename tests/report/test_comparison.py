"""A comparison in words, in a terminal and as a page."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from doubles import chromium
from doubles.compared_runs import run, simulated_pair, with_manifest, with_part, without_joules
from doubles.run_views import measured, meter
from joulemark.metrics import summarize
from joulemark.metrics.compare_runs import compare_runs
from joulemark.record.errors import InputError
from joulemark.report.comparison import findings, headline
from joulemark.report.comparison_chart import forest_rows, paired_costs
from joulemark.report.comparison_html import render_comparison, write_comparison
from joulemark.report.comparison_tables import ratio_rows, warnings
from joulemark.report.comparison_terminal import print_comparison

PROGRAM = chromium.find()


def _compared(*views):
    return compare_runs([(f"runs/{k}", view, summarize(view)) for k, view in enumerate(views)])


def _headline(*views):
    return headline("A", "B", _compared(*views).comparisons[0]).replace("\N{NO-BREAK SPACE}", " ")


def _printed(compared, width=100):
    out = io.StringIO()
    print_comparison(compared, Console(file=out, width=width, force_terminal=False, legacy_windows=False))
    return out.getvalue()


def _words(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def pair():
    return simulated_pair(120, 1, ratio=1.8)


def test_a_difference_is_said_in_words(pair):
    said = _headline(*pair)
    found = re.fullmatch(
        r"B needs ([\d.]+) times the energy of A for a correct answer \(95 %: ([\d.]+) to ([\d.]+)\)\.", said
    )
    value = _compared(*pair).comparisons[0].figures["joules_per_correct_answer_ratio"]
    told = [float(text) for text in found.groups()]
    assert told == pytest.approx([value.value, value.lo, value.hi], abs=0.051)


def test_a_tie_is_said_to_be_a_tie_with_the_items_it_would_take():
    said = _headline(*simulated_pair(60, 11, ratio=1.02))
    assert said.startswith("A and B cannot be told apart at 95 %: B needs ")
    assert re.search(r"About [\d,]+ items would tell a ratio of this size\.$", said)


def test_a_run_against_itself_needs_no_items(pair):
    said = _headline(pair[0], pair[0])
    assert "cannot be told apart" in said
    assert "items would tell" not in said
    assert "bounds" not in said


def test_a_difference_within_the_meters_bounds_names_them():
    a, b = run([100.0] * 20, [True] * 20), run([102.0] * 20, [True] * 20)
    loose = dataclasses.replace(b, headline_energy=measured(2040.0, 60.0))
    said = _headline(a, loose)
    assert said.startswith("A and B cannot be told apart")
    assert "meters' own bounds (0.990 to 1.050)" in said


def test_no_interval_and_no_figure_are_said(pair):
    few = _headline(run([10.0] * 9, [True] * 9), run([20.0] * 9, [True] * 9))
    assert few.startswith("B needs 2.000 times the energy of A")
    assert "Too few items" in few
    replayed = with_manifest(pair[1], meters=[meter(kind="replay")])
    assert "is not compared: The joules of B come from a replayed trace" in _headline(pair[0], replayed)


def test_without_joules_the_processor_time_leads_and_says_why(pair):
    bare = [without_joules(view) for view in pair]
    assert "times the processor time of A" in _headline(*bare)
    told = list(findings("A", "B", _compared(*bare).comparisons[0]))
    assert told[0].startswith("No joules are compared: A")
    assert "B: No energy meter" in told[0]


def test_the_energy_of_a_request_is_split(pair):
    (said,) = [s for s in findings("A", "B", _compared(*pair).comparisons[0]) if s.startswith("A request")]
    whole, token, tokens = (float(x) for x in re.findall(r"([\d.]+) times", said)[:3])
    assert token * tokens == pytest.approx(whole, rel=0.02)
    shares = [int(x) for x in re.findall(r"(-?\d+) %", said)]
    assert sum(shares) == pytest.approx(100, abs=1)


def test_two_costs_that_disagree_are_told(pair):
    a, _ = pair
    # C answers the same with more tokens of less energy each, and is right less often
    c = run(
        [r.joules for r in a.attributions],
        [k % 3 == 0 for k in range(120)],
        tokens=[(i.completion_tokens or 0) * 2 for i in a.items],
        run_id="run-C",
    )
    text = _words(_printed(_compared(a, c)))
    assert "By J/token B is cheaper, by J/correct A is." in text
    other_task = with_part(c, "task", name="mmlu")
    text = _words(_printed(_compared(a, other_task)))
    assert "By J/token B is cheaper, by J/correct A is. Across tasks J/token is no comparison" in text
    assert "compared on the same task only" in text
    assert _compared(a, a).reversals == ()


def test_what_is_refused_comes_loud_and_once(pair):
    a, b = pair
    c = with_part(with_part(b, "task", name="mmlu"), "sampling", temperature=0.7)
    compared = _compared(a, with_part(b, "sampling", temperature=0.7), c)
    loud = warnings(compared, loud=True)
    assert "B against A: The sampling temperatures differ: 0 in A, 0.7 in B." in loud
    assert "C against A: The sampling temperatures differ: 0 in A, 0.7 in C." in loud
    assert any(text.startswith("C against A: Energy per token") for text in loud)
    quiet = warnings(compared, loud=False)
    assert len(quiet) == len(set(quiet)) == 1  # one run each, said once for both pairs


@pytest.mark.parametrize("width", [60, 100])
def test_the_terminal_shows_runs_figures_and_what_differs(pair, width):
    a, b = pair
    text = _printed(_compared(a, with_part(b, "engine", model="other-8b[red]\x1b[31m")), width)
    assert max(map(len, text.splitlines())) <= width
    words = _words(text)
    assert "other-8b[red]" in words
    assert "\x1b" not in text
    assert re.search(r"What differs A B Model SmolLM2\S* other-8b", words)
    assert "Paired: the same 120 items in both." in words
    assert words.startswith("B needs")


def test_rows_of_other_letters_name_them(pair):
    compared = _compared(*pair, pair[1])
    titles = [row.title for row in ratio_rows("A", "C", compared.comparisons[1])]
    assert "Energy per correct answer, C / A" in titles
    assert "Accuracy, C − A" in titles
    assert not any("B" in title for title in titles)


def test_pictures_hold_every_ratio_and_every_shared_item(pair):
    a, b = pair
    comparison = _compared(a, b).comparisons[0]
    rows = forest_rows(comparison)
    assert {row["figure"] for row in rows} >= {"J per correct answer", "tokens per request"}
    assert rows[0]["verdict"] == "differs at 95 %"
    costs = paired_costs(a, b, "A", "B")
    assert costs.unit == "joules"
    assert len(costs.points) == 120
    assert costs.n_without == 0
    outcomes = [point["outcome"] for point in costs.points]
    assert outcomes.count("only A right") == comparison.outcomes.only_a
    assert outcomes.count("right in both") == comparison.outcomes.both
    bare = paired_costs(without_joules(a), b, "A", "B")
    assert bare.unit == "CPU seconds"
    assert len(bare.points) == 120


def test_the_page_is_one_offline_file_and_escapes_foreign_text(pair, tmp_path):
    a, b = pair
    evil = with_part(b, "engine", model="<script>alert(1)</script>")
    compared = compare_runs([("<b>a</b>", a, summarize(a)), ("b", evil, summarize(evil))])
    page = tmp_path / "compared.html"
    write_comparison(compared, page)
    text = page.read_text()
    assert "<script" not in text
    assert "<b>a</b>" not in text
    assert "&lt;script&gt;" in text
    assert "http" not in re.sub(r"http-equiv", "", text)
    assert text.count("<svg") == 4
    for name in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{name}"' in text
    assert oct(page.stat().st_mode & 0o777) == "0o644"
    assert [p.name for p in tmp_path.iterdir()] == ["compared.html"]


def test_pages_of_poor_runs_are_made_all_the_same(pair):
    a, b = pair
    tiny = run([10.0], [False])
    for views in ((tiny, tiny), (without_joules(tiny), a), (a, dataclasses.replace(b, items=()))):
        assert "The runs" in render_comparison(_compared(*views))
        assert "against" in _printed(_compared(*views))


def test_a_place_that_cannot_be_written(pair, tmp_path):
    for parent in (tmp_path / "no", tmp_path / "file"):
        (tmp_path / "file").touch()
        with pytest.raises(InputError) as raised:
            write_comparison(_compared(*pair), parent / "page.html")
        assert str(parent) in raised.value.fix
        assert "--html" not in raised.value.fix  # `bench` writes the page too
    with pytest.raises(InputError) as raised:
        write_comparison(_compared(*pair), tmp_path / "no" / "page.html", fix="as the caller says")
    assert raised.value.fix == "as the caller says"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.timeout(120)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_the_page_fits_a_browser_and_asks_for_nothing(pair, tmp_path: Path) -> None:
    assert PROGRAM is not None
    page = tmp_path / "compared.html"
    write_comparison(_compared(*pair, with_part(pair[1], "task", name="mmlu")), page)
    with chromium.browser(PROGRAM, tmp_path) as tab:
        for width in (1200, 700, 390):
            tab.width(width)
            tab.open(page)
            assert tab.value("document.documentElement.scrollWidth") <= width
            drawn = "[...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width > 100)"
            assert tab.value(f"{drawn}.length") == 3
        asked = {
            e["params"]["request"]["url"] for e in tab.events if e["method"] == "Network.requestWillBeSent"
        }
        told = {e["method"] for e in tab.events}
    assert asked == {page.as_uri()}
    assert not {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"} & told
