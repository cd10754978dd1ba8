"""The page of the published cut-off: its charts follow the grammar, foreign names stay text."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.published.frames import Reading
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.study import Study, study
from joulemark.frugal.target import parse_target
from joulemark.report.frugal_cutoff_chart import (
    distribution_chart,
    slopes_chart,
    steps_chart,
    tracking_chart,
)
from joulemark.report.frugal_cutoff_html import render_cutoff
from joulemark.report.frugal_cutoff_terminal import print_cutoff
from joulemark.report.frugal_cutoff_words import instead_text, loss_text, method_notes, truth_text
from joulemark.report.theme import Picture


def made(values: np.ndarray, name: str = "m", metric: str = "accuracy", *, itself: bool = False) -> Study:
    low, high = (0.0, 1.0) if metric == "accuracy" else (float(values.min()), float(values.max()))
    return study(Outcomes(name, metric, values, low, high), Method(shuffles=40), itself=itself)


@pytest.fixture(scope="module")
def coins() -> Study:
    return made((np.arange(1000) % 10 < 6).astype(float), itself=True)


def test_the_charts_follow_the_grammar(coins: Study) -> None:
    applied = coins.self_application
    assert applied is not None
    pictures = [
        tracking_chart(coins, 400),
        slopes_chart(coins.cutoff, 400),
        distribution_chart(coins.cutoff, 400),
        steps_chart(applied, 1000, "pp", 400),
    ]
    for picture in pictures:
        assert isinstance(picture, Picture)
        picture.chart.to_dict(validate=True)
        named = set(picture.data)
        assert all(rows for rows in picture.data.values()), named


def test_the_bars_hold_every_shuffle_and_the_curve_as_many(coins: Study) -> None:
    picture = distribution_chart(coins.cutoff, 400)
    assert sum(bar["n"] for bar in picture.data["bars"]) == len(coins.cutoff.fractions) == 40


def test_foreign_names_stay_text() -> None:
    page = render_cutoff(made((np.arange(400) % 2).astype(float), name="<script>x</script>\x1b[2J"))
    assert "<script>x" not in page
    assert "\x1b" not in page


def test_words_of_a_score_speak_of_points_and_of_a_cost_of_its_unit() -> None:
    rng = np.random.default_rng(0)
    score = made(rng.normal(0, 1, 500), metric="score")
    assert "of 100 points" in loss_text(score)
    assert "√(1/q − 1/N)" in loss_text(score)
    cost = made(rng.lognormal(0, 1, 500), metric="e2el_s")
    assert " s (±" in truth_text(cost)


def test_disjoint_frames_are_told_apart() -> None:
    values = (np.arange(1000) % 2).astype(float)
    found = study(Outcomes("m", "accuracy", values), Method(shuffles=20, reading=Reading.DISJOINT))
    notes = " ".join(method_notes(found.cutoff, found.ks_p))
    assert "disjoint frames" in notes
    assert "no evidence" in notes
    assert "skewed cut-offs pass as well" in notes


def printed(found: Study) -> str:
    out = io.StringIO()
    print_cutoff(found, Console(file=out, width=80))
    return " ".join(out.getvalue().split())


def test_the_last_line_names_the_commands_to_use_instead(coins: Study) -> None:
    last = (
        'Instead: `joulemark frugal plan RUN|FILE --target "accuracy ±1pp"` says how many items are enough, '
        '`joulemark bench run TASK --stop "accuracy ±1pp"` asks until they are.'
    )
    assert printed(coins).endswith(last)
    assert "Instead:" in render_cutoff(coins)
    rng = np.random.default_rng(0)
    assert '"latency ±5%"' in instead_text(made(rng.lognormal(0, 1, 500), metric="e2el_s"))
    score = instead_text(made(rng.normal(0, 1, 500), metric="score"))
    parse_target(score.split('"')[1])
    assert "--target …" in instead_text(made(rng.lognormal(0, 1, 500), metric="output_chars"))


def test_of_a_task_asked_in_part_each_number_says_of_what_it_is() -> None:
    """ "36.8 % (15 of 40)" stood beside "290 items (96.7 %)", which was of 300."""
    values = (np.arange(40) % 3 > 0).astype(float)
    part = study(Outcomes("m", "accuracy", values, n_items=300), Method(shuffles=40))
    text = printed(part)
    assert " % of the items asked (" in text
    assert " of 40), ± " in text
    assert f"takes {part.needed_n} of all 300 items of the task (" in text
    whole = study(Outcomes("m", "accuracy", values), Method(shuffles=40))
    assert "items asked (" not in printed(whole)
    assert f"takes {whole.needed_n} of 40 items (" in printed(whole)


def test_the_size_of_the_loss_is_told_apart_from_that_of_the_cutoff(coins: Study) -> None:
    assert "next to the cut-off" not in loss_text(coins)
    assert coins.loss.n_items == coins.cutoff.n_items
    other = replace(coins, loss=replace(coins.loss, n_items=coins.loss.n_items + 1))
    assert "items (the curves' point next to the cut-off) drawn" in loss_text(other)
