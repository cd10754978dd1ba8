"""Some of ENAMEL's samples scored end to end; `benchmarks/enamel_scores.py` scores all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a file's answers, by the numbers of their problems.

    ``wrong``: by a type, by a result, by its time on the first level. ``equal``: about as fast as the
    expert's; ``slower``: by score; ``too_slow``: on every level that counts.
    """

    file: str
    wrong: tuple[int, ...]
    equal: tuple[int, ...]
    equal_score: float
    slower: dict[int, float]
    too_slow: tuple[int, ...]

    @property
    def mean(self) -> float:
        """eff@1 of these problems."""
        total = sum(self.slower.values()) + self.equal_score * len(self.equal)
        return total / len({*self.wrong, *self.equal, *self.slower, *self.too_slow})


_SLOWER = {6: 0.36, 100: 0.49, 116: 0.46, 145: 0.43, 153: 0.35}
_SLOWER_PLUS = {22: 0.41, 63: 0.30, 70: 0.77, 100: 0.66, 145: 0.44, 153: 0.92}
KNOWN = (
    Known("humaneval-canonical", (22, 49, 75), (4, 17, 47, 152), 1.0, _SLOWER, (11, 51, 63, 70)),
    Known("humanevalplus-canonical", (), (4, 17, 47, 152), 0.95, _SLOWER_PLUS, (6, 11, 51, 75, 116)),
)
REFERENCES = (*KNOWN[0].wrong, *KNOWN[0].equal, *KNOWN[0].slower, *KNOWN[0].too_slow)


class Quiet:
    def started(self, n_problems: int, n_done: int) -> None: ...

    def finished(self, done: object) -> None: ...


def scores(data_dir: Path, into: Path, name: str, numbers: Iterable[int]) -> dict[int, tuple[bool, float]]:
    """Whether each problem's sample passed, and its score, by the problem's number."""
    folder = data_dir / "code" / "enamel"
    chosen = {f"HumanEval/{number}" for number in numbers}
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
    found = scores(data_dir, tmp_path, "enamel-references", REFERENCES)
    assert all(passed for passed, _ in found.values())
    mean = mean_of({str(number): score for number, (_, score) in found.items()}, "1").value
    assert mean == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.file)
def test_the_canonical_solutions_score_what_they_are_known_for(
    data_dir: Path, tmp_path: Path, known: Known
) -> None:
    """Single scores move with what else the machine does: their means moved by 0.02 at a load of eight."""
    numbers = (*known.wrong, *known.equal, *known.slower, *known.too_slow)
    found = scores(data_dir, tmp_path, known.file, numbers)
    assert {number for number, (passed, _) in found.items() if not passed} == set(known.wrong)
    assert [found[number][1] for number in (*known.wrong, *known.too_slow)] == [0.0] * len(
        (*known.wrong, *known.too_slow)
    )
    equal = [found[number][1] for number in known.equal]
    assert sum(equal) / len(equal) == pytest.approx(known.equal_score, abs=0.08)
    slower = [found[number][1] for number in known.slower]
    assert sum(slower) / len(slower) == pytest.approx(
        sum(known.slower.values()) / len(known.slower), abs=0.06
    )
    assert sum(score for _, score in found.values()) / len(found) == pytest.approx(known.mean, abs=0.05)
