"""Runs under load in this process: an engine double, a plan, and the record that it leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.load.shape import LoadShape
from joulemark.record.manifest import Sampling
from joulemark.runs.execute import RunOutcome
from joulemark.runs.executor import LocalExecutor
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.runs.recorded import RecordedRun, read_run
from joulemark.tasks.task import Question, Score, TaskSet


class Exact:
    """Grades an answer by its text."""

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        from joulemark.record.item import Verdict

        right = answer.strip() == question.gold
        verdict = Verdict.CORRECT if right else Verdict.WRONG
        return Score(verdict, right, float(right), answer, "exact", None)


def task_of(n: int, **changes: Any) -> TaskSet:
    """A task of ``n`` questions whose right answer is ``ok``."""
    questions = tuple(Question(f"q-{k}", (("user", f"What is {k}?"),), "ok", "text") for k in range(n))
    task = TaskSet("doubled", "1", "test", 0, "plain", questions, Exact(), 16, source="made")
    return replace(task, **changes)


def plan_of(url: str, task: TaskSet, shape: LoadShape, out: Path, **changes: Any) -> RunPlan:
    """A plan without meters."""
    plan = RunPlan(
        task=task,
        engine=UrlEngine(UrlOptions(url)),
        sampling=Sampling(max_tokens=16),
        load=shape,
        retries=0,
        out=out,
        meters=("none",),
    )
    return replace(plan, **changes)


def carried_out(plan: RunPlan, observer: Observer | None = None) -> tuple[RunOutcome, RecordedRun]:
    """Execute a plan and read its record."""
    outcome = LocalExecutor().run(plan, observer or Observer())
    if outcome.error is not None:
        raise outcome.error
    return outcome, read_run(outcome.root)
