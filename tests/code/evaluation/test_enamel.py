"""ENAMEL's samples scored end to end; `docs/code.md` has the command for all of them and what it found."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.code.answers.answered import answers_of
from joulemark.code.answers.samples import read_samples
from joulemark.code.contain.containment import WHOLE
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.evaluate import evaluate
from joulemark.code.evaluation.executor import LocalExecutor
from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.problems.registry import load_problems
from joulemark.metrics.code.eff_at_k import answer_scores
from joulemark.metrics.code.over_tasks import mean_of
from joulemark.record.code_run import CodeRun

WRONG = (22, 49, 75)  # by a type, by a result, by its time on the first level
EQUAL = (4, 17, 47, 152)  # the canonical solution is about as fast as the expert's
SLOWER = {6: 0.37, 100: 0.46, 116: 0.46, 145: 0.43, 153: 0.34}
TOO_SLOW = (11, 51, 63, 70)  # on every level that counts


class Quiet:
    def started(self, n_problems: int, n_done: int) -> None: ...

    def finished(self, done: object) -> None: ...


def scores(data_dir: Path, into: Path, name: str) -> dict[int, tuple[bool, float]]:
    """Whether each problem's sample passed, and its score, by the problem's number."""
    folder = data_dir / "code" / "enamel"
    chosen = {f"HumanEval/{number}" for number in (*WRONG, *EQUAL, *SLOWER, *TOO_SLOW)}
    problems = [one for one in load_problems(folder / "enamel.csv") if one.problem_id in chosen]
    samples = read_samples(folder / "samples" / f"{name}.json", problems)
    settings = Settings(figures=(FigureSet.ENAMEL,))
    _, found = evaluate(
        into, name, problems, answers_of(samples, problems), settings, WHOLE, LocalExecutor(), Quiet()
    )
    assert not found.failures
    runs: list[CodeRun] = found.all_runs()
    return {int(problem[len("HumanEval/") :]): mine[0] for problem, mine in answer_scores(runs).items()}


@pytest.fixture(autouse=True)
def _whole_containment(sandbox: Sandbox) -> None:
    """Where there is no sandbox there is no evaluation; its fixture says why."""


@pytest.mark.slow
@pytest.mark.timeout(900)  # half a minute on two cores of one's own, and several on a busy machine
def test_the_references_score_one(data_dir: Path, tmp_path: Path) -> None:
    """By construction, and as published."""
    found = scores(data_dir, tmp_path, "enamel-references")
    assert all(passed for passed, _ in found.values())
    mean = mean_of({str(number): score for number, (_, score) in found.items()}, "1").value
    assert mean == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_canonical_solutions_score_what_they_are_known_for(data_dir: Path, tmp_path: Path) -> None:
    found = scores(data_dir, tmp_path, "humaneval-canonical")
    assert {number for number, (passed, _) in found.items() if not passed} == set(WRONG)
    assert [found[number][1] for number in (*WRONG, *TOO_SLOW)] == [0.0] * 7
    # a single score moves with what else the machine does: their means do so less
    equal = [found[number][1] for number in EQUAL]
    assert sum(equal) / len(equal) == pytest.approx(1.0, abs=0.15)
    slower = [found[number][1] for number in SLOWER]
    assert sum(slower) / len(slower) == pytest.approx(sum(SLOWER.values()) / len(SLOWER), abs=0.1)
