"""From the options of ``load`` to a run: a task, or requests that are made up, asked under load."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from joulemark.cli.engine_choice import EMBEDDED
from joulemark.cli.jobs import Job
from joulemark.cli.measuring import carry_out
from joulemark.engines.engine import Engine
from joulemark.load.chosen import ChosenLoad, choose_load
from joulemark.load.made_up import MadeUp
from joulemark.load.options import EXAMPLE, LoadOptions
from joulemark.load.shape import LoadShape
from joulemark.load.token_rate import TokenRate, token_rate
from joulemark.record.errors import InputError
from joulemark.runs.standing import Standing, standing_of_task
from joulemark.tasks.registry import find_task
from joulemark.tasks.task import TaskSet

_NOT_RANKED = Standing(False, "not ranked: asked under load")
_MADE_UP = Standing(False, "not ranked: made-up requests without right answers")


@dataclass(frozen=True, slots=True)
class LoadJob:
    """A task that is asked under load. ``job`` says what is asked, null where requests are made up.

    ``options`` are those of the command, as they were given.
    """

    name: str
    options: Mapping[str, Any]
    chosen: ChosenLoad
    standing: Standing
    job: Job | None = None
    suite: None = None

    @property
    def shape(self) -> LoadShape:
        """When requests are sent."""
        return self.chosen.shape

    @property
    def made_up(self) -> MadeUp | None:
        """The requests, where they are made up."""
        return self.chosen.made_up

    @property
    def n_parallel(self) -> int:
        """How many requests the embedded engine works on at once."""
        return self.chosen.n_parallel

    @property
    def prepare(self) -> Callable[[Engine], Awaitable[TaskSet]] | None:
        """Made-up prompts are written when it is known how the engine counts tokens."""
        made_up = self.made_up
        if made_up is None:
            return None

        async def written(engine: Engine) -> TaskSet:
            return made_up.task_set(await token_rate(engine))

        return written

    def task_set(self, *, several: bool) -> TaskSet:
        """Return the task; raises `InputError`."""
        if self.made_up is not None:
            return self.made_up.task_set(TokenRate())
        assert self.job is not None
        return self.job.task_set(several=several)


def measure_load(task: str | None, options: Mapping[str, Any]) -> int:
    """Measure one load and report it; returns the exit code. Raises `InputError`."""
    job = load_job(task, options)
    return carry_out([job], [job.name], options)


def load_options(task: str | None, options: Mapping[str, Any]) -> LoadOptions:
    """Return what the parameters of the command say of the load."""
    return LoadOptions(
        task=task,
        synthetic=options["synthetic"],
        lengths=options["lengths"],
        longest=options["longest"],
        trace=options["trace"],
        trace_speed=options["trace_speed"],
        trace_window_s=options["trace_seconds"],
        concurrency=options["concurrency"],
        rate=options["rate"],
        arrival=options["arrival"],
        burstiness=options["burstiness"],
        cap=options["cap"],
        n_requests=options["n_requests"],
        lead_requests=options["lead"],
        ramp_s=options["ramp"],
        slots=options["slots"],
        seed=options["seed"],
    )


def load_job(task: str | None, options: Mapping[str, Any], *, example: str = EXAMPLE) -> LoadJob:
    """Return what the options of the command say; raises `InputError` for what does not go together.

    ``example`` is a command of the kind that was typed, which says what is asked.
    """
    chosen = choose_load(load_options(task, options), example=example)
    if options["slots"] is not None and options["engine_url"] != EMBEDDED:
        raise InputError(
            "--slots is for the embedded engine",
            why=f"the engine at {options['engine_url']} was started by somebody else",
            fix="set it where that engine is started",
        )
    if chosen.made_up is not None:
        return LoadJob(chosen.made_up.name, options, chosen, _MADE_UP)
    assert task is not None
    definition = find_task(task)
    standing = standing_of_task(definition, {**options, "concurrency": 1})  # a load's is no way of asking
    job = Job(definition, options, None, _NOT_RANKED if standing.may_rank else standing)
    return LoadJob(definition.name, options, chosen, job.standing, job=job)
