"""Which tasks a ``bench`` command asks and how: suites spelled out, presets applied, standing told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.cli.engine_choice import EMBEDDED
from joulemark.record.errors import InputError
from joulemark.tasks.definition import DEFAULT_PRESET
from joulemark.tasks.formats import SUFFIXES
from joulemark.tasks.registry import find_task, load_task
from joulemark.tasks.subset import DEFAULT_KEY
from joulemark.tasks.suites import SUITES, Suite
from joulemark.tasks.task import TaskSet

# options that make a task, or a suite, another one than its name says
_OF_A_TASK = ("subset_key", "nonce", "split", "temperature", "top_p", "max_tokens")
_OF_A_SUITE = (*_OF_A_TASK, "limit", "shots", "preset", "seed", "repeat")
_UNCHANGED: Mapping[str, object] = {"subset_key": DEFAULT_KEY}


@dataclass(frozen=True, slots=True)
class Job:
    """One task of a command. ``choices`` are the user's, completed by the suite's where they are silent."""

    task: str
    choices: Mapping[str, Any]
    suite: Suite | None
    may_rank: bool
    standing: str

    @property
    def label(self) -> str:
        """What tells the job from the others of its command."""
        return self.task

    def load(self, data: Path | None) -> TaskSet:
        """Load the task; raises `InputError`."""
        chosen = self.choices
        task = load_task(
            self.task,
            data=data,
            limit=chosen["limit"],
            n_shot=chosen["shots"],
            split=chosen["split"],
            preset=chosen["preset"] or DEFAULT_PRESET,
            revision=chosen["revision"],
            subset_key=chosen["subset_key"],
            nonce=chosen["nonce"],
        )
        return task if chosen["max_tokens"] is None else task.with_budget(chosen["max_tokens"])


def jobs_of(names: Sequence[str], choices: Mapping[str, Any]) -> list[Job]:
    """Return the jobs of a command; raises `InputError` for what cannot be asked together.

    A name is a suite's, a task's, or the path of a task's file.
    """
    found: list[Job] = []
    for name in names:
        if name in SUITES:
            found += _of_suite(SUITES[name], choices)
        else:
            found.append(_of_task(name, choices))
    doubled = sorted({job.task for job in found if sum(job.task == other.task for other in found) > 1})
    if doubled:
        raise InputError(f"{', '.join(doubled)} would be asked twice", fix="name each task or suite once")
    return found


def _given(choices: Mapping[str, Any], options: Sequence[str]) -> list[str]:
    """Return the options that the user set, as they are written."""
    return [
        f"--{name.replace('_', '-')}"
        for name in options
        if choices[name] is not None and choices[name] != _UNCHANGED.get(name)
    ]


def _of_suite(suite: Suite, choices: Mapping[str, Any]) -> list[Job]:
    _require_engine(suite, choices)
    given = _given(choices, _OF_A_SUITE)
    may_rank, standing = suite.may_rank, suite.standing
    if given and suite.may_rank:
        may_rank, standing = (
            False,
            f"not ranked: asked with {', '.join(given)}, unlike the suite",
        )
    jobs = []
    for part in suite.parts:
        suggested = {"limit": part.limit, "preset": suite.preset, "seed": suite.seed, "repeat": suite.repeats}
        completed = {name: choices[name] if choices[name] is not None else v for name, v in suggested.items()}
        jobs.append(Job(part.task, {**choices, **completed}, suite, may_rank, standing))
    return jobs


def _require_engine(suite: Suite, choices: Mapping[str, Any]) -> None:
    embedded = choices["engine_url"] == EMBEDDED
    if suite.own_engine and embedded and choices["model"] is None:
        raise InputError(
            f"the suite {suite.name} measures your own engine",
            why="the built-in model is for a first look, and no engine was named",
            fix=f"joulemark bench run {suite.name} --engine URL (`joulemark engine list` finds engines)",
        )
    if suite.pinned and (not embedded or choices["model"] is not None):
        raise InputError(
            f"the suite {suite.name} is asked of the built-in model alone",
            why="its figures tell machines apart only where the model is the same",
            fix="leave --engine and --model out, or name another suite",
        )


def _of_task(name: str, choices: Mapping[str, Any]) -> Job:
    definition = find_task(name)
    if definition.is_canary:
        return Job(name, choices, None, False, "carried, not ranked: a canary task")
    if not definition.built_in:
        return Job(name, choices, None, False, "not ranked: a task of the user's own")
    given = _given(choices, _OF_A_TASK)
    if given:
        return Job(name, choices, None, False, f"not ranked: asked with {', '.join(given)}")
    standing = "ranked within the same task, items, preset, tier and scope"
    return Job(name, choices, None, True, standing)


def data_of(job: Job, path: Path | None, *, several: bool) -> Path | None:
    """Return where a job's items are read from: of several tasks, ``path`` is a folder with one entry each.

    An entry is a folder or a data file with the task's name. A task without one reads its usual place.
    """
    if path is None or not several:
        return path
    if not path.is_dir():
        raise InputError(
            f"--data {path} is one file for several tasks",
            fix="give a folder that holds a file or folder for each task, named like it",
        )
    names = [job.task, *(f"{job.task}{suffix}{packed}" for suffix in SUFFIXES for packed in ("", ".gz"))]
    return next((path / name for name in names if (path / name).exists()), None)
