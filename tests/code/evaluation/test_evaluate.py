"""An evaluation ends with rows on the disk, goes on where it was killed, and mixes nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from doubles.made_up_code_runs import nothing
from doubles.small_problems import TOTAL, TOTAL_TWICE, scripted_problem, total_problem
from joulemark.code.contain.containment import WHOLE
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.evaluate import _controls, _stages, evaluate
from joulemark.code.evaluation.executor import LocalExecutor
from joulemark.code.evaluation.job import Answer, Done, Job
from joulemark.code.evaluation.journal import FILE, Recorded, read_journal
from joulemark.code.evaluation.scaled_sizes import ScaledSizes
from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.problems.problem import Generator, Problem, program_id
from joulemark.metrics.code.baseline import baseline_of
from joulemark.metrics.code.eff_at_k import eff_at_k, level_pass_at_k
from joulemark.record.code_run import CodeRun, Purpose
from joulemark.record.errors import InputError

QUICK = Settings(n_tests=6, min_pairs=1, max_pairs=2, same_problems=1, same_pairs=1, growth=False)
GRADED = Settings(n_tests=6, measure=False)


@dataclass
class Watched:
    n_before: int = 0
    done: list[Done] = field(default_factory=list)

    def started(self, n_problems: int, n_done: int) -> None:
        self.n_before = n_done

    def finished(self, done: Done) -> None:
        self.done.append(done)


def run(
    directory: Path,
    problems: Sequence[Problem],
    answers: Mapping[str, Sequence[Answer]],
    settings: Settings = GRADED,
) -> tuple[Recorded, Watched]:
    watched = Watched()
    _, found = evaluate(directory, "a model", problems, answers, settings, WHOLE, LocalExecutor(1), watched)
    return found, watched


@pytest.fixture(autouse=True)
def _whole_containment(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no sandbox there is no evaluation; its fixture says why. Sizes are kept for a test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def two_answers() -> dict[str, list[Answer]]:
    return {
        "total": [Answer(0, TOTAL), Answer(1, "def total(values):\n    return 1")],
        "double": [Answer(0, "def double(number):\n    return 2 * number")],
    }


def test_every_answer_is_graded_and_what_is_right_is_measured(tmp_path: Path) -> None:
    found, _ = run(tmp_path, [total_problem(), scripted_problem()], two_answers(), QUICK)
    total = found.runs["total"]
    right = [r for r in total if r.sample == 0 and r.program == program_id(TOTAL)]
    assert {r.purpose for r in right} >= {Purpose.TEST, Purpose.WHOLE, Purpose.PAIRED}
    wrong = [r for r in total if r.sample == 1]
    assert {r.purpose for r in wrong} == {Purpose.TEST}
    assert wrong[-1].correct is False
    assert {r.purpose for r in found.runs["double"]} == {Purpose.TEST, Purpose.WHOLE}
    assert not found.failures


LEVELS = Generator(
    "def generate(rng, size, shape):\n    return ([rng.randint(0, 9) for _ in range(size)],)\n",
    sizes=(100, 1_000_000),
    levels=(5, 100, 1000),
    cases_per_level=(2, 1, 1),
    level_weights=(0, 3, 4),
)


@pytest.mark.parametrize(
    ("figures", "purposes"),
    [
        ([FigureSet.ENAMEL], {Purpose.TEST, Purpose.LEVEL, Purpose.BASELINE}),
        ([FigureSet.PAPER], {Purpose.TEST, Purpose.WHOLE, Purpose.BASELINE}),
        ([FigureSet.CORRECTED], {Purpose.TEST, Purpose.PAIRED, Purpose.SAME, Purpose.BASELINE}),
    ],
)
def test_only_the_figures_that_are_wanted_are_measured(
    tmp_path: Path, figures: list[FigureSet], purposes: set[Purpose]
) -> None:
    settings = QUICK.model_copy(update={"figures": tuple(figures)})
    problem = total_problem(generator=LEVELS, brute_force=None)
    found, _ = run(tmp_path, [problem], {"total": [Answer(0, TOTAL)]}, settings)
    assert {one.purpose for one in found.all_runs()} == purposes


def test_the_reference_is_run_on_the_levels_whether_or_not_an_answer_is_right(tmp_path: Path) -> None:
    settings = QUICK.model_copy(update={"figures": (FigureSet.ENAMEL,)})
    wrong = {"total": [Answer(0, "def total(values):\n    return 1"), Answer(1, None)]}
    found, _ = run(tmp_path, [total_problem(generator=LEVELS, brute_force=None)], wrong, settings)
    assert eff_at_k(found.all_runs()).value == 0.0
    assert level_pass_at_k(found.all_runs()).value == 0.0
    assert eff_at_k(found.all_runs()).n == 1


def test_a_problem_without_weights_has_no_levels(tmp_path: Path) -> None:
    unscored = replace(LEVELS, level_weights=())
    found, _ = run(
        tmp_path, [total_problem(generator=unscored, brute_force=None)], {"total": [Answer(0, TOTAL)]}, QUICK
    )
    assert Purpose.LEVEL not in {one.purpose for one in found.runs["total"]}


def test_figures_have_one_order() -> None:
    settings = Settings(figures=(FigureSet.ENAMEL, FigureSet.PAPER, FigureSet.ENAMEL))
    assert settings.figures == (FigureSet.PAPER, FigureSet.ENAMEL)
    assert settings.wants(FigureSet.PAPER)
    assert not settings.wants(FigureSet.CORRECTED)
    assert not Settings(measure=False).wants(FigureSet.PAPER)


def test_controls_are_measured_whatever_is_right(tmp_path: Path) -> None:
    """A weak model has no right answer to the hard problems, and a band for its others all the same."""
    settings = QUICK.model_copy(update={"figures": (FigureSet.CORRECTED,), "same_problems": 2})
    problems = [total_problem(problem_id=name) for name in ("one", "two", "three")]
    wrong = {one.problem_id: [Answer(0, "def total(values):\n    return 1")] for one in problems}
    found, watched = run(tmp_path, problems, wrong, settings)
    assert len(found.controls) == 2
    assert len(watched.done) == 3
    same = [r for r in found.all_runs() if r.purpose is Purpose.SAME]
    assert {r.problem for r in same} == {name.removeprefix("control:") for name in found.controls}
    again, watched = run(tmp_path, problems, wrong, settings)
    assert again == found
    assert watched.n_before == 3


def test_a_program_that_does_nothing_is_measured_without_any_control(tmp_path: Path) -> None:
    settings = QUICK.model_copy(update={"same_problems": 0, "figures": (FigureSet.PAPER,)})
    found, _ = run(tmp_path, [scripted_problem()], {"double": two_answers()["double"]}, settings)
    assert [r.purpose for r in found.controls["control:nothing"]] == [Purpose.BASELINE] * 15


def test_controls_are_spread_over_the_problems() -> None:
    names = [f"p{k}" for k in range(40)]
    ordered = [total_problem(problem_id=name) for name in names]
    jobs = _controls(ordered, Settings(same_problems=4), ScaledSizes("here", Path("/nowhere")))
    assert [job.problem.problem_id for job in jobs] == ["p0", "p10", "p20", "p30"]


def test_every_job_has_the_baseline_of_all_controls() -> None:
    """Also where an evaluation goes on, and some of these were measured before: it is that of the report."""
    answered = Job(total_problem(), (Answer(0, TOTAL),), QUICK)
    control = Job(total_problem(), (), QUICK, is_control=True)
    rows: list[CodeRun] = nothing(cpu_ns=90_000, n=2)
    stages = _stages([control, answered], rows)
    assert next(stages) == [control]
    rows += nothing(cpu_ns=50_000, n=4)  # what comes of the control
    (job,) = next(stages)
    assert job.baseline == baseline_of(rows)
    assert job.baseline is not None
    assert (job.baseline.n, job.baseline.cpu_ns) == (6, 50_000)
    assert list(stages) == []


def test_a_stage_is_asked_for_when_the_one_before_is_done() -> None:
    problems = [total_problem(problem_id=name) for name in ("one", "two", "three")]
    first, second, third = (Job(one, (Answer(0, TOTAL),), GRADED) for one in problems)
    done: list[str] = []
    seen: list[set[str]] = []

    def stages() -> Iterator[list[Job]]:
        for stage in ([first, second], [], [third]):
            seen.append(set(done))
            yield stage

    for one in LocalExecutor(2).run(stages(), WHOLE):
        done.append(one.problem_id)
        assert one.runs[-1].cpu_parent_ns is not None
        assert one.runs[-1].cpu_parent_ns > 0
        assert all(run.cpu_parent_ns is None for run in one.runs[:-1])
    assert seen == [set(), {"one", "two"}, {"one", "two"}]
    assert done[-1] == "three"


UNSCALABLE = {
    "generator": (
        "def generate(rng, size, shape):\n    assert size < 50, size\n    return ([1] * size,)\n",
        TOTAL,
        "no pairs",
    ),
    "canonical": (
        "def generate(rng, size, shape):\n    return ([1] * size,)\n",
        "def total(values):\n    return values[0] + total(values[1:]) if values else 0\n",
        "no pairs",
    ),
    "small": ("def generate(rng, size, shape):\n    return ([1] * min(size, 9),)\n", TOTAL, "no pairs"),
}


@pytest.mark.parametrize("kind", UNSCALABLE)
def test_measuring_takes_no_verdict_away(tmp_path: Path, kind: str) -> None:
    """A problem that judges with measuring off judges with it on, and says what was not measured."""
    source, canonical, why = UNSCALABLE[kind]
    problem = total_problem(
        canonical=canonical,
        brute_force=None,
        generator=Generator(source, sizes=(20, 40), shapes=("one",)),
    )
    answers = {"total": [Answer(0, TOTAL), Answer(1, "def total(values):\n    return 1")]}
    settings = QUICK.model_copy(update={"figures": (FigureSet.CORRECTED,)})
    measured, _ = run(tmp_path / "measured", [problem], answers, settings)
    graded, _ = run(tmp_path / "graded", [problem], answers)
    assert not measured.failures
    assert why in measured.not_measured["total"]
    judged = [(r.sample, r.case, r.correct) for r in measured.runs["total"] if r.purpose is Purpose.TEST]
    assert judged == [(r.sample, r.case, r.correct) for r in graded.runs["total"]]


def test_levels_whose_reference_fails_take_no_verdict_away(tmp_path: Path) -> None:
    frail = "def total(values):\n    assert len(values) < 500\n    return sum(values)\n"
    problem = total_problem(canonical=frail, generator=replace(LEVELS, sizes=(100, 400)), brute_force=None)
    settings = QUICK.model_copy(update={"figures": (FigureSet.ENAMEL,)})
    found, _ = run(tmp_path, [problem], {"total": [Answer(0, TOTAL)]}, settings)
    assert not found.failures
    assert "the reference solution failed" in found.not_measured["total"]
    assert all(r.correct for r in found.runs["total"])


def test_two_evaluations_run_programs_on_inputs_of_one_size(tmp_path: Path) -> None:
    """A cost of a run is compared between models: each looking for a size of its own would compare noise."""
    settings = QUICK.model_copy(update={"figures": (FigureSet.CORRECTED,)})
    sizes: list[set[int | None]] = []
    for name, source in (("a", TOTAL), ("b", TOTAL_TWICE), ("c", TOTAL), ("d", TOTAL_TWICE)):
        found, _ = run(tmp_path / name, [total_problem()], {"total": [Answer(0, source)]}, settings)
        sizes.append({r.size for r in found.runs["total"] if r.purpose is Purpose.PAIRED})
        assert len(sizes[-1]) == 1  # within an evaluation always
        if len(sizes) > 1 and sizes[-1] == sizes[-2]:
            break  # a machine that became faster since has another size: then the next ones share that
    assert sizes[-1] == sizes[-2]


def test_the_same_command_again_does_nothing_again(tmp_path: Path) -> None:
    problems = [total_problem(), scripted_problem()]
    first, _ = run(tmp_path, problems, two_answers())
    size = (tmp_path / FILE).stat().st_size
    again, watched = run(tmp_path, problems, two_answers())
    assert again == first
    assert watched.n_before == 2
    assert watched.done == []
    assert (tmp_path / FILE).stat().st_size == size


def test_a_directory_holds_one_evaluation(tmp_path: Path) -> None:
    run(tmp_path, [total_problem()], {"total": [Answer(0, TOTAL)]})
    with pytest.raises(InputError, match="another evaluation") as caught:
        run(tmp_path, [total_problem()], {"total": [Answer(0, TOTAL_TWICE)]})
    assert "it differs in the programs that answer them" in caught.value.why
    assert caught.value.fix.endswith(f"--into {tmp_path}-2")
    with pytest.raises(InputError, match="another evaluation"):
        run(tmp_path, [total_problem()], {"total": [Answer(0, TOTAL)]}, Settings(n_tests=7, measure=False))


def test_a_problem_that_is_unsound_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    broken = total_problem(problem_id="broken", canonical="def total(values):\n    return 1 / 0")
    answers = {"broken": [Answer(0, TOTAL)], "total": [Answer(0, TOTAL)]}
    found, _ = run(tmp_path, [broken, total_problem()], answers)
    assert "canonical solution failed" in found.failures["broken"]
    assert found.runs["total"]


def test_rows_of_a_problem_without_its_last_word_count_for_nothing(tmp_path: Path) -> None:
    run(tmp_path, [total_problem()], {"total": [Answer(0, TOTAL)]})
    journal = tmp_path / FILE
    lines = journal.read_bytes().splitlines(keepends=True)
    for cut in (b"".join(lines[:-1]), b"".join(lines[:-1]) + lines[-1][:20], b"".join(lines[:2]) + lines[-1]):
        journal.write_bytes(cut)
        assert read_journal(tmp_path).done == frozenset()
        again, watched = run(tmp_path, [total_problem()], {"total": [Answer(0, TOTAL)]})
        assert watched.n_before == 0
        assert len(again.runs["total"]) == 6


def test_a_journal_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"run": {"problem": "x"}}\n')
    with pytest.raises(InputError, match="line 1"):
        read_journal(tmp_path)


def test_nothing_to_evaluate_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to evaluate"):
        run(tmp_path, [total_problem()], {"another": [Answer(0, TOTAL)]})


KILLED = """
import sys
from pathlib import Path
sys.path[:0] = {paths!r}
from test_evaluate import GRADED, Watched, TOTAL, total_problem, Answer, WHOLE, LocalExecutor, evaluate
if __name__ == "__main__":
    problems = [total_problem(problem_id=f"total{{n}}") for n in range(200)]
    answers = {{p.problem_id: [Answer(0, TOTAL)] for p in problems}}
    evaluate(Path({out!r}), "m", problems, answers, GRADED, WHOLE, LocalExecutor(1), Watched())
"""


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_and_leaves_no_process(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2]), *sys.path]
    out = tmp_path / "out"
    script.write_text(KILLED.format(paths=paths, out=str(out)))
    process = subprocess.Popen([sys.executable, script])
    try:
        end = time.monotonic() + 60
        while len(read_journal(out).done if out.exists() else ()) < 5:
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = read_journal(out)
    assert 5 <= len(before.done) < 200
    problems = [total_problem(problem_id=f"total{n}") for n in range(200)]
    answers = {p.problem_id: [Answer(0, TOTAL)] for p in problems}
    found, watched = run(out, problems, answers)
    assert watched.n_before == len(before.done)
    assert len(found.done) == 200
    assert all(found.runs[name] == before.runs[name] for name in before.runs)
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _is_ours(pid, str(process.pid))]


def _is_ours(pid: str, parent: str) -> bool:
    try:
        return f"PPid:\t{parent}\n" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
