"""``joulemark code draft-generator`` as a user types it, with a test's engine and with the built-in one."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from doubles.scripted_model import BARE_LIST, CLOCK, ENDLESS, GOOD, HEAD, LEAVES, ScriptedModel, fenced
from doubles.user import Finished, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.code.contain.containment import probe
from joulemark.code.problems.registry import load_problems

pytestmark = pytest.mark.skipif(not probe().is_whole, reason="this machine offers no whole containment")

_RETURN = {
    "task_id": "own/0",
    "prompt": 'def largest(values):\n    """Return the largest of the values, 0 where there are none."""\n',
    "canonical_solution": "    return max(values, default=0)\n",
    "test": "def check(candidate):\n    assert candidate([3, 1]) == 3\n    assert candidate([-5]) == -5\n",
    "entry_point": "largest",
}


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """Two problems in HumanEval's format, without a generator."""
    path = tmp_path / "human.jsonl"
    rows = [_RETURN, {**_RETURN, "task_id": "own/1"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A problem's own file, with all that one may have."""
    name = "sorting_fewest_exchanges.py"
    path = tmp_path / name
    path.write_text(resources.files("joulemark.code.problems").joinpath("built_in", name).read_text("utf-8"))
    return path


def _draft(model: ScriptedModel, *arguments: str | Path) -> Finished:
    with WorkingEngine(model, tokens=2, gap_s=0.0) as engine:
        return joulemark("code", "draft-generator", *arguments, "--engine", engine.url)


def test_a_generator_is_mended_accepted_and_used(imported: Path, tmp_path: Path) -> None:
    out = tmp_path / "drafted.jsonl"
    model = ScriptedModel(fenced(CLOCK), fenced(GOOD))
    done = _draft(model, imported, "--id", "own/1", "--out", out, "--json")
    assert done.code == 0, done.err
    assert [one["accepted"] for one in done.json["tries"]] == [False, True]
    first = {one["check"]: one for one in done.json["tries"][0]["verdicts"]}
    assert first["deterministic"]["passed"] is False
    assert first["brute_force"]["passed"] is None
    assert "draw from `rng` alone" in model.asked[1]
    assert done.json["written_to"] == str(out)
    (problem,) = load_problems(out)
    assert problem.generator is not None
    assert problem.generator.shapes == ("random", "rising")
    tests = joulemark("code", "generate-tests", out, "--n", "12")
    assert len(tests.out.splitlines()) == 12, tests.err


@pytest.mark.slow
def test_a_problems_own_file_gets_the_generator(own: Path) -> None:
    distinct = HEAD + (
        "def spread(rng, size):\n    return rng.sample(range(10 * size), size)\n\n\n"
        "def generate(rng, size, shape):\n"
        "    values = spread(rng, size)\n"
        '    return (sorted(values) if shape == "rising" else values,)\n'
    )
    done = _draft(ScriptedModel(fenced(distinct)), own, "--out", own)
    assert done.code == 0, done.err + done.out
    assert f"with its generator: {own}" in done.out
    assert "yes brute force agrees on its small inputs" in done.out
    (problem,) = load_problems(own)
    assert problem.generator is not None
    assert problem.generator.sizes == (200, 40_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "says"),
    [
        (
            BARE_LIST,
            "NO  it makes arguments of every size and shape: generate(rng, 1, 'random') returned a list",
        ),
        (ENDLESS, "NO  it makes arguments of every size and shape: generate(rng, 1, 'random'): over cpu"),
        (LEAVES, "ended itself with code 0"),
    ],
)
def test_nothing_is_written_where_none_is_accepted(
    imported: Path, tmp_path: Path, program: str, says: str
) -> None:
    out = tmp_path / "drafted.jsonl"
    done = _draft(ScriptedModel(fenced(program)), imported, "--id", "own/0", "--out", out, "--tries", "0")
    assert done.code == 1
    assert says in done.out
    assert "no generator of worker-1b was accepted after 1 try; nothing was written" in done.out
    assert not out.exists()


def test_tests_written_directly_are_counted(imported: Path) -> None:
    tests = (
        "assert largest([1, 9]) == 9\nassert largest([2]) == 3\n"
        "assert largest([]) == 0\nassert largest(range(x)) == 1\n"
    )
    model = ScriptedModel(fenced(GOOD), fenced(tests))
    done = _draft(model, imported, "--id", "own/0", "--direct-tests", "4", "--tries", "0")
    assert done.code == 0, done.err
    assert "67% right (2 of 3; 95 % interval 21% to 94%); 1 did not parse as plain data" in done.out
    assert "wrong: assert largest([2]) == 3: the canonical solution gives 2" in done.out
    assert "max(values" not in model.asked[-1], "who writes tests does not see the solution"
    assert GOOD.splitlines()[-1] in done.out, "without --out the accepted program is shown"


@pytest.mark.slow
def test_what_can_never_work_is_said_before_the_engine_is_asked(imported: Path, tmp_path: Path) -> None:
    model = ScriptedModel("unheard")
    several = _draft(model, imported)
    python = _draft(model, imported, "--id", "own/0", "--out", tmp_path / "x.py")
    other = _draft(model, imported, "--id", "own/0", "--out", tmp_path / "x.txt")
    unknown = _draft(model, imported, "--id", "own/7")
    assert [one.code for one in (several, python, other, unknown)] == [2, 2, 2, 2]
    assert "--id ID, one of own/0, own/1" in several.err
    assert "x.jsonl" in python.err
    assert "neither FILE.py nor FILE.jsonl" in other.err
    assert "no problem 'own/7'" in unknown.err
    assert model.asked == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_built_in_model_fails_and_that_is_said(built_in_model: Path, imported: Path) -> None:
    arguments = ("--id", "own/0", "--tries", "1", "--max-tokens", "48", "--direct-tests", "3", "--json")
    done = joulemark("code", "draft-generator", imported, *arguments, timeout_s=800)
    assert done.code == 1, done.err
    assert done.json["accepted"] is False
    assert len(done.json["tries"]) == 2
    for one in done.json["tries"]:
        assert one["tokens"] > 0
        assert [verdict["passed"] for verdict in one["verdicts"]].count(False) >= 1
    assert sum(done.json["direct_tests"]["counts"].values()) == len(done.json["direct_tests"]["tests"])
