import dataclasses
import io

import pytest
from rich.console import Console

from doubles import run_views, varied_runs
from joulemark.metrics import summarize
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.report.terminal import print_summary


def _printed(view, width=100, *, alone=False):
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, legacy_windows=False)
    print_summary(summarize(view), console, None if alone else view)
    return out.getvalue()


def test_the_headline_keeps_statistics_and_meter_apart():
    text = _printed(run_views.with_counter())
    over_items = next(line for line in text.splitlines() if "Over items" in line)
    of_meter = next(line for line in text.splitlines() if "Of the meter" in line)
    assert "95 % interval" in over_items
    assert "bound" not in over_items
    assert "meter's bound" in of_meter
    assert "interval" not in of_meter
    assert "confidence" not in text
    assert "Energy per correct answer  307 J" in text
    assert "SmolLM2-135M-Instruct" in text
    assert "C: the device's own telemetry alone" in text


def test_without_a_meter_the_first_words_say_so_and_the_rest_is_there():
    text = _printed(run_views.without_meter())
    assert text.startswith("! No joules")
    assert "joulemark doctor" in text
    assert "Processor time per correct answer" in text
    assert Reason.NO_METER.text in " ".join(text.split())


def test_without_joules_the_reason_stands_once_below_the_warning():
    for reason in (Reason.NO_METER, Reason.ENGINE_REMOTE):
        view = dataclasses.replace(run_views.without_meter(), headline_energy=Withheld(reason))
        warning, _, rest = _printed(view).partition("SmolLM2")
        words = " ".join(rest.split())
        assert words.count(reason.text) == 1
        assert f"Energy: none ({reason.text})" in words
        assert words.count("Energy") == 1
        assert "Tier" not in words
        assert reason.text in " ".join(warning.split())


def test_joules_without_a_correct_answer_are_still_shown():
    view = run_views.with_counter()
    wrong = tuple(dataclasses.replace(one, verdict=Verdict.WRONG, correct=False) for one in view.items)
    text = _printed(dataclasses.replace(view, items=wrong))
    assert f"Energy per correct answer: none ({Reason.NOTHING_CORRECT.text})" in text
    assert "Energy per request" in text
    assert "C: the device's own telemetry alone" in text


def test_dashes_of_the_verdicts_have_their_reason_below_them():
    view = run_views.with_counter()
    lost = tuple(
        dataclasses.replace(row, joules=None, lo=None, hi=None, reason=Reason.SHORTER_THAN_STEP)
        for row in view.attributions
    )
    lines = _printed(dataclasses.replace(view, attributions=lost), 200).splitlines()
    table = next(n for n, line in enumerate(lines) if line.startswith("60 requests"))
    latency = next(n for n, line in enumerate(lines) if line.startswith("Latency"))
    told = [line for line in lines[table:latency] if line.startswith("— Energy of")]
    whole = _printed(view, 200)
    assert "correct" in told[0]
    assert Reason.SHORTER_THAN_STEP.text in told[0]
    assert "— Energy of correct" not in whole


def test_a_replayed_meter_is_said_loudly():
    text = _printed(run_views.replayed())
    assert text.startswith("! The joules were REPLAYED")
    assert "REPLAYED: nvml:0" in text


def test_failures_show_a_second_line_of_percentiles():
    text = _printed(run_views.with_counter(with_failures=True))
    assert "with failures" in text
    assert "failed" in text
    assert "with failures" not in _printed(run_views.with_counter())


@pytest.mark.parametrize(
    "make",
    [
        run_views.with_counter,
        run_views.without_meter,
        run_views.not_streamed,
        varied_runs.with_wall_meter,
        varied_runs.repeated,
        varied_runs.real_valued,
        varied_runs.all_failed,
    ],
)
@pytest.mark.parametrize("width", [60, 80])
def test_nothing_is_cut_off_in_a_narrow_terminal(make, width):
    text = _printed(make(), width)
    assert max(map(len, text.splitlines())) <= width
    assert "\N{HORIZONTAL ELLIPSIS}\n" not in text


def test_foreign_text_is_neither_markup_nor_control():
    view = run_views.with_counter()
    hostile = "[bold red]model[/bold red]\x1b[2J\x07"
    engine = view.manifest.engine.model_copy(update={"model": hostile})
    manifest = view.manifest.model_copy(update={"engine": engine, "notes": [hostile]})
    text = _printed(dataclasses.replace(view, manifest=manifest))
    assert "[bold red]model[/bold red]" in text
    assert "\x1b" not in text
    assert "\x07" not in text


def test_without_joules_the_processor_time_leads_with_its_interval():
    lines = _printed(run_views.without_meter()).partition("SmolLM2")[2].splitlines()
    assert lines[1].startswith("Processor time per correct answer  ")
    assert lines[2].strip().startswith("95 % interval")
    assert lines[3].startswith("Energy: none")
    assert "\n".join(lines).count("Processor time per correct answer") == 1


def test_how_it_was_measured_is_one_line():
    text = _printed(run_views.with_counter(), 200)
    line = next(line for line in text.splitlines() if line.startswith("How it was measured: "))
    for told in (
        "seed 1234",
        "temperature 0",
        "max tokens 128",
        "engine b6789",
        "prompt cache off",
        "Testchip 2",
    ):
        assert told in line
    assert "threads" not in line  # this engine does not say


def test_a_partial_run_says_how_far_it_came():
    view = dataclasses.replace(run_views.without_meter(2), wanted=52)
    assert "quick · 2 of 52 answers" in _printed(view)
    assert "2 of 2 answers" not in _printed(dataclasses.replace(view, wanted=2))


def test_latencies_tell_their_number_and_why_a_percentile_is_missing():
    text = _printed(run_views.without_meter(12))
    row = next(line for line in text.splitlines() if line.startswith("End-to-end latency"))
    assert row.split()[-3:] == ["—", "—", "12"]
    assert "A percentile of too few values is left out" in text
    assert "too few values" not in _printed(run_views.without_meter(100))


def test_the_parts_stand_in_the_order_of_the_page():
    text = _printed(varied_runs.with_wall_meter())
    parts = [
        "Energy per correct answer  275 J",
        "How sure: ",
        "device's power, integrated: -0.9 %",
        "Energy per request",
        "60 requests",
        "Cost model: E = ",
        "Latency ",
        "— A percentile",
        "Money and carbon",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "wall meter or analyzer: +62.0 %" in text
    assert len(text.splitlines()) <= 60


def test_without_the_run_the_drift_is_still_told():
    text = _printed(run_views.with_counter(), alone=True)
    assert "2.700 % is what integrated power differs by from the counter" in text
    assert "ranked" not in text
    assert "Not ranked: " in _printed(run_views.with_counter())


def test_every_verdict_is_told_with_what_it_cost():
    text = _printed(run_views.with_counter(with_failures=True))
    failed = next(line for line in text.splitlines() if line.startswith("failed "))
    assert failed.split()[:4] == ["failed", "7", "2,685", "J"]
    assert "13 requests were sent more than once." in text


def test_a_withheld_figure_takes_one_line_with_its_reason():
    text = _printed(run_views.with_counter())
    assert text.count("Energy above the loaded idle") == 1
    assert "— Energy above the loaded idle, Standby energy per day" in text
    assert "Cost model: fixed" not in text
    assert " ".join(text.split()).count("do not tell the coefficients apart") == 1


def test_repeats_are_told_in_a_line_each():
    text = _printed(varied_runs.repeated())
    assert "Energy per correct answer over repeats: 278 J ± 27 J (n = 3)" in text
    assert "Accuracy over repeats: 48.3 % ± 7.6 % (n = 3)" in text


def test_scores_lead_with_the_energy_of_a_request():
    lines = [line for line in _printed(varied_runs.real_valued()).splitlines() if line]
    assert lines[1].startswith("Energy per request  137.2 J")
    assert any(line.startswith("Energy per correct answer: none (The score is real-valued") for line in lines)
    assert any(line.startswith("Mean score") for line in lines)


def test_a_run_without_answers_is_not_ranked_and_names_no_list_of_figures():
    view = varied_runs.all_failed()
    manifest = view.manifest.model_copy(update={"may_rank": True, "standing": "ranked within its task"})
    text = _printed(dataclasses.replace(view, manifest=manifest))
    assert "nothing was answered" in text
    assert "ay be ranked" not in text
    assert "Output tokens per request" not in text
    assert "No request was completed" in text
