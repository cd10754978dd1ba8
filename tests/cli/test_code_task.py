"""Tasks whose answers are programs, at the command line: asked, then run, then reported and compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.programming_engine import ANSWERS, problems_of, programming_engine
from doubles.user import Finished, joulemark
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.problems.registry import write_problems
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
    data = data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz"
    few = ["--limit", "3", "--max-tokens", "120", "--meter", "none", "--no-measure", "--json"]
    done = joulemark(
        "bench", "run", "humaneval", "--data", data, *few, "--out", tmp_path / "run", timeout_s=800
    )
    assert done.code == 0, done.err
    assert done.json["accuracy"] is not None
    assert sum(done.json["verdicts"].values()) == 3
    assert not done.json["verdicts"]["unscored"]
    assert done.json["programs"]["evaluation"]["counts"]["n_samples"] == 3
    assert done.json["cpu_seconds"] is not None
