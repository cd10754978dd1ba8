"""From the options of ``media`` to a run: batches asked of a diffusion pipeline, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from joulemark.cli.measuring import carry_out
from joulemark.engines.diffusion.on_this_machine import require_loadable
from joulemark.engines.diffusion.options import DiffusionOptions
from joulemark.load.shape import LoadShape
from joulemark.record.content import pictures
from joulemark.record.errors import InputError
from joulemark.runs.standing import Standing
from joulemark.tasks.media import in_batches, read_prompts
from joulemark.tasks.registry import load_task
from joulemark.tasks.task import TaskSet

_STANDING = Standing(False, "not ranked: pictures and videos are not graded")
# what only a language model is told, which the commands that measure look for
_WORDS: Mapping[str, Any] = {"temperature": None, "top_p": None, "engine_url": "diffusers", "concurrency": 1}


@dataclass(frozen=True, slots=True)
class MediaJob:
    """Batches of pictures or videos to measure; ``name`` tells it from the others of a command."""

    name: str
    made: DiffusionOptions
    options: Mapping[str, Any]
    suite: None = None
    prepare: None = None
    n_parallel: int = 1
    standing: Standing = _STANDING

    @property
    def shape(self) -> LoadShape:
        """One batch at a time: the batch is the load."""
        return LoadShape.closed(1)

    def task_set(self, *, several: bool) -> TaskSet:
        """Return the batches; raises `InputError`."""
        options, made = self.options, self.made
        batches = options["batches"]
        if options["prompts"] is not None:
            if options["data"] is not None:
                raise InputError("--prompts and --data both say what is asked", fix="leave one of them out")
            task = read_prompts(options["prompts"], made.kind)
        else:
            task = load_task(
                made.kind,
                data=options["data"],
                limit=batches * made.batch,
                revision=options["revision"],
                subset_key=options["subset_key"],
                for_media=True,
            )
        shown = all(pictures(question.messages[-1][1]) for question in task.questions)
        if made.kind == "image-to-video" and not shown:
            raise InputError(
                "image-to-video needs a picture with each prompt",
                why="--prompts has words only" if options["prompts"] else "some row has no image",
                fix='give --data FILE, whose rows are {"prompt": "…", "image": "pictures/1.png"}',
            )
        return in_batches(task, made.batch, batches)


def measure_media(pipeline: str, options: Mapping[str, Any]) -> int:
    """Measure a pipeline, once for each combination of what was given several values, and report it.

    Returns the exit code. Raises `InputError`.
    """
    jobs = media_jobs(pipeline, options)
    require_loadable(pipeline)
    return carry_out(jobs, [job.name for job in jobs], {**options, **_WORDS, "pipeline": pipeline})


def media_jobs(pipeline: str, options: Mapping[str, Any]) -> list[MediaJob]:
    """Return a job for each combination of batch, steps, size and frames; raises `InputError`."""
    axes = (options["sizes"], options["frames"] or (None,), options["steps"], options["batch"])
    combinations = list(product(*axes))
    return [
        _job(pipeline, options, *one, several=len(set(combinations)) > 1)
        for one in dict.fromkeys(combinations)
    ]


def _job(
    pipeline: str,
    options: Mapping[str, Any],
    size: tuple[int, int],
    frames: int | None,
    steps: int,
    batch: int,
    *,
    several: bool,
) -> MediaJob:
    width, height = size
    said = f"{width}x{height}{'' if frames is None else f'-{frames}-frames'}-{steps}-steps-batch-{batch}"
    save_to = options["save_to"]
    made = DiffusionOptions(
        pipeline=pipeline,
        kind=options["kind"],
        batch=batch,
        steps=steps,
        height=height,
        width=width,
        frames=frames,
        revision=options["pipeline_revision"],
        device=options["device"],
        dtype=options["dtype"],
        save_to=save_to / said if several and save_to is not None else save_to,
    )
    name = f"{made.kind}-{said}" if several else made.kind
    return MediaJob(name, made, {**options, **_WORDS, "diffusion": made})
