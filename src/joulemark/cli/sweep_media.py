"""How the points of a pipeline are asked: each is what ``joulemark media`` measures."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from joulemark.cli.measuring import plan_of as run_plan
from joulemark.cli.media_job import MediaJob, media_jobs
from joulemark.cli.options import declared_rates
from joulemark.cli.sweep_bench import ENGINES, KEY_CHARS, NO_ENGINE
from joulemark.cli.sweep_options import MEDIA, TASK
from joulemark.cli.waiting import each_once
from joulemark.engines.diffusion import KINDS, DiffusionEngine
from joulemark.engines.engine import Engine
from joulemark.engines.launch.diffusers import AskedPipeline
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.record.errors import InputError
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.sweeps.axes import LOADS
from joulemark.sweeps.point import SweepPoint
from joulemark.sweeps.setting import RATES
from joulemark.tasks.task import TaskSet

# the pipeline and its settings are those of the point; where things lie changes no measurement
_NOT_OPTIONS = frozenset({"pipeline", "kind", "batch", "steps", "sizes", "frames", "save_to"})
_PLACES = frozenset({"out", "runs_dir", "as_json", *RATES})
_PROMPTS = ("data", "prompts", "revision", "subset_key", "batches")


@dataclass
class MediaBench:
    """Asks as ``joulemark media`` does; a pipeline stays loaded for all batches, steps and sizes.

    ``start_deadline_s``: how long it may take to be fetched and loaded, null: as usual.
    """

    start_deadline_s: float | None = None
    root: Path | None = None
    observer: Observer | None = None
    # by what asks for them: a data set is read once for all points that ask for the same
    _batches: dict[str, TaskSet] = field(default_factory=dict)

    def line(self, point: SweepPoint) -> str:
        """Return the command that would measure a point alone."""
        return shlex.join(["joulemark", "media", *_arguments(point)])

    def identity(self, point: SweepPoint) -> dict[str, object]:
        """Return all that makes a point what it is; raises `InputError` for one that cannot be."""
        job, options = self._job(point)
        plan = run_plan(job, self._task(job), rates_of(DeclaredRates()), NO_ENGINE, None)
        made = job.made
        return {
            "engine": point.key,
            "power_limit_w": point.power_limit_w,
            "made": [made.batch, made.steps, made.height, made.width, made.frames],
            "options": {
                name: repr(value)
                for name, value in sorted(options.items())
                if name not in _NOT_OPTIONS and name not in _PLACES
            },
            "task": plan.task_facts.model_dump(exclude={"n_whole"}),
            "load": plan.load.facts.model_dump(),
            "sampling": plan.sampling.model_dump(),
        }

    def engine(self, point: SweepPoint) -> Engine:
        """Return the pipeline of a point, not loaded."""
        made = self._job(point)[0].made
        if self.start_deadline_s is not None:
            made = replace(made, start_deadline_s=self.start_deadline_s)
        return DiffusionEngine(
            made,
            log_dir=None if self.root is None else self.root / ENGINES / point.key[:KEY_CHARS],
            progress=each_once(self.observer.stage if self.observer is not None else lambda _: None),
        )

    def plan(self, point: SweepPoint, engine: Engine, out: Path) -> RunPlan:
        """Return the run of a point, which asks the engine for batches of its own."""
        job, options = self._job(point, out)
        rates = rates_of(declared_rates(options))
        return run_plan(job, self._task(job), rates, AskedPipeline(engine, job.made), None)

    def _job(self, point: SweepPoint, out: Path | None = None) -> tuple[MediaJob, dict[str, Any]]:
        """Return what is measured, and the options of ``media`` that say so; raises `InputError`."""
        options = {**MEDIA.read(_arguments(point)), "out": out}
        (job,) = media_jobs(options["pipeline"], options)
        return job, options

    def _task(self, job: MediaJob) -> TaskSet:
        key = repr([job.made.kind, job.made.batch, *(job.options[name] for name in _PROMPTS)])
        if key not in self._batches:
            self._batches[key] = job.task_set(several=False)
        return self._batches[key]


def _arguments(point: SweepPoint) -> list[str]:
    """Return the arguments of ``media`` that say a point; raises `InputError` where none could."""
    _require_of_pipelines(point)
    launch, kind = point.launch, str(point.load[TASK])
    said = {
        "--batch": launch.max_batch,
        "--steps": launch.denoising_steps,
        "--size": None if launch.width is None else f"{launch.width}x{launch.height}",
        "--frames": launch.frames,
    }
    words = [word for option, value in said.items() if value is not None for word in (option, str(value))]
    options = ["--kind", kind, *words, *MEDIA.arguments(point.load)]
    model = str(launch.model)
    # a name that begins with a dash would be an option
    return [*options, "--", model] if model.startswith("-") else [model, *options]


def _require_of_pipelines(point: SweepPoint) -> None:
    """Raise `InputError` for a task that pipelines do not make, and for options of another command."""
    kind = point.load.get(TASK)
    if kind not in KINDS:
        raise InputError(
            "a pipeline has to be told what it makes" if kind is None else f"no pipeline makes {kind}",
            why=f"the task is {', '.join(KINDS)}",
            fix="joulemark sweep text-to-image --engine diffusers --set model=OWNER/NAME",
        )
    loads = [name for name in LOADS if point.load.get(name) is not None]
    if loads:
        raise InputError(
            f"a pipeline has no {' and no '.join(loads)}",
            why="its batches are made one after the other: the batch is the load",
            fix="vary that: --axis max_batch=1,2,4",
        )
    foreign = sorted(point.load.keys() - MEDIA.names)
    if foreign:
        raise InputError(
            f"a pipeline takes no {', '.join(foreign)}",
            why="it is asked as by `joulemark media`, which has no option of that name",
            fix="leave it out",
        )
