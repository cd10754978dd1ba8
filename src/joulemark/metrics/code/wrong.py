"""Why a program is wrong: the first of its runs that was not right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.code.sample import Sample
from joulemark.record.code_run import CodeRun, Outcome, Purpose

_RESULT = "wrong result"


@dataclass(frozen=True, slots=True)
class Wrong:
    """A sample that fails its tests, and the run that says so; null where none alone does."""

    problem: str
    number: int
    run: CodeRun | None

    @property
    def why(self) -> str:
        """What became of that run, in words; what the program itself said is in them, as it said it."""
        if self.run is None:
            return "not told"
        detail = self.run.detail.strip()
        if self.run.outcome is not Outcome.RETURNED:
            what = self.run.outcome.replace("_", " ")
            return f"{what}: {detail}" if detail else what
        where = (
            ""
            if self.run.case is None or self.run.purpose is not Purpose.TEST
            else f" on test {self.run.case}"
        )
        return f"{_RESULT}{where}: {detail}" if detail else f"{_RESULT}{where}"


def wrong_of(samples: Sequence[Sample]) -> tuple[Wrong, ...]:
    """Return the samples that do not pass."""
    return tuple(
        Wrong(sample.problem, sample.number, next(filter(_is_wrong, sample.runs), None))
        for sample in samples
        if sample.passed is False
    )


def _is_wrong(run: CodeRun) -> bool:
    return run.outcome is not Outcome.RETURNED or run.correct is False
