"""``joulemark frugal cutoff``: the published cut-off with the truth beside it, and random numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from doubles.user import joulemark


@pytest.fixture
def outcomes(tmp_path: Path) -> Path:
    """1,200 answers, 70 % right, in two domains, with what they took."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "item_id": f"q{k}",
            "correct": k % 10 < 7,
            "category": "abcd"[k % 4],
            "score": float(rng.normal(-0.3, 0.5)),
            "e2el_s": float(rng.lognormal(0, 0.5)),
            "usd": float(rng.lognormal(-6, 0.3)),
            "completion_tokens": int(rng.integers(20, 400)),
            "prompt_tokens": 80,
        }
        for k in range(1200)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_it_prints_what_the_number_is_in_the_first_lines(outcomes: Path) -> None:
    done = joulemark("frugal", "cutoff", str(outcomes), "--shuffles", "200")
    assert done.code == 0, done.err
    lead = " ".join(done.out.split("Cost, latency, carbon")[0].split())
    for told in (
        "Published cut-off: 4",
        "a constant of the smoother",
        "Brownian motion with no data",
        "the error of plain random sampling",
        "√(2/π) · √(p(1 − p)/q · (1 − q/N))",
        "a 95 % interval of",
        "accuracy ±1pp takes",
    ):
        assert told in lead
    assert "cost, USD" in done.out
    assert "carbon: no column gco2e" in done.out


def test_its_json_has_the_figures_and_each_null_its_reason(outcomes: Path) -> None:
    found = joulemark("frugal", "cutoff", str(outcomes), "--target", "accuracy ±2pp", "--json").json
    assert 0.401 <= found["cutoff_fraction"] <= 0.413
    assert found["n_items"] == 1200
    assert found["loss"] == pytest.approx(found["loss_by_formula"], rel=0.1)
    assert found["method"]["exact"]
    assert found["ks_p"] > 0
    assert found["ks_p_reason"] is None
    lo, hi = found["interval"]
    assert lo < 0.7 < hi
    assert found["needed_n"] == pytest.approx(753, abs=8)
    assert found["null"]["cutoff_fraction"] == pytest.approx(0.407, abs=0.01)
    by_name = {one["name"]: one for one in found["criteria"]}
    assert by_name["usd"]["saved"] == pytest.approx(by_name["usd"]["total"] - by_name["usd"]["at_cutoff"])
    assert by_name["gco2e"]["saved"] is None
    assert by_name["gco2e"]["reason"]


def test_all_that_can_be_asked_for_on_a_page(outcomes: Path, tmp_path: Path) -> None:
    page = tmp_path / "cutoff.html"
    done = joulemark(
        *("frugal", "cutoff", str(outcomes), "--exact", "--shuffles", "60", "--stratify", "--self-apply"),
        *(
            "--frame-study",
            "--null",
            "--null-numbers",
            "bernoulli",
            "--project",
            "big,verbosity=2,usd_in=1,usd_out=4",
        ),
        *("--html", str(page), "--json"),
    )
    assert done.code == 0, done.err
    found = done.json
    assert found["ks_p"] is not None
    assert found["null"]["kind"] == "bernoulli"
    assert found["null"]["exact"]
    assert found["stratified"]
    assert found["self_application"]["steps"]
    assert len(found["frame_study"]) == 14
    assert found["projections"][0]["kind"] == "modelled"
    text = page.read_text()
    assert text.count("<svg") == 8  # four pictures, wide and narrow
    assert "a constant of the smoother" in text
    assert not re.search(r"https?://|<script", text)
    assert "NaN" not in text


def test_random_numbers_alone(tmp_path: Path) -> None:
    done = joulemark("frugal", "cutoff", "--null", "--html", str(tmp_path / "null.html"))
    assert done.code == 0, done.err
    assert "there is no data in this at all" in " ".join(done.out.split())
    assert (tmp_path / "null.html").read_text().count("<svg") == 4
    found = joulemark("frugal", "cutoff", "--null", "--items", "3000", "--json").json
    assert found["cutoff_fraction"] == pytest.approx(0.407, abs=0.005)
    assert found["loss"] is None
    assert found["reason"]
    assert found["ks_p"] is None
    assert "--exact" in found["ks_p_reason"]
    third = joulemark("frugal", "cutoff", "--null", "--frac", "0.3", "--json").json
    assert third["cutoff_fraction"] == pytest.approx(0.251, abs=0.01)


def test_other_metrics_and_readings(outcomes: Path) -> None:
    for metric in ("score", "e2el_s"):
        found = joulemark(
            "frugal", "cutoff", str(outcomes), "--metric", metric, "--shuffles", "300", "--json"
        )
        assert found.code == 0, found.err
        assert found.json["metric"] == metric
        assert 0.395 <= found.json["cutoff_fraction"] <= 0.42
    found = joulemark("frugal", "cutoff", str(outcomes), "--reading", "A", "--frame", "12", "--json").json
    assert found["method"] | {"reading": "A", "frame_items": 12, "slopes": 100} == found["method"]
    assert found["ks_p"] < 0.05


def test_few_items_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("correct\n" + "1\n0\n1\n" * 100)
    done = joulemark("frugal", "cutoff", str(path), "--shuffles", "50")
    assert done.code == 0, done.err
    assert "below 1,000 the published method is not meant to be used" in done.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "no run or file was named"),
        (("--null", "--stratify"), "--stratify takes a run or a file"),
        (("no-such-file",), "there is no file or run"),
        (("FILE", "--items", "100"), "--items is for --null alone"),
        (("FILE", "--frame", "1300"), "do not fit"),
        (("FILE", "--target", "accuracy > 0.5"), "gives no number of items here"),
        (("FILE", "--project", "x,speed=1"), "declares no model"),
        (("FILE", "--html", "page.txt"), "is no name of a page"),
    ],
)
def test_bad_input_is_told_with_a_way_out(outcomes: Path, options: tuple[str, ...], told: str) -> None:
    named = [str(outcomes) if option == "FILE" else option for option in options]
    done = joulemark("frugal", "cutoff", *named, "--shuffles", "10")
    assert done.code == 2
    assert told in " ".join(done.err.split())
    assert "fix:" in done.err
    assert "Traceback" not in done.err
