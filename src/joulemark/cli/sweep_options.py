"""The options of ``load`` as settings of a grid, and back again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import click

from joulemark.cli.load import load
from joulemark.record.errors import InputError
from joulemark.sweeps.grid import Base
from joulemark.sweeps.setting import Setting

TASK = "task"
_NOT_OF_A_POINT = {
    "out": "a sweep has one directory: --out DIR of sweep itself",
    "runs_dir": "a sweep has one directory: --out DIR",
    "json": "give it to sweep itself",
    "slots": "max_batch is its name in a sweep: --axis max_batch=8",
}


class BadOption(InputError):
    """A value that an option cannot have, at whatever point."""


@cache
def load_parameters() -> Mapping[str, click.Option]:
    """Return the options of ``load`` by their names in a grid: ``--max-tokens`` is ``max_tokens``."""
    found = {}
    for parameter in load.params:
        if isinstance(parameter, click.Option):
            longest = max(parameter.opts, key=len)
            found[longest.removeprefix("--").replace("-", "_")] = parameter
    return MappingProxyType({name: one for name, one in found.items() if name not in _NOT_OF_A_POINT})


def load_names() -> frozenset[str]:
    """Return all names that stand for an option of ``load``, and ``task``."""
    return frozenset({TASK, *load_parameters()})


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], dict[str, Setting | tuple[Setting, ...]]]:
    """Return the words and the options among arguments that are ``load``'s.

    Raises click's errors for options that there are not, and `InputError` for those of no point.
    """
    # without load's own argument: a grid and a task may stand here
    optional = click.Command("sweep", params=[one for one in load.params if isinstance(one, click.Option)])
    context = click.Context(optional, info_name="joulemark sweep")
    options, words, _ = optional.make_parser(context).parse_args(list(arguments))
    names = {parameter.name: name for name, parameter in load_parameters().items()}
    base: dict[str, Setting | tuple[Setting, ...]] = {}
    for key, raw in options.items():
        if key not in names:
            shown = key if key in _NOT_OF_A_POINT else key.removeprefix("as_")
            raise InputError(
                f"--{shown.replace('_', '-')} is no option of a sweep",
                why=_NOT_OF_A_POINT.get(shown, "each point has its own"),
            )
        parameter = load_parameters()[names[key]]
        read = [_read(parameter, one) for one in raw] if isinstance(raw, list) else _read(parameter, raw)
        base[names[key]] = tuple(read) if isinstance(read, list) else read
    return [str(word) for word in words], base


def load_arguments(settings: Base) -> list[str]:
    """Return the arguments of ``joulemark load`` that say these settings."""
    arguments: list[str] = []
    for name, value in settings.items():
        if name == TASK or value is None:
            continue
        parameter = load_parameters()[name]
        option = max(parameter.opts, key=len)
        if parameter.is_flag:
            arguments += [option] if value else []
            continue
        for one in value if isinstance(value, tuple) else (value,):
            arguments += [option, _written(one)]
    task = settings.get(TASK)
    return [*arguments, str(task)] if task is not None else arguments


def read_load(arguments: Sequence[str]) -> dict[str, Any]:
    """Return the options as ``load`` has them, its task among them; raises `BadOption`."""
    try:
        context = load.make_context("load", list(arguments))
    except click.UsageError as error:
        raise BadOption(error.format_message(), why=" ".join(arguments)) from error
    return dict(context.params)


def _read(parameter: click.Option, raw: Any) -> Setting:
    """Return a word as the option's own kind of number, else as it is."""
    if isinstance(raw, bool):
        return raw
    text = str(raw)
    kinds = {click.types.IntParamType: int, click.types.FloatParamType: float}
    for kind, convert in kinds.items():
        if isinstance(parameter.type, kind):
            try:
                number: Setting = convert(text)
            except ValueError:
                return text  # told when the load is read
            return number
    return text


def _written(value: Setting) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)
