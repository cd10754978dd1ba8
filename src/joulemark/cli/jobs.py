"""Which tasks a ``bench`` command asks: suites spelled out, and what the user left open filled in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from joulemark.cli.engine_choice import EMBEDDED
from joulemark.engines.engine import Engine
from joulemark.load.shape import LoadShape
from joulemark.record.errors import InputError
from joulemark.runs.standing import Standing, as_the_suite_is, standing_in_suite, standing_of_task
from joulemark.tasks.definition import DEFAULT_PRESET, TaskDefinition
from joulemark.tasks.formats import SUFFIXES
from joulemark.tasks.item_list import read_item_ids
from joulemark.tasks.registry import find_task, load_task
from joulemark.tasks.scorers import CODE
from joulemark.tasks.suites import SUITES, Suite
from joulemark.tasks.task import TaskSet


class Work(Protocol):
    """A task to measure, as the command that measures has it.

    ``options`` are those of the command as they hold for the task; ``shape`` is the load, ``n_parallel`` how
    many requests the embedded engine works on at once; ``prepare`` makes the task once the engine runs, null
    where `task_set` gives it as it is asked.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def options(self) -> Mapping[str, Any]: ...  # noqa: D102

    @property
    def suite(self) -> Suite | None: ...  # noqa: D102

    @property
    def standing(self) -> Standing: ...  # noqa: D102

    @property
    def shape(self) -> LoadShape: ...  # noqa: D102

    @property
    def n_parallel(self) -> int: ...  # noqa: D102

    @property
    def prepare(self) -> Callable[[Engine], Awaitable[TaskSet]] | None: ...  # noqa: D102

    def task_set(self, *, several: bool) -> TaskSet:
        """Load the task, one of ``several`` or alone; raises `InputError`."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """One task of a command, with every option of the command as it holds for this task."""

    definition: TaskDefinition
    options: Mapping[str, Any]
    suite: Suite | None
    standing: Standing

    @property
    def name(self) -> str:
        """The task's name."""
        return self.definition.name

    @property
    def shape(self) -> LoadShape:
        """So many requests at a time as ``--concurrency`` says."""
        return LoadShape.closed(self.options["concurrency"])

    @property
    def n_parallel(self) -> int:
        """As many as are in flight."""
        return int(self.options["concurrency"])

    @property
    def prepare(self) -> None:
        """Nothing is left to make once the engine runs."""
        return

    def task_set(self, *, several: bool) -> TaskSet:
        """Load the task, one of ``several`` or alone; raises `InputError`."""
        options = self.options
        task = _loader(self.definition)(
            self.definition,
            data=self._data(several=several),
            limit=options["limit"],
            n_shot=options["shots"],
            split=options["split"],
            preset=options["preset"] or DEFAULT_PRESET,
            revision=options["revision"],
            subset_key=options["subset_key"],
            nonce=options["nonce"],
            item_ids=None if options["items"] is None else read_item_ids(options["items"]),
        )
        return task if options["max_tokens"] is None else task.with_budget(options["max_tokens"])

    def _data(self, *, several: bool) -> Path | None:
        """Return where the items are read from: ``--data`` itself, or the entry of this task in it.

        An entry is a folder or a data file with the task's name; of several tasks each must have one.
        """
        path: Path | None = self.options["data"]
        if path is None or (not several and not path.is_dir()):
            return path
        own = self.definition.data.file is not None or self.definition.data.problems is not None
        if self.definition.built_in and own and several:
            return None  # its items come with the program
        if not path.is_dir():
            raise InputError(
                f"--data {path} is one file for several tasks",
                fix="give a folder that holds a file or folder for each task, named like it",
            )
        names = [self.name, *(f"{self.name}{suffix}{gz}" for suffix in SUFFIXES for gz in ("", ".gz"))]
        entry = next((path / name for name in names if (path / name).exists()), None)
        if entry is None and several:
            held = ", ".join(sorted(p.name for p in path.iterdir())[:12]) or "nothing"
            raise InputError(
                f"{path} holds no {self.name}",
                why=f"it holds {held}",
                fix=f"add {self.name}.jsonl or a folder {self.name}",
            )
        return entry or path


def _loader(definition: TaskDefinition) -> Callable[..., TaskSet]:
    """Return what loads a task: what judges programs is not imported for other answers."""
    if CODE not in definition.kinds:
        return load_task
    from joulemark.code.joined.task import load_any_task

    return load_any_task


def jobs_of(names: Sequence[str], options: Mapping[str, Any]) -> list[Job]:
    """Return the jobs of a command; raises `InputError` for what cannot be asked together.

    A name is a suite's, a task's, or the path of a task's file.
    """
    found: list[Job] = []
    for name in names:
        if name in SUITES:
            found += _of_suite(SUITES[name], options)
        else:
            definition = find_task(name)
            found.append(Job(definition, options, None, standing_of_task(definition, options)))
    asked = [job.name for job in found]
    doubled = sorted({name for name in asked if asked.count(name) > 1})
    if doubled:
        raise InputError(f"{', '.join(doubled)} would be asked twice", fix="name each task or suite once")
    return found


def _of_suite(suite: Suite, options: Mapping[str, Any]) -> list[Job]:
    embedded = options["engine_url"] == EMBEDDED
    if suite.own_engine and embedded and options["model"] is None:
        raise InputError(
            f"the suite {suite.name} measures your own engine",
            why="the built-in model is for a first look, and no engine was named",
            fix=f"joulemark bench run {suite.name} --engine URL (`joulemark engine list` finds engines)",
        )
    if suite.pinned and (not embedded or options["model"] is not None):
        raise InputError(
            f"the suite {suite.name} is asked of the built-in model alone",
            why="its figures tell machines apart only where the model is the same",
            fix="leave --engine and --model out, or name another suite",
        )
    jobs = []
    for part in suite.parts:
        own = as_the_suite_is(suite, part)
        held = {**options, **{name: value for name, value in own.items() if options[name] is None}}
        jobs.append(Job(find_task(part.task), held, suite, standing_in_suite(suite, part, held)))
    return jobs
