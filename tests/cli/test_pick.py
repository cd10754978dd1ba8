"""``joulemark pick``, from folders of runs and rows to an answer."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import pytest

from doubles import invoked
from doubles.nvml import FakeNvml
from doubles.published_files import text_row
from doubles.served_simulation import ServedSimulation
from doubles.user import bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.cli.pick import pick
from joulemark.cli.pick_words import budget, length
from joulemark.metrics.picking import Spread
from joulemark.runs.recorded import read_run
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100 as H100_BOARD
from joulemark.simulate.http import Manner, Simulation, profile_named
from joulemark.simulate.http.faults import Fault, FaultSchedule
from joulemark.simulate.model import LLAMA_8B

H100, A100 = "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB"
LENGTHS = ("--prompt-tokens", "300", "--completion-tokens", "100")


run, answer, error = partial(invoked.run, pick), partial(invoked.answer, pick), partial(invoked.error, pick)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return invoked.imported(
        tmp_path,
        text_row("org/llama-8b", A100, 100.0, 0.030, 32),
        text_row("org/llama-8b", H100, 60.0, 0.080, 128),
        text_row("org/llama-70b", H100, 300.0, 0.09, 64),
    )


def test_published_rows_are_modelled_and_say_so(rows: Path) -> None:
    found = answer(rows, *LENGTHS, "--by", "joules")
    (table,) = found["tables"]
    assert table["kind"] == "published"
    costs = [row["workload_joules"] for row in table["rows"]]
    assert costs == sorted(costs)
    assert table["rows"][0]["probability_best"] is None
    assert table["rows"][0]["scaled_j_per_token"] * 100 == pytest.approx(costs[0])
    assert found["best"]["device"] == H100
    shown = run(rows, *LENGTHS, "--by", "joules").stdout
    assert "MODELLED: published rows" in shown


@pytest.mark.parametrize("limit", [("--max-tpot", "100"), ("--max-ttft-p99", "2"), ("--limit", "itl_p99=50")])
def test_a_time_without_its_unit_is_not_guessed(rows: Path, limit: tuple[str, str]) -> None:
    done = run(rows, *LENGTHS, *limit)
    assert done.exit_code == 2
    assert "a number without a unit; write 100ms, 5s or 2min" in " ".join(done.output.split())


def test_what_lacks_its_accuracy_is_told_with_the_option_that_ranks_it(rows: Path) -> None:
    done = run(rows, *LENGTHS, "--max-tpot", "85ms")
    assert done.exit_code == 1
    said = " ".join(done.stdout.split())
    assert "asked for: mean time per output token of at most 85.00 ms" in said
    assert "2 configurations lack only their accuracy: rank by energy per request (`--by joules`)" in said


def test_what_is_ruled_out_has_its_constraint_figure_and_limit(rows: Path) -> None:
    found = answer(rows, *LENGTHS, "--by", "joules", "--hardware", "h100", "--max-tpot", "85ms")
    assert [row["model"] for row in found["tables"][0]["rows"]] == ["org/llama-8b"]
    failed = {(one["model"], one["device"]): one["failed"] for one in found["ruled_out"]}
    assert failed["org/llama-8b", A100][0]["name"] == "hardware"
    (late,) = failed["org/llama-70b", H100]
    assert (late["name"], late["value"], late["limit"]) == ("tpot_mean", 0.09, 0.085)
    shown = run(rows, *LENGTHS, "--by", "joules", "--max-tpot", "85ms").stdout
    assert "90.00 ms, at most 85.00 ms is asked for" in " ".join(shown.split())


def test_nothing_left_is_exit_code_one(rows: Path) -> None:
    found = answer(rows, *LENGTHS, code=1)  # chat has no right answers
    assert found["best"] is None
    assert {one["code"] for one in found["not_priced"]} == {"not_published"}
    assert "Nothing of 3 configurations" in run(rows, *LENGTHS).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "how long the requests are"),
        (("--prompt-tokens", "5"), "how long the requests are"),
        ((*LENGTHS, "--budget", "$5/day"), "how many requests"),
    ],
)
def test_what_is_missing_is_asked_for(rows: Path, arguments: tuple[str, ...], said: str) -> None:
    assert said in str(error(rows, *arguments))


def test_samples(rows: Path, tmp_path: Path) -> None:
    counts = tmp_path / "counts.jsonl"
    counts.write_text('{"prompt_tokens": 100, "completion_tokens": 40}\n' * 5)
    found = answer(rows, "--like", counts, "--by", "joules")
    assert (found["workload"]["prompt_tokens"], found["workload"]["n"]) == (100, 5)
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"prompt_tokens": 100}\n' * 5)
    assert "answers" in str(error(rows, "--like", prompts))
    assert answer(rows, "--like", prompts, "--completion-tokens", 7, "--by", "joules")["best"]
    assert "both given" in str(error(rows, "--like", counts, "--completion-tokens", 7))
    assert "both given" in str(error(rows, "--like", counts, "--prompt-tokens", 7))
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"prompt": "some words", "answer": "more words"}\n')
    told = answer(rows, "--like", texts, "--by", "joules", code=1)
    assert "no texts" in told["not_priced"][0]["text"] or "texts of its own" in told["not_priced"][0]["text"]


def test_a_folder_of_nothing(tmp_path: Path) -> None:
    assert "nothing to pick from" in str(error(tmp_path, *LENGTHS))
    assert "there is no" in str(error(tmp_path / "absent", *LENGTHS))


@pytest.mark.parametrize(
    ("text", "found"),
    [("1200", (1200, 0)), ("1,200±400", (1200, 400)), ("12.5 +- 2", (12.5, 2)), ("0", (0, 0))],
)
def test_lengths(text: str, found: tuple[float, float]) -> None:
    assert length(text) == Spread(*found)


@pytest.mark.parametrize("text", ["", "-5", "many", "5±", "±5", "1e5", "nan", "999999999999"])
def test_no_lengths(text: str) -> None:
    with pytest.raises(click.BadParameter):
        length(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$5/day", ("usd", 5)),
        ("0.5 USD per day", ("usd", 0.5)),
        ("2kWh/day", ("kwh", 2)),
        ("500 Wh/day", ("kwh", 0.5)),
        ("1kg/day", ("gco2e", 1000)),
        ("250 g a day", ("gco2e", 250)),
    ],
)
def test_budgets(text: str, found: tuple[str, float]) -> None:
    assert budget(text) == (found[0], pytest.approx(found[1]))


@pytest.mark.parametrize("text", ["", "5/day", "$5", "$5kWh/day", "$-5/day", "$0/day", "five/day", "2kW/day"])
def test_no_budgets(text: str) -> None:
    with pytest.raises(click.BadParameter):
        budget(text)


def worded(prompt: str) -> str:
    """An answer whose length is the question's, and no more predictable than that."""
    numbers = [int(word) for word in prompt.split() if word.isdigit()]
    rng = random.Random(sum(numbers))
    return " ".join(["so"] * rng.randint(3, 40)) + f" {sum(numbers)}"


@pytest.mark.slow
def test_a_real_run_is_priced_and_shown(
    board: FakeNvml, sums: Callable[[int], Path], own_home: None, tmp_path: Path
) -> None:
    out = tmp_path / "runs" / "one"
    with WorkingEngine(worded, gap_s=0.02) as engine:
        done = joulemark(*bench(engine, sums(24), out), env=board.env)
    assert done.code == 0, done.err
    page = tmp_path / "pick.html"
    asked = ("--like", out, "--requests-per-day", 100, "--usd-per-kwh", 0.3, "--zone", "DEU", "--html", page)
    done_pick = run(tmp_path / "runs", *asked, "--by", "joules", "--json")
    assert done_pick.exit_code in (0, 1), done_pick.output
    found = json.loads(done_pick.stdout)
    told = [*found["not_priced"], *(row for table in found["tables"] for row in table["rows"])]
    assert len(told) == 1
    assert page.read_text().startswith("<!doctype html>")


def worded_sums(path: Path, n: int, words: int, seed: int) -> Path:
    """A gsm8k file of sums in stories of about so many words, no two alike."""
    rng = random.Random(seed)
    lines = [
        {
            "question": " ".join(["A farmer sows barley again"] * rng.randint(1, words // 2))
            + f" What is {k} + 100?",
            "answer": f"Add.\n#### {k + 100}",
        }
        for k in range(n)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.slow
def test_other_lengths_cost_what_the_simulated_server_says(tmp_path: Path) -> None:
    """Short requests are measured over HTTP; what long ones are said to cost holds what they truly do."""

    def measured(name: str, n: int, words: int, tokens: int) -> tuple[Path, float]:
        # half a second before each answer, so that a busy machine is no ground to doubt the client
        served_simulation = Simulation(
            profile_named("vllm"),
            ServerConfig(H100_BOARD, LLAMA_8B),
            manner=Manner(mean_tokens=tokens, lengths="exponential", seed=7),
            meter_interval_s=0.05,
            faults=FaultSchedule((Fault("slow", by_s=0.5),)),
        )
        out = tmp_path / "runs" / name
        with ServedSimulation(served_simulation) as served:
            done = joulemark(
                *(
                    "bench",
                    "run",
                    "gsm8k",
                    "--data",
                    worded_sums(tmp_path / f"{name}.jsonl", n, words, tokens),
                ),
                *("--engine", served.url, "--meter", served.meter(), "--out", out, "--json"),
                timeout_s=240,
            )
            assert done.code == 0, done.err
            items = [item for item in read_run(out).items if item.phase == "measure"]
            assert len(items) == n
            true_j = sum(served.truth(t0=i.t_begin, t1=i.t_end)["total_j"] for i in items) / n
        return out, true_j

    short, _ = measured("short", 36, 60, 40)
    long, true_j = measured("long", 20, 110, 70)
    done = run(short, "--like", long, "--by", "joules", "--json")
    found = json.loads(done.stdout)
    if found["not_priced"] and found["not_priced"][0]["code"] == "client_invalid":
        pytest.skip("this machine is too busy to measure on")
    assert done.exit_code == 0, found["not_priced"]
    best = found["best"]
    assert best["kind"] == "simulated"
    interval = best["intervals"]["workload_joules"]
    assert interval["lo"] <= true_j <= interval["hi"]
    assert best["workload_joules"] == pytest.approx(true_j, rel=0.15)
    assert "SIMULATION" in run(short, "--like", long, "--by", "joules").stdout
