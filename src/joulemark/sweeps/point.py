"""The points of a sweep, before they are measured: their names, their order and what they need."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.engines.launch.devices import devices_named
from joulemark.engines.launch.diffusers import OF_A_BATCH
from joulemark.engines.launch.launched import LaunchOptions
from joulemark.engines.launch.registry import DIFFUSERS, EMBEDDED, KINDS, command_lines
from joulemark.engines.launch.settings import CannotLaunch, LaunchSettings
from joulemark.record.errors import InputError
from joulemark.record.identity import config_hash
from joulemark.sweeps.axes import FLAG, LAUNCH, LOADS
from joulemark.sweeps.grid import Base, Cell
from joulemark.sweeps.setting import Setting, setting_text

_NAME_CHARS = 60
_HASH_CHARS = 10
_URL = ("http://", "https://")
_URL_OPTIONS = ("model", "n_ctx")  # which an engine that runs already is asked for
_OF_A_PIPELINE = ("task", "device", "dtype", "pipeline_revision")  # options that it is loaded with


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One combination of a grid.

    ``engine`` is a kind that is started here, or the URL of one that runs. ``load`` are the options of
    ``joulemark load`` (of a pipeline: ``joulemark media``) by name, with those of the base. ``skipped`` says
    why it is not measured; then ``name`` may be that of no directory. ``lines`` start the engine. ``key`` is
    equal for points that one running engine can serve.
    """

    name: str
    values: Mapping[str, Setting]
    engine: str
    launch: LaunchSettings
    load: Base
    power_limit_w: float | None
    key: str
    lines: tuple[str, ...] = ()
    skipped: str = ""

    @property
    def is_started(self) -> bool:
        """Whether its engine is started here."""
        return self.engine in KINDS

    def chain(self) -> str:
        """Return what it has in common with the points that differ from it in the load alone."""
        rest = {name: value for name, value in self.values.items() if name not in LOADS}
        return config_hash({"rest": {name: repr(value) for name, value in rest.items()}})

    @property
    def level(self) -> tuple[str, float] | None:
        """The axis of the load and how large it is; null where the load does not vary."""
        for name in LOADS:
            value = self.values.get(name)
            if isinstance(value, int | float):
                return name, float(value)
        return None


def make_point(cell: Cell, options: LaunchOptions, *, slots: int | None = None) -> SweepPoint:
    """Return the point of a cell, not named yet; what cannot be is skipped with the reason.

    ``slots``: how many requests the embedded engine works on at once where ``max_batch`` is not given.
    Raises `InputError` for what no engine can be.
    """
    settings = dict(cell.settings)
    engine = str(settings.pop("engine"))
    if engine not in KINDS and not engine.startswith(_URL):
        raise InputError(
            f"there is no engine {engine!r}",
            why=f"there are {', '.join(KINDS)}",
            fix="name one of them, or the URL of one that runs",
        )
    gpu, power = settings.pop("gpu", None), settings.pop("power_limit_w", None)
    flags = {n.removeprefix(FLAG): v for n, v in settings.items() if n.startswith(FLAG)}
    chosen = {name: settings[name] for name in LAUNCH if settings.get(name) is not None}
    load = {n: v for n, v in settings.items() if n not in LAUNCH and not n.startswith(FLAG)}
    skipped, launch = cell.skipped, LaunchSettings()
    lines: tuple[str, ...] = ()
    if engine in KINDS:
        if engine == EMBEDDED and slots is not None:
            chosen.setdefault("max_batch", slots)
        try:
            devices = devices_named(str(gpu)) if gpu is not None else ()
            launch = LaunchSettings(**chosen, flags=flags, devices=devices)  # type: ignore[arg-type]
            lines = tuple(command_lines(engine, launch, options))
        except CannotLaunch as error:
            skipped = skipped or _sentence(error)
    else:
        load.update({name: value for name, value in chosen.items() if name in _URL_OPTIONS})
        foreign = [*(name for name in chosen if name not in _URL_OPTIONS), *map(FLAG.__add__, flags)]
        foreign += ["gpu"] if gpu is not None else []
        if foreign:
            skipped = skipped or f"{', '.join(foreign)}: the engine at a URL was started by somebody else"
    key = config_hash(
        {
            "engine": engine,
            "launch": {**_kept_settings(engine, launch), "model": launch.model},
            "flags": {name: repr(value) for name, value in launch.flags.items()},
            "devices": list(launch.devices),
            "gpu": gpu,
            "program": options.program,
            "router": options.router,
            # an engine at a URL serves whatever model it is asked for
            "url": [load.get(name) for name in _URL_OPTIONS] if engine not in KINDS else None,
            "threads": load.get("threads"),
            **({"pipeline": [load.get(name) for name in _OF_A_PIPELINE]} if engine == DIFFUSERS else {}),
        }
    )
    watts = None if power is None else float(power)  # type: ignore[arg-type]
    return SweepPoint("", cell.values, engine, launch, load, watts, key, lines, skipped)


def _kept_settings(engine: str, launch: LaunchSettings) -> dict[str, object]:
    """Return the settings that an engine has from its start to its end."""
    told_later = OF_A_BATCH if engine == DIFFUSERS else ()
    return {name: value for name, value in launch.asked.items() if name not in told_later}


def point_name(values: Mapping[str, Setting], identity: Mapping[str, object]) -> str:
    """Return a directory name that says the values and is of this ``identity`` alone."""
    words = "_".join(f"{name}-{setting_text(value)}" for name, value in values.items())
    said = re.sub(r"[^A-Za-z0-9._-]+", "-", words).strip("-._")[:_NAME_CHARS] or "point"
    return f"{said}-{config_hash(identity)[:_HASH_CHARS]}"


def in_order(points: Sequence[SweepPoint]) -> list[SweepPoint]:
    """Return the points so that an engine is started as seldom as can be, and the load rises.

    Points of one engine stand together, of these those of one power limit, and of these one chain after the
    other, in the grid's own order otherwise.
    """
    keys = _first_places([point.key for point in points])
    limits = _first_places([point.power_limit_w for point in points])
    chains = _first_places([point.chain() for point in points])
    return sorted(
        points,
        key=lambda p: (
            keys[p.key],
            limits[p.power_limit_w],
            chains[p.chain()],
            p.level[1] if p.level else 0.0,
        ),
    )


def _first_places(found: Sequence[object]) -> dict[object, int]:
    return {value: place for place, value in enumerate(dict.fromkeys(found))}


def _sentence(error: InputError) -> str:
    return f"{error.what}: {error.why}" if error.why else error.what
