"""By what inputs are drawn that programs are timed on: no program can know it before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from doubles.small_problems import TOTAL, total_problem
from joulemark.code.contain.containment import WHOLE, Containment
from joulemark.code.evaluation.evaluate import evaluate
from joulemark.code.evaluation.job import Answer, Done, Job
from joulemark.code.evaluation.settings import Settings


class _Watcher:
    def started(self, n: int, n_done: int) -> None: ...

    def finished(self, done: Done) -> None: ...


class _Keeping:
    """An executor that carries nothing out, and keeps what it was asked for."""

    n_workers = 1

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def run(self, stages: Iterable[Sequence[Job]], containment: Containment) -> Iterator[Done]:
        for stage in stages:
            self.jobs += stage
        yield from ()


def seeds(directory: Path, seed: int, moment: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(directory.parent / "cache"))
    executor, settings = _Keeping(), Settings(seed=seed)
    answers = {"total": [Answer(0, TOTAL)]}
    problem = total_problem()
    with monkeypatch.context() as patch:
        patch.setattr("joulemark.code.evaluation.evaluate.new_record", _new_at(moment))
        evaluate(directory, "m", [problem], answers, settings, WHOLE, executor, _Watcher())
    assert executor.jobs
    return {job.timed_seed for job in executor.jobs}


def _new_at(moment: str):  # type: ignore[no-untyped-def]
    from joulemark.code.evaluation.record import new_record

    return lambda *args: new_record(*args).model_copy(update={"created_utc": moment})


def test_every_job_of_an_evaluation_has_its_seed_and_its_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = seeds(tmp_path / "a", 0, "2026-11-30T10:00:00+00:00", monkeypatch)
    (later,) = seeds(tmp_path / "b", 0, "2026-11-30T10:00:01+00:00", monkeypatch)
    (other,) = seeds(tmp_path / "c", 777123, "2026-11-30T10:00:00+00:00", monkeypatch)
    (resumed,) = seeds(tmp_path / "a", 0, "2026-12-01T10:00:00+00:00", monkeypatch)
    assert len({first, later, other}) == 3
    assert resumed == first  # what goes on has the inputs of what it goes on with
