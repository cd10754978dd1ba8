"""What tells a run's configuration from others: its axes, its other flags, and the questions it was asked."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from joulemark.metrics.setup import Setting
from joulemark.record.axis import AXES
from joulemark.record.identity import config_hash

if TYPE_CHECKING:
    from joulemark.record.manifest import Manifest, Task

_LOAD = ("concurrency", "arrival", "rate", "burstiness", "trace", "trace_speed")
_LAUNCH_LINE = "launch"
_TOLD = frozenset(name for axis in AXES for name in (axis.name, *axis.engines))
_DIGITS = 12
_ALIKE_WHATEVER_THEIR_NUMBER = ("made up", "trace:")  # how `Task.source` of made-up requests begins


def point_settings(manifest: Manifest) -> dict[str, Setting]:
    """Return the axes of a run: those of its engine that are known, and its load."""
    engine, load = manifest.engine, manifest.load
    known: dict[str, Setting] = {**engine.flags}
    if engine.prefix_cache is not None:
        known["prefix_cache"] = engine.prefix_cache
    if engine.quantization is not None:
        known["quantization"] = engine.quantization
    found: dict[str, Setting] = {axis.name: value for axis in AXES if (value := axis.of(known)) is not None}
    if load.mode != "sequential":
        found["load"] = load.mode
        for name in _LOAD:
            value = getattr(load, name)
            if value is not None:
                found[name] = value
    return found


def point_flags(manifest: Manifest) -> dict[str, Setting]:
    """Return what else was set, as it is: the engine's flags, kind and version, and how answers are drawn.

    Of an engine that was started by us the arguments of its command line take the place of the line.
    """
    engine, sampling = manifest.engine, manifest.sampling
    found: dict[str, Setting] = {"engine": engine.kind}
    if engine.version is not None:
        found["engine_version"] = engine.version
    limits = {board.power_limit_w for board in manifest.devices if board.engine_on_device}
    if len(limits) == 1 and None not in limits:
        found["power_limit_w"] = limits.pop()
    line = engine.flags.get(_LAUNCH_LINE)
    if isinstance(line, str):
        found.update(_arguments(line))
    found |= {n: v for n, v in engine.flags.items() if v is not None and n not in _TOLD and n != _LAUNCH_LINE}
    for name in ("temperature", "top_p", "max_tokens"):
        found[name] = getattr(sampling, name)
    return found


def point_task(task: Task) -> str:
    """Return the task with what makes it other questions: a preset of its own, a subset."""
    preset = "" if task.preset == "default" else f":{task.preset}"
    return f"{task.name}{preset}" + (f" (subset {task.subset_key})" if task.subset_key else "")


def questions_digest(task: Task, *, in_batches: bool = False) -> str:
    """Return a short digest of what was asked, in which runs of one ranking agree.

    Of made-up and of recorded requests that is how they are made (lengths and seed, or the trace), for their
    number is the load's. Else it is all that says which questions there are and how they are put.
    """
    asked: dict[str, object] = {"name": task.name, "preset": task.preset, "template": task.template_hash}
    if in_batches:
        asked |= {name: getattr(task, name) for name in ("revision", "split", "subset_key")}
    elif not (task.source or "").startswith(_ALIKE_WHATEVER_THEIR_NUMBER):
        asked |= {
            name: getattr(task, name)
            for name in ("revision", "items_hash", "budget_hash", "n_shot", "split", "subset_key")
        }
    else:
        asked["source"] = task.source
    return config_hash(asked)[:_DIGITS]


def _arguments(line: str) -> dict[str, Setting]:
    """Return the options of a command line by name; of several servers the values that differ, in a row."""
    try:
        words = shlex.split(line)
    except ValueError:
        return {_LAUNCH_LINE: line}
    found: dict[str, list[str]] = {}
    for word, following in zip(words, [*words[1:], "--"], strict=True):
        if not word.startswith("--") or word == "--":
            continue
        name, given, value = word.lstrip("-").partition("=")
        if not given:
            value = "on" if following.startswith("--") or following == "&" else following
        name = name.replace("-", "_")
        if name not in _TOLD and value not in found.setdefault(name, []):
            found[name].append(value)
    return {name: " / ".join(values) for name, values in found.items()}
