"""A grid: which settings are varied, which stay, and which pairs are left out."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.sweeps.axes import LAUNCH, PLACES, checked, require_known, user_axes
from joulemark.sweeps.expression import Expression, read_expression
from joulemark.sweeps.setting import Setting, setting_text

MAX_CELLS = 10_000
MAX_BYTES = 1 << 20
_COMPUTED = "="
_TABLES = ("grid", "axes", "base", "skip")

Base = Mapping[str, Setting | tuple[Setting, ...]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination: ``values`` by axis, ``settings`` with those of the base; ``skipped`` says why not."""

    values: Mapping[str, Setting]
    settings: Base
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Axes with their values in order, the base that all points share, and rules that skip.

    A text of the base that begins with ``=`` is an expression over the other settings. ``skip`` maps a
    reason to its condition. ``tasks`` are those that a built-in grid is meant for.
    """

    axes: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)
    base: Base = field(default_factory=dict)
    skip: Mapping[str, Expression] = field(default_factory=dict)
    title: str = ""
    tasks: tuple[str, ...] = ()

    def with_axis(self, name: str, values: tuple[Setting, ...]) -> Grid:
        """Return the grid with an axis added, or in the place of the one of that name."""
        base = {key: value for key, value in self.base.items() if key != name}
        return replace(self, axes={**self.axes, name: values}, base=base)

    def with_base(self, more: Base) -> Grid:
        """Return the grid with settings added to the base; one that is varied is varied no more."""
        axes = {key: values for key, values in self.axes.items() if key not in more}
        return replace(self, axes=axes, base={**self.base, **more})

    def with_skip(self, reason: str, condition: str) -> Grid:
        """Return the grid with a rule added; raises `InputError`."""
        return replace(self, skip={**self.skip, reason: read_expression(condition)})

    def require_sound(self, options: Collection[str]) -> None:
        """Raise `InputError` for settings that there are not, values of another type, and an empty grid.

        ``options`` are the names of the options of the commands that ask: ``load`` and ``media``.
        """
        if not self.axes:
            raise InputError("nothing is varied", fix="joulemark sweep --axis concurrency=1,2,4,8 …")
        require_known(self.axes, options, "an axis")
        require_known(self.base, options, "in the base")
        for name, values in self.axes.items():
            if not values:
                raise InputError(f"the axis {name} has no values")
            if len(set(map(repr, values))) < len(values):
                raise InputError(f"the axis {name} has a value twice")
        both = sorted(self.axes.keys() & self.base.keys())
        if both:
            raise InputError(f"{both[0]} is an axis and in the base", fix="leave it out of one of them")
        n = math.prod(len(values) for values in self.axes.values())
        if n > MAX_CELLS:
            raise InputError(f"the grid has {n:,} points", why=f"more than {MAX_CELLS:,} are not taken")
        known = frozenset({*self.axes, *self.base, *LAUNCH, *PLACES, *options, *user_axes()})
        for rule in self.skip.values():
            rule.require_names(known)
        for value in self.base.values():
            if (expression := _computed(value)) is not None:
                expression.require_names(known)

    def cells(self) -> Iterator[Cell]:
        """Yield every combination, the last axis fastest; raises `InputError` for what no point could be."""
        names = list(self.axes)
        for combination in itertools.product(*self.axes.values()):
            values = {name: checked(name, one) for name, one in zip(names, combination, strict=True)}
            yield self._cell(values)

    def _cell(self, values: Mapping[str, Setting]) -> Cell:
        given: dict[str, Setting | tuple[Setting, ...]] = {"engine": "embedded", **self.base, **values}
        engine = given["engine"]
        skipped = ""
        for name in [name for name in given if name in user_axes()]:
            value = given.pop(name)
            try:
                more = user_axes()[name](value, str(engine))  # type: ignore[arg-type]
            except InputError as error:
                skipped = skipped or f"{error.what}: {error.why}".rstrip(": ")
                continue
            doubled = sorted(more.keys() & given.keys())
            if doubled:
                raise InputError(f"the axis {name} sets {doubled[0]}, which the grid sets too")
            given.update(more)
        plain = {name: value for name, value in given.items() if not isinstance(value, tuple)}
        told = {**plain, **values}
        for name, value in plain.items():
            if (expression := _computed(value)) is not None:
                others = {k: v for k, v in told.items() if _computed(v) is None}
                given[name] = told[name] = _whole(expression.value(others))
            else:
                given[name] = checked(name, value)
        for reason, rule in self.skip.items():
            if not skipped and rule.holds(told):
                skipped = reason
        return Cell(values, given, skipped)


def read_grid(path: Path) -> Grid:
    """Return the grid of a TOML file; raises `InputError`."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is no grid", why=f"it has over {MAX_BYTES >> 20} MiB")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"the grid {path} cannot be read", why=why or str(error)) from error
    return parse_grid(text, str(path))


def parse_grid(text: str, where: str) -> Grid:
    """Return the grid that a text describes; raises `InputError`."""
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{where} is no TOML", why=str(error) or "it is nested too deeply") from error
    unknown = sorted(tables.keys() - set(_TABLES))
    if unknown:
        raise InputError(
            f"{where} has a table [{unknown[0]}]", why=f"a grid has {', '.join(f'[{t}]' for t in _TABLES)}"
        )
    about, axes, base, skip = (_table(tables, name, where) for name in _TABLES)
    rules = {}
    for reason, condition in skip.items():
        if not isinstance(condition, str):
            raise InputError(f"the rule {reason!r} of {where} is no text", fix='reason = "a condition"')
        rules[reason.replace("_", " ")] = read_expression(condition)
    return Grid(
        {name: _values(name, values, where) for name, values in axes.items()},
        {name: _setting(name, value, where) for name, value in _flat(base).items()},
        rules,
        str(about.get("title", "")),
        tuple(map(str, tasks)) if isinstance(tasks := about.get("tasks"), list) else (),
    )


def cell_text(values: Mapping[str, Setting]) -> str:
    """Return a combination in words."""
    return ", ".join(f"{name.replace('_', ' ')} {setting_text(value)}" for name, value in values.items())


def _table(tables: Mapping[str, object], name: str, where: str) -> Mapping[str, object]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{name} of {where} is no table", fix=f"write it as [{name}]")
    return _flat(table) if name == "axes" else table


def _flat(table: Mapping[str, object]) -> dict[str, object]:
    """Return ``flags = {a = 1}`` as ``flags.a = 1``."""
    found: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found.update({f"{name}.{inner}": one for inner, one in value.items()})
        else:
            found[name] = value
    return found


def _values(name: str, values: object, where: str) -> tuple[Setting, ...]:
    if not isinstance(values, list):
        raise InputError(f"the axis {name} of {where} is no list", fix=f"{name} = [1, 2, 4]")
    return tuple(_scalar(name, value, where) for value in values)


def _setting(name: str, value: object, where: str) -> Setting | tuple[Setting, ...]:
    if isinstance(value, list):
        return tuple(_scalar(name, one, where) for one in value)
    return _scalar(name, value, where)


def _scalar(name: str, value: object, where: str) -> Setting:
    if isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise InputError(f"{name} of {where} holds {value!r}", why="values are numbers, texts, true and false")


def _computed(value: object) -> Expression | None:
    if isinstance(value, str) and value.startswith(_COMPUTED):
        return read_expression(value.removeprefix(_COMPUTED))
    return None


def _whole(value: object) -> Setting:
    """Return what an expression gave; options that count take no 60.0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InputError(f"an expression of the base gives {value!r}", why="a number or a text was wanted")
