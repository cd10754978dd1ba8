"""The questions of a submitted run, where this board has them: those that come with Joulemark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from joulemark.board.intake.examined import Follows
from joulemark.board.standing.own_questions import comes_with_us
from joulemark.bundles.submission.clean_manifest import BUILT_IN
from joulemark.record.errors import InputError
from joulemark.record.manifest import Manifest, Task
from joulemark.tasks.definition import DEFAULT_PRESET
from joulemark.tasks.registry import built_in_tasks, load_task
from joulemark.tasks.scorers import LATER, SCORERS
from joulemark.tasks.subset import DEFAULT_KEY
from joulemark.tasks.task import Question, TaskSet


def task_here(task: Task, nonce: str | None = None) -> TaskSet | None:
    """Return a run's task with its questions, null where they are not here or of another revision."""
    if task.source != BUILT_IN or not comes_with_us(task.name):  # what a bundle says fetches nothing
        return None
    definition = built_in_tasks()[task.name]
    preset = task.preset if task.preset in definition.preset_names else DEFAULT_PRESET
    found = _loaded(task.name, preset, nonce)
    return found if found is not None and found.revision == task.revision else None


def questions_here(task: Task) -> Mapping[str, Question] | None:
    """Return a run's questions by their names, null where answers to them cannot be graded here."""
    found = task_here(task)
    if found is None or any(one.kind not in SCORERS or one.kind == LATER for one in found.questions):
        return None
    return {one.item_id: one for one in found.questions if one.gold is not None}


def order_by_nonce(manifest: Manifest, asked: Sequence[str]) -> Follows:
    """Tell whether the questions were asked that the run's nonce picks, in its order."""
    task = manifest.task
    if task.nonce is None or task.is_listed or (task.subset_key or DEFAULT_KEY) != DEFAULT_KEY:
        return "unknown"
    here = task_here(task, task.nonce)
    if here is None:
        return "unknown"
    names = list(dict.fromkeys(asked))
    return "follow" if names == [one.item_id for one in here.questions[: len(names)]] else "differ"


@lru_cache(maxsize=16)
def _loaded(name: str, preset: str, nonce: str | None) -> TaskSet | None:
    try:
        return load_task(name, preset=preset, nonce=nonce)
    except InputError:
        return None
