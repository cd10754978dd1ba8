"""What a run will do, decided before it starts."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from joulemark.engines.engine import Engine
from joulemark.load.shape import LoadShape
from joulemark.record.identity import config_hash, text_hash
from joulemark.record.manifest import Engine as EngineFacts
from joulemark.record.manifest import Rates, Sampling, Task
from joulemark.runs.stop import StopRule
from joulemark.tasks.task import Question, TaskSet

DEFAULT_RUNS = Path("joulemark-runs")


def items_hash(questions: Sequence[Question]) -> str:
    """Return the digest of what is asked: ids, kinds, golds, options and pictures, in asking order."""
    return config_hash(
        {"items": [[q.item_id, q.kind, q.gold, list(q.options), *q.picture_digests] for q in questions]}
    )


@dataclass(frozen=True)
class RunPlan:
    """One run: a task asked of an engine under the meters.

    ``load``: how the questions are asked; where it says how many requests there are, ``repeats`` does not
    count. ``prepare``: makes the task anew once the engine runs, null to ask ``task`` as it is.

    ``out``: the run directory, or null to derive one below ``runs_dir`` from the configuration; ``known``: a
    run of an earlier life of the same command, gone on with (or found whole) where its configuration is this.
    ``meters``: ``auto``, ``none`` or a list of kinds, as `joulemark.meters.discovery.discover` takes them.
    ``engine_pid``: what the user declares to be the engine's process, null to find it. ``boards``: indices of
    the boards that the user declares to run the engine, for drivers that do not list processes. ``suite``,
    ``may_rank`` and ``standing`` are kept for the reader; ``rates`` price the run, and may be others later;
    ``limits_s`` is how long a request may take, for the figures alone. ``stop`` may end the asking early.
    """

    task: TaskSet
    engine: Engine
    sampling: Sampling
    repeats: int = 1
    load: LoadShape = field(default_factory=LoadShape)
    warmups: int = 1
    retries: int = 2
    timeout_s: float = 600.0
    out: Path | None = None
    known: Path | None = None
    runs_dir: Path = DEFAULT_RUNS
    meters: tuple[str, ...] = ("auto",)
    engine_pid: int | None = None
    boards: tuple[int, ...] = ()
    temperature_limit_c: float | None = None
    stop: StopRule | None = None
    suite: str | None = None
    may_rank: bool = False
    standing: str = ""
    rates: Rates = field(default_factory=Rates)
    limits_s: Mapping[str, float] = field(default_factory=dict)
    prepare: Callable[[Engine], Awaitable[TaskSet]] | None = None

    @property
    def rounds(self) -> int:
        """How often every question is asked; with a number of requests, the last time perhaps not each."""
        n_requests = self.load.n_requests
        return self.repeats if n_requests is None else -(-n_requests // len(self.task.questions))

    @property
    def n_wanted(self) -> int:
        """The number of answers that are wanted in all."""
        return self.load.n_requests or self.rounds * len(self.task.questions)

    @cached_property
    def task_facts(self) -> Task:
        """The task as the manifest names it, looked through once: a trace has thousands of questions."""
        task = self.task
        return Task(
            name=task.name,
            revision=task.revision,
            items_hash=items_hash(task.questions),
            source=task.source,
            preset=task.preset,
            score_range=task.score_range,
            split=task.split,
            n_items=len(task.questions),
            n_shot=task.n_shot,
            template_hash=text_hash(task.template),
            subset_key=task.subset_key,
            nonce=task.nonce,
            budget_hash=config_hash({"budgets": [question.max_tokens for question in task.questions]}),
            is_canary=task.is_canary,
            is_listed=task.is_listed,
            n_whole=task.n_whole,
        )

    def config_hash(self, engine: EngineFacts) -> str:
        """Return the identity of what is measured; repeats and places are no part of it."""
        return config_hash(
            {
                "engine": engine.model_dump(
                    include={
                        "kind",
                        "version",
                        "model",
                        "model_digest",
                        "quantization",
                        "flags",
                        "prefix_cache",
                    }
                ),
                # digests stand for these
                "task": self.task_facts.model_dump(exclude={"source", "is_listed", "n_whole"}),
                "sampling": self.sampling.model_dump(),
                "load": self.load.facts.model_dump(),
                "warmups": self.warmups,
                "retries": self.retries,
                "timeout_s": self.timeout_s,
            }
        )

    def directory_stem(self, engine: EngineFacts) -> str:
        """Return a directory name that says task, model and configuration."""
        model = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(engine.model).name).strip("-.") or "model"
        return f"{self.task.name}-{model[:60]}-{self.config_hash(engine)[:8]}"
