"""Prompts for pictures and videos: a batch of them is one question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from joulemark.record.content import Message, pictures, words
from joulemark.record.errors import InputError
from joulemark.tasks.scorers import UNGRADED, UngradedScorer
from joulemark.tasks.task import Question, TaskSet


def in_batches(task: TaskSet, size: int, n: int) -> TaskSet:
    """Return a task of ``n`` questions that each ask for ``size`` media.

    The prompts are taken in the task's order; where there are fewer they are begun anew.
    """
    prompts = [question.messages[-1] for question in task.questions]
    asked = [prompts[place % len(prompts)] for place in range(n * size)]
    questions = tuple(
        _question(number, asked[number * size : (number + 1) * size], task.name) for number in range(n)
    )
    notes = task.notes
    if len(prompts) < len(asked):
        notes = (*notes, f"{len(prompts)} prompts are asked again and again: there are {len(asked)} places")
    return replace(task, questions=questions, max_tokens=1, notes=notes)


def read_prompts(path: Path, name: str) -> TaskSet:
    """Return the prompts of a text file, one a line, as a task called ``name``. Raises `InputError`."""
    try:
        data = path.read_bytes()
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"the prompts {path} cannot be read", why=why, fix="give a text file") from error
    prompts = [line for line in lines if line]
    if not prompts:
        raise InputError(f"{path} holds no prompt", why="it is empty", fix="write one prompt a line")
    return TaskSet(
        name=name,
        revision=hashlib.sha256(data).hexdigest(),
        split="prompts",
        n_shot=0,
        template="",
        questions=tuple(
            Question(f"{name}-{number}", (("user", prompt),), None, UNGRADED)
            for number, prompt in enumerate(prompts)
        ),
        scorer=UngradedScorer(),
        max_tokens=1,
        source="file",
    )


def _question(number: int, prompts: Sequence[Message], name: str) -> Question:
    digest = hashlib.sha256()
    for _, content in prompts:
        digest.update(words(content).encode() + b"\0")
        for picture in pictures(content):
            digest.update(picture.digest.encode() + b"\0")
    item_id = f"{name}-{number:05d}-{digest.hexdigest()[:12]}"
    return Question(item_id, tuple(prompts), None, UNGRADED, media_units=len(prompts))
