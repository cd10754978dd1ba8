"""The grids that come with the program, one for a kind of task."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from joulemark.sweeps.grid import Grid, parse_grid

_SUFFIX = ".toml"
USUAL = "chat"


@cache
def default_grids() -> Mapping[str, Grid]:
    """Return the built-in grids by name."""
    folder = resources.files("joulemark.sweeps").joinpath("grids")
    files = {f.name: f.read_text(encoding="utf-8") for f in folder.iterdir() if f.name.endswith(_SUFFIX)}
    return MappingProxyType(
        {name.removesuffix(_SUFFIX): parse_grid(text, name) for name, text in sorted(files.items())}
    )


def grid_for(task: str | None) -> str:
    """Return the name of the grid that is meant for a task; for others that of chat."""
    return next((name for name, grid in default_grids().items() if task in grid.tasks), USUAL)
