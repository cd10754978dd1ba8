"""The grid that a ``sweep`` command means: a file's or a built-in one, with what its options add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from joulemark.cli.engine_choice import AUTO, with_found_engine
from joulemark.cli.sweep_options import TASK, split_arguments
from joulemark.engines.diffusion.options import KINDS as MEDIA_KINDS
from joulemark.engines.launch.registry import DIFFUSERS
from joulemark.record.errors import InputError
from joulemark.sweeps.axes import LAUNCH, PLACES
from joulemark.sweeps.default_grids import default_grids, grid_for
from joulemark.sweeps.grid import Grid, read_grid
from joulemark.sweeps.setting import Setting, typed


def grid_of(arguments: Sequence[str], options: Mapping[str, Any]) -> Grid:
    """Return the grid that a command means: a file's or a built-in one, with what the options add."""
    words, base = split_arguments(arguments)
    named, task = _grid_and_task(words)
    axes = [_pair(text, "--axis", "concurrency=1,2,4,8") for text in options["axes"]]
    if named is not None and axes and words == [task]:
        # a word that names a task and its grid: the axes that are given are all that is varied
        grid = replace(named, axes={})
    elif named is not None:
        grid = named
    elif axes:
        grid = Grid()
    else:
        name = grid_for(task)
        click.echo(f"· the grid {name} (its axes and rules: docs/sweeps.md)", err=True)
        grid = default_grids()[name]
    if task is not None:
        base[TASK] = task
    for text in options["given"]:
        name, value = _pair(text, "--set", "tensor_parallel=2")
        base[name] = _typed(name, value)
    if named is not None and grid.tasks and not _asked(grid, base, axes):
        base[TASK] = grid.tasks[0]
        click.echo(f"· the task {grid.tasks[0]}, which is that of this grid", err=True)
    if base.get("engine", grid.base.get("engine")) == AUTO:
        base["engine"] = str(with_found_engine({"engine_url": AUTO})["engine_url"])
    known = {**grid.base, **base}
    if known.get(TASK) in MEDIA_KINDS and "engine" not in {*known, *grid.axes}:
        base["engine"] = DIFFUSERS  # nothing else makes pictures
    grid = grid.with_base(base)
    for name, values in axes:
        grid = grid.with_axis(name, tuple(_typed(name, value) for value in values.split(",")))
    for condition in options["rules"]:
        grid = grid.with_skip(condition, condition)
    return grid


def _asked(grid: Grid, base: Mapping[str, object], axes: Sequence[tuple[str, str]]) -> bool:
    """Tell whether anything says what is asked."""
    return not {TASK, "synthetic", "trace"}.isdisjoint({*grid.base, *grid.axes, *base, *(n for n, _ in axes)})


def _grid_and_task(words: Sequence[str]) -> tuple[Grid | None, str | None]:
    """Tell a grid's word from a task's: a built-in grid's name, or a TOML file with axes.

    Where there is one word and it names a grid that is meant for the task of that name, it is both.
    """
    grid: Grid | None = None
    tasks: list[str] = []
    for word in words:
        if grid is None and not tasks and word in default_grids():
            grid = default_grids()[word]
        elif grid is None and word.endswith(".toml") and _has_axes(Path(word)):
            grid = read_grid(Path(word))
        else:
            tasks.append(word)
    if len(tasks) > 1:
        raise InputError(
            f"{' and '.join(tasks)} are two tasks", fix="one sweep asks one; or vary it: --axis task=a,b"
        )
    if grid is not None and not tasks:
        tasks = [word for word in words if word in grid.tasks]
    return grid, tasks[0] if tasks else None


def _has_axes(path: Path) -> bool:
    """Tell a grid's file from a task's, which has no table of axes."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return True  # the error is told by whoever reads the grid
    return any(line.strip().startswith(("[axes", "axes.")) for line in lines)


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise InputError(f"{option} {text!r} cannot be read", fix=f"{option} {example}")
    return name.strip().replace("-", "_") if "." not in name else name.strip(), value.strip()


def _typed(name: str, text: str) -> Setting:
    known = LAUNCH.get(name) or PLACES.get(name)
    return text.strip() if known is str else typed(text.strip())
