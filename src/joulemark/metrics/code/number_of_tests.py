"""Do more tests say more? The same answers judged and measured with 10, 100 and 1,000 tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.code.by_group import Figures
from joulemark.metrics.code.sample import samples_of
from joulemark.metrics.code.summary import main_figures
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun
from joulemark.record.reason import Reason


@dataclass(frozen=True, slots=True)
class TestCount:
    """An evaluation with ``n_tests`` tests a problem, beside the one with the most.

    ``differences``: of each figure, the relative difference to that of the most tests. ``n_false_passes``:
    answers that are right here and wrong there, of ``n_judged`` that both judged.
    """

    __test__ = False  # its name is no test's

    n_tests: int
    figures: Figures
    differences: Figures
    n_false_passes: int
    n_judged: int


def compare_test_counts(by_count: Mapping[int, Sequence[CodeRun]]) -> tuple[TestCount, ...]:
    """Compare evaluations of the same answers by how many tests they used, fewest first."""
    if not by_count:
        return ()
    most = max(by_count)
    verdicts = {count: _verdicts(runs) for count, runs in by_count.items()}
    figures = {count: main_figures(runs) for count, runs in by_count.items()}
    found = []
    for count in sorted(by_count):
        shared = [
            key
            for key, right in verdicts[count].items()
            if right is not None and verdicts[most].get(key) is not None
        ]
        false_passes = sum(verdicts[count][key] is True and verdicts[most][key] is False for key in shared)
        differences = {
            name: _relative(value, figures[most].get(name)) for name, value in figures[count].items()
        }
        found.append(TestCount(count, figures[count], differences, false_passes, len(shared)))
    return tuple(found)


def _verdicts(runs: Sequence[CodeRun]) -> dict[tuple[str, int], bool | None]:
    return {(sample.problem, sample.number): sample.passed for sample in samples_of(runs)}


def _relative(value: Value, most: Value | None) -> Value:
    if most is None or most.value is None or value.value is None:
        reason = value.reason or (most.reason if most else None) or Reason.NOT_MEASURED
        return withheld("1", reason, detail=value.detail or (most.detail if most else ""))
    if most.value == 0:
        return withheld("1", Reason.NOT_APPLICABLE, detail="It is 0 with the most tests.")
    return Value(value.value / most.value - 1, "1", n=value.n)
