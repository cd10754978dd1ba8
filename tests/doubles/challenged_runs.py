"""A run of the built-in quick task as this machine's own: with its words, and commitments that open."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from doubles.noisy_runs import later, noisy
from doubles.submitted_runs import answers, described, readings, write_run
from joulemark.record.item import ItemRow, LocalTexts
from joulemark.record.manifest import Manifest
from joulemark.runs.commitment import commit, commitment_key
from joulemark.tasks.registry import load_task
from joulemark.tasks.task import TaskSet


def quick_run(
    root: Path,
    n: int = 16,
    *,
    nonce: str | None = None,
    seed: int = 5,
    change: Callable[[Sequence[ItemRow]], list[ItemRow]] = list,
) -> Path:
    """Write a run whose answers are right, wrong and right again; keys are of the user's salt.

    ``change`` makes other answers of them.
    """
    task = load_task("quick", nonce=nonce)
    rng = np.random.default_rng(seed)
    asked = [later(row, int(rng.integers(0, 500_000_000))) for row in rows(task, n, seed=seed)]
    return write_run(root, _manifest(task, n), change(asked), noisy(readings(n), rng))


def _manifest(task: TaskSet, n: int) -> Manifest:
    manifest = described(n)
    asked = manifest.task
    asked.name, asked.revision, asked.source, asked.nonce = "quick", task.revision, task.source, task.nonce
    asked.subset_key = task.subset_key
    manifest.run_id = hashlib.sha256(f"{task.nonce} {n}".encode()).hexdigest()[:24]
    return manifest


def rows(task: TaskSet, n: int, *, seed: int = 5) -> list[ItemRow]:
    """The answers, each graded by the task's own scorer."""
    return [_row(task, index, row) for index, row in enumerate(answers(n, seed))]


def _row(task: TaskSet, index: int, row: ItemRow) -> ItemRow:
    question = task.questions[index]
    gold = (question.gold or "").split("|")[0]
    answer = f"The answer is {gold}." if index % 3 != 1 else "The answer is 987654."
    score = task.scorer.score(question, answer, finish_reason="stop", refusal=False)
    item = replace(
        row.item,
        item_id=question.item_id,
        verdict=score.verdict,
        correct=score.correct,
        score=score.score,
        rule=score.rule,
        span=score.span,
        answer_commitment=commit(commitment_key(), question.item_id, 0, answer),
    )
    return ItemRow(item, row.chunks, LocalTexts("", answer, "", score.value, question.gold))
