"""``decided against RUN``: the words of ``--stop`` that end a run when it is decided against another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from joulemark.frugal.paired.decided_against import DecidedAgainst
from joulemark.frugal.paired.decision import PairedTest
from joulemark.frugal.paired.reference import Reference, read_reference
from joulemark.frugal.paired.tie_width import require_narrow, tie_width
from joulemark.record.errors import InputError
from joulemark.tasks.task import TaskSet

_FORM = re.compile(r"\s*decided\s+against\s+(.+?)\s*(?:(?:±|\+/?-)\s*(\S+))?\s*")


def is_against(text: str) -> bool:
    """Tell whether a ``--stop`` names a run to be decided against."""
    return _FORM.fullmatch(text) is not None


def against_rule(texts: Sequence[str], task: TaskSet) -> DecidedAgainst:
    """Return the rule that the words say, for a run of ``task``.

    ``decided against RUN ±2pp``: nearer than 2 pp is a tie (1 pp where nothing is said). Raises `InputError`
    where there are other targets beside it, the reference cannot be read or was asked other questions, or
    questions come in conversations.
    """
    form = _FORM.fullmatch(texts[0])
    if form is None or len(texts) > 1:
        raise InputError(
            "a run that is decided against another has no other target",
            why="each of several --stop is to be met, and a decision does not wait for them",
            fix=f'give one: --stop "{next((one for one in texts if is_against(one)), texts[0])}"',
        )
    _require_random_order(task)
    reference = read_reference(Path(form[1]))
    shared = _shared(reference, task, form[1])
    _require_same_figure(reference, task, form[1])
    question = PairedTest() if form[2] is None else PairedTest(epsilon=tie_width(form[2]))
    low, high = task.score_range or (0.0, 1.0)
    require_narrow(question.epsilon, high - low, scored=task.score_range is not None)
    return DecidedAgainst(reference, task.score_range, question, shared, task.n_drawn_from)


def _require_random_order(task: TaskSet) -> None:
    conversations = any(question.session is not None for question in task.questions)
    if not (conversations or task.problems is not None or task.subset_key is None):
        return
    why = "its answers are graded after the last of them" if task.problems is not None else ""
    why = "the turns of a conversation are not drawn at random" if conversations else why
    raise InputError(
        f"{task.name} cannot be decided while it is asked",
        why=why or "it is not asked in random order",
        fix="leave --stop out, and compare the runs with `joulemark compare`",
    )


def _shared(reference: Reference, task: TaskSet, path: str) -> int:
    """Return of how many questions the reference has an outcome; raises `InputError` for none."""
    shared = sum(question.item_id in reference.values for question in task.questions)
    if (reference.task is not None and reference.task != task.name) or not shared:
        asked = reference.task or "other questions"
        raise InputError(
            f"{task.name} cannot be decided against {path}",
            why=f"that was asked {asked}" if asked != task.name else "the two share no question",
            fix="name a run of the same task",
        )
    return shared


def _require_same_figure(reference: Reference, task: TaskSet, path: str) -> None:
    """Raise `InputError` where the outcomes are on another scale: the difference would be of two units."""
    low, high = task.score_range or (0.0, 1.0)
    known = [reference.values[one.item_id] for one in task.questions if one.item_id in reference.values]
    # zeros and ones under the name of a score may be either
    wanted = "right or wrong" if task.score_range is None else "score"
    same_kind = reference.graded in (None, wanted)
    if same_kind and low <= min(known) and max(known) <= high:
        return
    theirs = f"scores within {reference.low:g} and {reference.high:g}" if reference.real else "right or wrong"
    ours = "right or wrong" if task.score_range is None else f"scores within {low:g} and {high:g}"
    raise InputError(
        f"{task.name} cannot be decided against {path}",
        why=f"its outcomes are {theirs}, and the task's are {ours}",
        fix="name a run, or a file with the same figure on the same scale",
    )
