"""``joulemark compare`` from the outside: real runs of an engine on a board of known power."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.user import Finished, adds, bench, joulemark
from doubles.working_engine import WorkingEngine

N = 12


@dataclasses.dataclass(frozen=True)
class Runs:
    """Run directories: terse and wordy on one board, replayed from a trace, asked otherwise, no meter."""

    terse: Path
    wordy: Path
    replayed: Path
    otherwise: Path
    bare: Path
    env: dict[str, str]

    def compare(self, *arguments: str | Path) -> Finished:
        return joulemark("compare", *arguments, env=self.env)


def _refusals(pair: Any) -> list[str]:
    """Return the codes of what is refused; a busy machine, and a client too slow on it, rightly are."""
    codes = [refusal["code"] for refusal in pair["refusals"]]
    return [code for code in codes if code not in ("client_invalid", "busy_machine")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    home = tmp_path_factory.mktemp("compared")
    card = FakeBoard(power=(Piece(1.0, 60.0),), counter_period_s=0.02, compute_pids=(os.getpid(),))
    board = FakeNvml(home, [card])
    env = {**board.env, "XDG_DATA_HOME": str(home / "data-home")}
    sums = [{"question": f"What is {i} + 100?", "answer": f"#### {i + 100}"} for i in range(N)]
    data = home / "sums.jsonl"
    data.write_text("".join(json.dumps(line) + "\n" for line in sums))
    trace = home / "desk.csv"
    rows = "".join(f"{k / 10},{k * 12.0},120.0\n" for k in range(1200))
    trace.write_text(f"# scope = wall/psu/gpu:0\nt_s,energy_j,power_w\n{rows}")
    runs = Runs(*(home / name for name in ("terse", "wordy", "replayed", "otherwise", "bare")), env)
    with WorkingEngine(adds, board, tokens=6, gap_s=0.03) as engine:
        for out, more in (
            (runs.terse, ()),
            (runs.replayed, ("--meter", f"replay:{trace}")),
            (runs.otherwise, ("--limit", "10", "--subset-key", "other", "--temperature", "0.5")),
            (runs.bare, ("--meter", "none")),
        ):
            done = joulemark(*bench(engine, data, out, *more), env=env)
            assert done.code == 0, done.err
    with WorkingEngine(adds, board, tokens=12, gap_s=0.03) as engine:
        done = joulemark(*bench(engine, data, runs.wordy), env=env)
        assert done.code == 0, done.err
    return runs


@pytest.mark.slow
def test_twice_the_tokens_need_about_twice_the_energy(made: Runs) -> None:
    done = made.compare(made.terse, made.wordy, "--json")
    assert done.code == 0, done.err
    first, second = done.json["runs"]
    (pair,) = done.json["comparisons"]
    assert (first["label"], second["label"], pair["a"], pair["b"]) == ("A", "B", "A", "B")
    assert pair["paired"] is True
    assert pair["n_items"] == {"a": N, "b": N}
    expected = second["joules_per_correct_answer"] / first["joules_per_correct_answer"]
    assert pair["joules_per_correct_answer_ratio"] == pytest.approx(expected)
    assert 1.3 < pair["joules_per_request_ratio"] < 2.5
    assert pair["completion_tokens_ratio"] == pytest.approx(2.0)
    product = pair["joules_per_token_ratio"] * pair["completion_tokens_ratio"]
    assert product == pytest.approx(pair["joules_per_request_ratio"], rel=1e-12)
    assert pair["accuracy_difference_pp"] == 0
    # every third sum is answered wrongly, by both
    assert pair["outcomes"] == {"both": 8, "only_a": 0, "only_b": 0, "neither": 4, "p_value": 1.0}
    assert pair["told_apart"]["joules_per_request_ratio"] is True
    assert _refusals(pair) == []
    report = joulemark("report", made.terse, "--json", env=made.env).json
    for name in ("accuracy", "joules_per_token", "joules_per_request", "joules_per_correct_answer"):
        assert first[name] == report[name]


@pytest.mark.slow
def test_the_terminal_leads_with_the_ratio_in_words(made: Runs) -> None:
    done = made.compare(made.terse, made.wordy)
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert words.startswith(("B needs 1.", "B needs 2."))
    assert "times the energy of A for a correct answer" in words
    assert f"the same {N} items in both" in words
    assert "Traceback" not in done.err


@pytest.mark.slow
def test_a_run_against_itself(made: Runs) -> None:
    done = made.compare(made.terse, made.terse, "--json")
    (pair,) = done.json["comparisons"]
    assert pair["joules_per_correct_answer_ratio"] == 1
    assert pair["told_apart"]["joules_per_correct_answer_ratio"] is False
    assert "same_run" in {note["code"] for note in pair["notes"]}
    assert "cannot be told apart" in " ".join(made.compare(made.terse, made.terse).out.split())


@pytest.mark.slow
def test_a_replayed_run_is_not_compared_with_a_live_one(made: Runs) -> None:
    (pair,) = made.compare(made.terse, made.replayed, "--json").json["comparisons"]
    assert _refusals(pair) == ["replayed_against_live"]
    assert pair["joules_per_correct_answer_ratio"] is None
    assert "replayed trace" in pair["reasons"]["joules_per_correct_answer_ratio"]["detail"]
    assert pair["completion_tokens_ratio"] == pytest.approx(1.0)


@pytest.mark.slow
def test_runs_that_were_asked_otherwise_are_not_paired(made: Runs) -> None:
    (pair,) = made.compare(made.terse, made.otherwise, "--json").json["comparisons"]
    assert pair["paired"] is False
    assert pair["questions_differ"] == ["task.subset_key"]
    assert pair["n_items"] == {"a": N, "b": 10}
    named = {d["name"]: (d["a"], d["b"]) for d in pair["differences"]}
    assert named["sampling.temperature"] == (0.0, 0.5)
    assert named["task.n_items"] == (N, 10)
    assert "temperatures_differ" in {note["code"] for note in pair["notes"]}


@pytest.mark.slow
def test_several_runs_and_a_page(made: Runs, tmp_path: Path) -> None:
    page = tmp_path / "compared.html"
    done = made.compare(made.terse, made.wordy, made.bare, "--html", page)
    assert done.code == 0, done.err
    text = page.read_text()
    assert "C against A" in text
    assert "<svg" in text
    assert "<script" not in text
    assert "C: No meter was asked for" in text
    assert str(page) in done.out


@pytest.mark.slow
def test_a_page_that_cannot_be_written(made: Runs, tmp_path: Path) -> None:
    done = made.compare(made.terse, made.wordy, "--html", tmp_path / "no" / "such" / "page.html")
    assert done.code == 2
    assert "a folder that you may write in" in done.err
    assert str(tmp_path / "no" / "such") in done.err


def test_bad_input_says_what_to_do(tmp_path: Path) -> None:
    one = joulemark("compare", tmp_path)
    assert one.code == 2
    assert "two to 26" in one.err
    assert "joulemark runs" in one.err
    nowhere = joulemark("compare", tmp_path / "nowhere", tmp_path / "neither")
    assert nowhere.code == 2
    assert "nowhere" in nowhere.err
    assert "Traceback" not in nowhere.err
    many = joulemark("compare", *[tmp_path] * 27)
    assert many.code == 2
    assert "27 runs" in many.err
