from __future__ import annotations

from pathlib import Path

import pytest

from doubles.apart import run_apart
from joulemark.code.problems.problem import ALGORITHMS
from joulemark.code.problems.registry import BUILT_IN, built_in, load_problems, write_problems
from joulemark.record.errors import InputError

_FILES = (
    "humaneval/HumanEval.jsonl.gz",
    "mbpp/sanitized-mbpp.json",
    "evalplus/MbppPlus.jsonl",
    "effibench/EffiBench_Qwen2.5-0.5B.sample2.json",
    "enamel/enamel.csv",
    "coffe/function",
    "coffe/file",
)


@pytest.mark.parametrize("name", _FILES)
def test_problems_of_every_origin_are_the_same_when_written_and_read_again(
    data_dir: Path, tmp_path: Path, name: str
) -> None:
    found = load_problems(data_dir / "code" / name)
    some = found.problems[:: max(1, len(found) // 25)]
    path = tmp_path / "own.jsonl"
    path.write_text(write_problems(some))
    again = load_problems(path)
    assert again.kind == "joulemark"
    assert again.problems == some


def test_built_in_problems_are_found_as_a_whole_and_by_name(tmp_path: Path) -> None:
    found = load_problems(BUILT_IN)
    assert found.kind == BUILT_IN
    assert found is built_in()
    first = found.problems[0]
    assert load_problems(first.problem_id).problems == (first,)
    path = tmp_path / "own.jsonl"
    path.write_text(write_problems(found.problems))
    assert load_problems(path).problems == found.problems


def test_every_part_of_a_built_in_problem_runs_on_a_small_input() -> None:
    jobs = []
    problems = built_in().problems
    for one in problems:
        assert one.generator is not None
        assert one.brute_force is not None
        assert one.slow
        assert one.algorithms[0] in ALGORITHMS
        assert one.problem_id.startswith(one.algorithms[0])
        programs = [one.canonical, one.brute_force, *one.slow.values()]
        jobs.append([programs, one.entry_point, one.generator.source, one.generator.shapes[0]])
    results = run_apart(
        """
def job(programs, entry_point, generator, shape):
    args = load(generator)["generate"](random.Random(5), 5, shape)
    for source in programs:
        entry(source, entry_point)(*copy.deepcopy(args))
    return type(args).__name__
""",
        jobs,
    )
    assert results == ["tuple"] * len(problems)


def test_an_unknown_name_is_met_with_a_near_one() -> None:
    name = built_in().problems[0].problem_id
    with pytest.raises(InputError, match="there are no problems") as caught:
        load_problems(name[:-1])
    assert name in caught.value.why
    with pytest.raises(InputError, match="no kind of problems"):
        load_problems(BUILT_IN, kind="other")


def test_a_folder_of_problem_files(tmp_path: Path) -> None:
    source = next(
        path for path in Path(__file__).parents[3].glob("src/joulemark/code/problems/built_in/*.py")
    )
    for name in ("one.py", "two.py", "_helper.py"):
        (tmp_path / name).write_text(source.read_text())
    found = load_problems(tmp_path)
    assert [one.problem_id for one in found] == ["one", "two"]
    assert load_problems(tmp_path / "two.py").problems[0].origin == "own"


def test_a_folder_without_problems(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no problems"):
        load_problems(tmp_path)
    with pytest.raises(InputError, match="holds no problems of COFFE"):
        load_problems(tmp_path, kind="coffe_file")


def test_a_file_of_a_folders_kind_says_so(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text("[]")
    with pytest.raises(InputError, match="is a folder of several"):
        load_problems(path, kind="coffe_function")


def test_a_kind_can_be_forced(data_dir: Path) -> None:
    path = data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz"
    assert len(load_problems(path, kind="humaneval")) == 164
    with pytest.raises(InputError, match="line 1 cannot be used"):
        load_problems(path, kind="mbpp")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("HumanEval.jsonl.gz", "the project openai/human-eval publishes it"),
        ("some/where/MbppPlus.jsonl", "evalplus/mbppplus"),
        ("mine.py", "the file mine.py does not exist"),
        ("built_inn", "did you mean built_in"),
    ],
)
def test_a_file_that_is_not_there_is_said_to_be_one(name: str, said: str) -> None:
    with pytest.raises(InputError) as found:
        load_problems(name)
    assert said in str(found.value)
