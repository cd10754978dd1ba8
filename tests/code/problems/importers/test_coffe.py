from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from doubles.apart import checked, run_apart
from joulemark.code.problems.problem import Comparison
from joulemark.code.problems.registry import ProblemSet, load_problems
from joulemark.record.errors import InputError

_MADE = """
def job(source, shape):
    made = load(source)["generate"](random.Random(1), 1, shape)
    return [type(made).__name__, len(made), str(type(made[0]).__name__)]
"""


@pytest.fixture(scope="module")
def functions(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "coffe" / "function")


@pytest.fixture(scope="module")
def programs(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "coffe" / "file")


def test_best_solutions_answer_to_the_name_of_the_prompt(functions: ProblemSet) -> None:
    assert (functions.kind, len(functions)) == ("coffe_function", 398)
    # Mbpp/123 takes five seconds, and MBPP's own tests run it
    quick = [one for one in functions if one.problem_id != "Mbpp/123"]
    results = checked([(one.canonical, one.entry_point, one.test_source) for one in quick])
    assert results == [True] * 397


def test_prompts_are_kept(functions: ProblemSet) -> None:
    by_id = functions.by_id()
    asked, completed = by_id["Mbpp/94"], by_id["HumanEval/113"]
    assert asked.prompt is not None
    assert asked.prompt.endswith("```python")
    assert not asked.completes_prompt
    assert asked.statement.startswith("Given a list of tuples")
    assert completed.completes_prompt
    assert completed.statement.startswith("Given a list of strings")


def test_stress_inputs_are_made_where_programs_run(functions: ProblemSet) -> None:
    problem = functions.by_id()["Mbpp/94"]
    assert problem.generator is not None
    assert problem.generator.cases_per_level == (5,)
    assert problem.generator.shapes[-1] == "0/4"
    some = [one for one in functions if one.generator is not None][::20]
    results = run_apart(_MADE, [[one.generator.source, "0/0"] for one in some if one.generator])
    assert all(result[:1] == ["tuple"] for result in results), results


def test_programs_read_input_and_their_generators_write_it(programs: ProblemSet) -> None:
    assert (programs.kind, len(programs)) == ("coffe_file", 358)
    assert all(one.reads_input and one.checker.comparison is Comparison.TEXT for one in programs)
    first = programs.problems[0]
    assert first.statement.startswith("Andi and Budi")
    assert first.prompt is not None
    assert first.prompt.endswith("```python")
    some = programs.problems[::60]
    results = run_apart(_MADE, [[one.generator.source, "0/0"] for one in some if one.generator])
    assert results == [["tuple", 1, "str"]] * len(some)


def test_generators_written_for_an_older_python_run(programs: ProblemSet) -> None:
    generator = programs.problems[73].generator  # draws a sample of a set
    assert generator is not None
    results = run_apart(_MADE, [[generator.source, shape] for shape in generator.shapes])
    assert results == [["tuple", 1, "str"]] * 5


def test_an_expression_is_text_until_it_is_run(data_dir: Path, tmp_path: Path) -> None:
    folder = _copy(data_dir, tmp_path)
    mark = tmp_path / "mark"
    _change(folder / "stressful_testcases.json", [{"input": f"[open({str(mark)!r}, 'w')]", "output": None}])
    load_problems(folder)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("stressful_testcases.json", [{"input": "[1", "output": None}], "is no expression"),
        ("stressful_testcases.json", [{"input": "x = 1", "output": None}], "is no expression"),
        ("stressful_testcases.json", [{"input": None}], "is no text"),
        ("stressful_testcases.json", [], "list of 1 to 100 inputs"),
        ("best_solutions.json", ["def other():\n    pass\n", False], "does not define `solution`"),
        ("best_solutions.json", None, "has no `[source, reads input]`"),
    ],
)
def test_a_bad_part_is_named_with_its_row(
    data_dir: Path, tmp_path: Path, name: str, value: object, why: str
) -> None:
    folder = _copy(data_dir, tmp_path)
    _change(folder / name, value)
    with pytest.raises(InputError, match=r"data.json, item 1 cannot be used") as caught:
        load_problems(folder)
    assert why in caught.value.why


def _copy(data_dir: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "function"
    shutil.copytree(data_dir / "code" / "coffe" / "function", folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    return folder


def _change(path: Path, value: object) -> None:
    """Change what stands under the prompt of the first row."""
    prompt = json.loads((path.parent / "data.json").read_text())[0]["final_prompt"]
    document = json.loads(path.read_text())
    document[prompt] = value
    path.write_text(json.dumps(document))
