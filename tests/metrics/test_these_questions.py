"""A figure speaks of questions of the kind, stopped or whole; those of its own questions stand beside it."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from doubles import run_views
from doubles.run_views import item
from joulemark.board.standing.run_row import run_values
from joulemark.metrics import summarize
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.attribution import attribute_sequential
from joulemark.metrics.compare_runs import compare_runs
from joulemark.metrics.run_point import run_point
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.record.item import Verdict
from joulemark.record.manifest import Sampling, StopFacts, Stopped, Task
from joulemark.record.scope import Scope
from joulemark.report.headline import energy_tile, tile
from joulemark.report.page import tiles
from joulemark.report.terminal import print_summary

OF = 400
JPC = "joules_per_correct_answer"


def run(
    n: int = OF, *, noise: float = 0.0, temperature: float = 0.0, repeats: int = 1, seed: int = 1
) -> RunView:
    """Return the first ``n`` of `OF` questions; three of five right, joules that tokens fix but for noise."""
    chance = np.random.default_rng(seed)
    tokens = chance.integers(20, 400, n)
    items, joules = [], []
    for k in range(n):
        for repeat in range(repeats):
            likely = (k % 5 + 0.5) / 5 if repeats > 1 else float(k % 5 < 3)
            verdict = Verdict.CORRECT if chance.random() < likely else Verdict.WRONG
            at_s = 9.0 * len(items)
            items.append(
                item(k, repeat=repeat, start_s=at_s, end_s=5.0, verdict=verdict, tokens=int(tokens[k]))
            )
            joules.append(float((5 + 0.3 * tokens[k]) * np.exp(chance.normal(0, noise))))
    total = run_views.measured(sum(joules))
    rows, _ = attribute_sequential(items, [run_views.measured(j) for j in joules], [], total, "gpu:0")
    ended = Stopped(at=n, asked=n, of=OF, segment=0, binding=["accuracy ±5pp"])
    stop = StopFacts(targets=["accuracy ±5pp"], least=30, every=10, told=["met"], stopped=ended)
    return RunView(
        manifest=run_views.manifest(
            task=Task(name="quick", revision="1", n_items=OF, template_hash="7c4a8d09"),
            stop=stop if n < OF else None,
            sampling=Sampling(temperature=temperature, max_tokens=512),
            repeats=repeats,
        ),
        items=tuple(items),
        headline_energy=total,
        headline_scope=Scope.gpu(0).label,
        headline_method=rows[0].method,
        attributions=rows,
        duration_s=9.0 * len(items),
        wanted=OF * repeats,
    )


def width(summary: Summary, name: str = "accuracy") -> float:
    value = summary.figures[name]
    assert value.lo is not None
    assert value.hi is not None
    return value.hi - value.lo


def own(summary: Summary, name: str = "accuracy") -> float:
    assert summary.these is not None
    lo, hi = summary.these.intervals[name]
    return hi - lo


def test_more_answers_never_make_an_interval_wider() -> None:
    """Of 400 questions: 300, all but two, all. With the correction in one sort of run alone they would."""
    summaries = [summarize(run(n)) for n in (300, 398, OF)]
    assert [width(one) for one in summaries] == sorted((width(one) for one in summaries), reverse=True)
    assert [own(one) for one in summaries] == sorted((own(one) for one in summaries), reverse=True)
    assert own(summaries[-1]) == 0
    for one in summaries:
        assert own(one) < width(one)
        assert one.figures["accuracy"].interval_method == ""


def test_once_all_were_asked_the_noise_of_a_request_is_left_of_a_cost() -> None:
    plain, noisy = (summarize(run(noise=noise)) for noise in (0.0, 0.2))
    assert own(plain, JPC) == pytest.approx(0, abs=1e-3 * width(plain, JPC))
    # the divisor is fixed, and the joules are sums of 400 noisy ones
    joules = 5 + 0.3 * np.random.default_rng(1).integers(20, 400, OF)
    left = 2 * 1.96 * np.sqrt(np.sum((0.2 * joules) ** 2)) / noisy.n_correct
    assert own(noisy, JPC) == pytest.approx(left, rel=0.25)
    assert own(noisy, JPC) < 0.7 * width(noisy, JPC)


def test_drawn_answers_have_no_narrower_interval_unless_repeats_tell() -> None:
    once = summarize(run(300, temperature=0.7))
    assert once.these is not None
    assert once.these.intervals == {}
    often = summarize(run(300, temperature=0.7, repeats=3))
    assert 0.5 * width(often) < own(often) < 0.98 * width(often)
    assert often.these is not None
    assert JPC not in often.these.intervals
    for summary, told in ((once, "each question once"), (often, "asked again as often")):
        assert any(told in line for line in tile("accuracy", summary).lines)


def test_answers_that_were_picked_have_none_and_json_says_why() -> None:
    view = run(300)
    summary = summarize(replace(view, items=tuple(one for one in view.items if one.index % 7)))
    assert summary.these is None
    document = summary.to_json()
    assert document["these_questions"] is None
    assert "these_questions" in document["reasons"]  # type: ignore[operator]


@pytest.mark.parametrize("n", [300, OF])
def test_terminal_page_and_json_tell_both_and_which_is_which(n: int) -> None:
    view = run(n, noise=0.1)
    summary = summarize(view)
    console = Console(file=io.StringIO(), width=160)
    print_summary(summary, console, view)
    assert isinstance(console.file, io.StringIO)
    text = " ".join(console.file.getvalue().split())
    asked = "all asked" if n == OF else "300 asked"
    assert "J of questions of the kind" in text
    assert f"Of these 400 questions ({asked}), answered alike and metered again: " in text
    assert "; of these 400: " in text
    quality = next(one for one in tiles(summary, view) if one.name == "accuracy")
    assert f"Of these 400 questions ({asked}), as answered in this run: " in " ".join(quality.lines)
    assert quality.lines[0].endswith("of questions of the kind")
    assert any("of questions of the kind" in line for line in energy_tile(summary).lines)
    document = summary.to_json()
    these = document["these_questions"]
    assert isinstance(these, dict)
    assert (these["questions"], these["questions_asked"]) == (OF, n)
    assert set(these["intervals"]) == {"accuracy", JPC}  # type: ignore[arg-type]
    assert these["figures_speak_of"] == "any number of questions of the kind"


def test_a_board_a_picker_and_a_comparison_read_the_interval_that_speaks_of_the_model() -> None:
    view = run(300, noise=0.1)
    summary = summarize(view)
    wide = wilson_interval(summary.n_correct, 300)
    point = run_point(view, summary, "run")
    row = run_values(view, summary, point)["accuracy"]
    assert (point.accuracy.lo, point.accuracy.hi) == (row.lo, row.hi) == pytest.approx(wide)
    cost = summary.figures[JPC]
    assert point.joules_per_correct.lo is not None
    assert cost.lo is not None
    assert point.joules_per_correct.lo <= cost.lo
    assert own(summary, JPC) < 0.8 * width(summary, JPC)
    other = run(300, noise=0.1, seed=2)
    compared = compare_runs([("a", view, summary), ("b", other, summarize(other))]).to_json()
    told = compared["runs"][0]["intervals"]["accuracy"]  # type: ignore[index,call-overload]
    assert (told["lo"], told["hi"]) == pytest.approx(wide)
