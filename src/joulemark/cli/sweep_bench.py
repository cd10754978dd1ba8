"""How the points of engines that answer in words are asked: each is a load of its own."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.cli.loading import load_job
from joulemark.cli.measuring import plan_of as run_plan
from joulemark.cli.options import declared_rates
from joulemark.cli.sweep_options import LOAD, TASK
from joulemark.cli.waiting import each_once
from joulemark.engines.engine import Engine
from joulemark.engines.launch.launched import LaunchOptions
from joulemark.engines.launch.registry import EMBEDDED, launched_engine
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.record.errors import InputError
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.sweeps.point import SweepPoint
from joulemark.sweeps.setting import RATES

_PLACELESS = frozenset({"out", "runs_dir", "as_json", "engine_url", "model", "n_ctx", *RATES})
ENGINES, KEY_CHARS = "engines", 10
"""Where the logs of engines go, and how much of a key names each."""
_EXAMPLE = "joulemark sweep --axis concurrency=1,2,4,8 quick"
NO_ENGINE: Any = None
"""Of a plan that is only looked at."""


@dataclass
class LoadBench:
    """Asks as ``joulemark load`` does."""

    launching: LaunchOptions
    root: Path | None = None
    observer: Observer | None = None

    def options(self, point: SweepPoint) -> dict[str, Any]:
        """Return the options of the load of a point, as ``load`` would have them; raises `InputError`."""
        options = LOAD.read(self._arguments(point))
        options["engine_url"] = point.engine
        if point.is_started:
            options["model"] = options["n_ctx"] = None  # the engine is started with them
        if point.engine != EMBEDDED and options["threads"] is not None:
            raise InputError(
                "--threads is for the embedded engine", fix="set the engine's own: flags.threads"
            )
        if point.is_started and options["api_key_env"] is not None:
            raise InputError(
                f"{point.engine} is started here and needs no key", fix="leave --api-key-env out"
            )
        return options

    def line(self, point: SweepPoint) -> str:
        """Return the command that would measure a point alone."""
        where = f"{point.engine}" if not point.is_started or point.engine == EMBEDDED else "URL"
        slots = ["--slots", str(point.launch.max_batch)] if point.engine == EMBEDDED else []
        model = ["--model", point.launch.model] if point.engine == EMBEDDED and point.launch.model else []
        n_ctx = (
            ["--n-ctx", str(point.launch.n_ctx)] if point.engine == EMBEDDED and point.launch.n_ctx else []
        )
        words = ["joulemark", "load", *self._arguments(point)]
        return shlex.join([*words, "--engine", where, *model, *n_ctx, *slots])

    def identity(self, point: SweepPoint) -> dict[str, object]:
        """Return all that makes a point what it is; raises `InputError` for a load that cannot be."""
        options = self.options(point)
        job = load_job(options.pop("task"), options, example=_EXAMPLE)
        task = job.task_set(several=False)
        plan = run_plan(job, task, rates_of(DeclaredRates()), NO_ENGINE, None)
        return {
            "engine": point.key,
            "power_limit_w": point.power_limit_w,
            "options": {n: repr(value) for n, value in sorted(options.items()) if n not in _PLACELESS},
            "task": plan.task_facts.model_dump(exclude={"n_whole"}),
            "load": plan.load.facts.model_dump(),
            "sampling": plan.sampling.model_dump(),
        }

    def engine(self, point: SweepPoint) -> Engine:
        """Return the engine of a point, not started."""
        progress = each_once(self.observer.stage if self.observer is not None else lambda _: None)
        if point.is_started:
            threads = point.load.get("threads")
            return launched_engine(
                point.engine,
                point.launch,
                self.launching,
                threads=None if threads is None else int(threads),  # type: ignore[arg-type]
                log_dir=None if self.root is None else self.root / ENGINES / point.key[:KEY_CHARS],
                progress=progress,
            )
        options = self.options(point)
        url = UrlOptions(point.engine, options["model"], options["api_key_env"], options["n_ctx"])
        return UrlEngine(url, progress=progress)

    def plan(self, point: SweepPoint, engine: Engine, out: Path) -> RunPlan:
        """Return the run of a point."""
        options = self.options(point)
        job = load_job(options.pop("task"), {**options, "out": out}, example=_EXAMPLE)
        return run_plan(job, job.task_set(several=False), rates_of(declared_rates(options)), engine, None)

    def _arguments(self, point: SweepPoint) -> list[str]:
        """Return the arguments of ``load``; raises `InputError` for settings of another command."""
        foreign = sorted(point.load.keys() - LOAD.names)
        if foreign:
            raise InputError(
                f"{', '.join(foreign)}: options of pipelines",
                why=f"{point.engine} is asked as by `joulemark load`, which has none of that name",
                fix="leave them out, or name a pipeline's engine: --engine diffusers",
            )
        task = point.load.get(TASK)
        return [*LOAD.arguments(point.load), *([] if task is None else [str(task)])]
