"""Tasks whose answers are programs, at the command line: asked, then run, then reported and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from doubles.engine_server import EngineServer
from doubles.programming_engine import ANSWERS, CHAT, fenced, problems_of, programming_engine, stream
from doubles.user import Finished, joulemark
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.problems.registry import load_problems, write_problems
from joulemark.record.errors import InputError


@pytest.fixture(scope="module", autouse=True)
def contained() -> None:
    """Skip where programs cannot be held."""
    try:
        from joulemark.code.contain.containment import probe

        with Sandbox(probe(), Limits()):
            pass
    except InputError as error:
        pytest.skip(f"no containment on this machine: {error.why}")


def asked(tmp_path: Path, cases: list[str], *more: str) -> Finished:
    data = tmp_path / "problems.jsonl"
    data.write_text(write_problems(problems_of(cases)))
    with programming_engine() as server:
        base = ["bench", "run", "code", "--data", data, "--engine", server.url, "--meter", "none"]
        return joulemark(*base, "--out", tmp_path / "run", *more)


@pytest.mark.slow
def test_programs_are_asked_for_and_run_in_one_command(tmp_path: Path) -> None:
    done = asked(tmp_path, ["right", "wrong", "prose"], "--no-measure", "--json")
    assert done.code == 0, done.err
    assert done.json["accuracy"] == pytest.approx(1 / 3)
    assert (done.json["n_correct"], done.json["n_scored"]) == (1, 3)
    programs = done.json["programs"]
    assert programs["evaluation"]["pass_at_1"] == pytest.approx(1 / 3)
    assert programs["settings"]["measure"] is False
    assert "running the programs of 3 problems" in done.err

    (tmp_path / "run" / "grades.jsonl").unlink()
    shown = joulemark("report", tmp_path / "run")
    assert f"3 answers wait for joulemark code grade {tmp_path / 'run'}" in " ".join(shown.out.split())
    withheld = joulemark("report", tmp_path / "run", "--json").json
    assert withheld["accuracy"] is None
    assert withheld["reasons"]["accuracy"]["code"] == "graded_later"

    again = joulemark("code", "grade", tmp_path / "run", "--json")
    assert again.code == 0, again.err
    assert again.json["accuracy"] == pytest.approx(1 / 3)
    words = joulemark("report", tmp_path / "run").out
    assert "pass@1 (1 of 3 right)" in words

    one_sided = joulemark("report", tmp_path / "run", "--engine-watts", "10")
    assert one_sided.code == 2
    assert "go together" in one_sided.err


def test_a_task_shows_its_questions(data_dir: Path) -> None:
    data = data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz"
    shown = joulemark("task", "show", "humaneval", "--data", data, "--limit", "2")
    assert shown.code == 0, shown.err
    assert shown.out.count("Complete this Python function.") == 2


def assert_timed(said: Any, ratio: float) -> None:
    """One answer was right and timed beside the reference; what it cost is there, or why it is not."""
    programs = said["programs"]
    evaluation = programs["evaluation"]
    assert programs["not_measured"] == {}
    assert (evaluation["counts"]["n_right"], evaluation["counts"]["n_timed"]) == (1, 1)
    (task,) = evaluation["tasks"]
    assert task["n_pairs"] >= programs["settings"]["min_pairs"]
    assert task["cpu_ratio"] == pytest.approx(ratio, rel=0.25)
    assert task["reference_cpu_s"] > 0.01
    assert programs["run_cpu_s"] == pytest.approx(task["cpu_s"], rel=0.1)
    assert programs["generate_per_correct_answer"] > 0
    assert programs["cost_with_runs"][0]["cost"] > programs["run_cpu_s"]
    assert programs["run_j"] is None
    for reason in (programs["why_no_joules"], programs["reasons"]["run_j"]["text"]):
        assert "--meter none" in reason


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_models_are_compared_by_when_the_dearer_pays_back(tmp_path: Path) -> None:
    for name, case in (("a", "right"), ("b", "slower")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "problems.jsonl").write_text(write_problems(problems_of(["right"])))
        with programming_engine({"right": ANSWERS[case]}) as server:
            base = ["bench", "run", "code", "--data", folder / "problems.jsonl", "--engine", server.url]
            done = joulemark(*base, "--meter", "none", "--out", folder / "run", timeout_s=400)
        assert done.code == 0, done.err
        said = joulemark("report", folder / "run", "--json").json
        assert_timed(said, {"right": 1.0, "slower": 2.0}[case])
    words = joulemark("compare", tmp_path / "a" / "run", tmp_path / "b" / "run")
    assert words.code == 0, words.err
    assert "Break-even" in words.out or "paid back" in words.out
    watts = ["--engine-watts", "100", "--program-watts", "10"]
    compared = joulemark("compare", tmp_path / "a" / "run", tmp_path / "b" / "run", *watts, "--json")
    (pair,) = compared.json["programs"]
    assert (pair["a"], pair["b"], pair["kind"]) == ("A", "B", "modelled")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_built_in_models_own_programs_are_scored(
    built_in_model: Path, data_dir: Path, tmp_path: Path
) -> None:
    """Whatever so small a model writes: each answer came to a verdict, and what was right was measured."""
    data = data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz"
    few = ["--limit", "3", "--max-tokens", "120", "--meter", "none", "--json"]
    done = joulemark(
        "bench", "run", "humaneval", "--data", data, *few, "--out", tmp_path / "run", timeout_s=800
    )
    assert done.code == 0, done.err
    assert sum(done.json["verdicts"].values()) == 3
    assert not done.json["verdicts"]["unscored"]
    assert done.json["cpu_seconds"] > 0
    programs = done.json["programs"]
    counts, evaluation = programs["evaluation"]["counts"], programs["evaluation"]
    assert counts["n_samples"] == counts["n_right"] + counts["n_wrong"] == 3
    assert done.json["accuracy"] == pytest.approx(counts["n_right"] / 3)
    grades = [orjson.loads(line) for line in (tmp_path / "run" / "grades.jsonl").read_bytes().splitlines()]
    assert len({one["item_id"] for one in grades}) == 3
    assert any(one["program"] for one in grades), "no program was taken out of any answer"
    assert all(one["outcome"] for one in grades if one["program"])
    assert (evaluation["et"] is not None) is (counts["n_right"] > 0)
    assert evaluation["net_corrected"] is None
    assert "net_corrected" in evaluation["reasons"]
    assert "--meter none" in programs["why_no_joules"]
    assert (programs["generate_per_correct_answer"] is not None) is (counts["n_right"] > 0)
    assert counts["n_right"] or programs["reasons"]["generate_per_correct_answer"]["text"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_known_answers_go_the_same_way_and_are_all_found_right_and_measured(
    data_dir: Path, tmp_path: Path
) -> None:
    """The canonical solutions, as a model says them: what is wrong there is our own extraction or timing."""
    data = data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz"
    problems = list(load_problems(data))

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        asked = body["messages"][-1]["content"]
        found = [one for one in problems if (one.prompt or "").strip() in asked]
        return 200, stream(fenced(found[0].canonical) if found else "Hello.", "stop")

    models = {"object": "list", "data": [{"id": "programmer", "object": "model"}]}
    with EngineServer({"GET /v1/models": models, CHAT: answer}) as server:
        base = ["bench", "run", "humaneval", "--data", data, "--limit", "3", "--engine", server.url]
        done = joulemark(*base, "--meter", "none", "--json", "--out", tmp_path / "run", timeout_s=400)
    assert done.code == 0, done.err
    assert (done.json["n_correct"], done.json["accuracy"]) == (3, 1.0)
    programs = done.json["programs"]
    evaluation = programs["evaluation"]
    assert evaluation["pass_at_1"] == 1.0
    for name in ("et", "mu", "net"):
        assert evaluation["n"][name] == 3
        assert evaluation[name] > 0
    assert evaluation["net_corrected"] is None  # HumanEval has no inputs of a chosen size
    assert "net_corrected" in evaluation["reasons"]
    assert programs["generate_per_correct_answer"] > 0
