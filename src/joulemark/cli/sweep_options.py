"""The options of the commands that ask (``load``, ``media``) as settings of a grid, and back again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from joulemark.cli.load import load
from joulemark.cli.media import media
from joulemark.record.errors import InputError
from joulemark.sweeps.grid import Base
from joulemark.sweeps.setting import BadOption, Setting

TASK = "task"
_OF_THE_SWEEP = {
    "out": "a sweep has one directory: --out DIR of sweep itself",
    "runs_dir": "a sweep has one directory: --out DIR",
    "json": "give it to sweep itself",
}


class CommandOptions:
    """The options of a command that asks, by their names in a grid: ``--max-tokens`` is ``max_tokens``.

    ``refused`` are those that no point has, with what stands in their place.
    """

    def __init__(self, command: click.Command, refused: Mapping[str, str]) -> None:
        self.command = command
        self.refused = MappingProxyType({**_OF_THE_SWEEP, **refused})
        self.of_command = MappingProxyType(
            {grid_name(one): one for one in command.params if isinstance(one, click.Option)}
        )
        self.parameters = MappingProxyType(
            {name: one for name, one in self.of_command.items() if name not in self.refused}
        )

    @property
    def names(self) -> frozenset[str]:
        """All names that stand for an option of a point, and ``task``."""
        return frozenset({TASK, *self.parameters})

    def arguments(self, settings: Base) -> list[str]:
        """Return the arguments of the command that say these settings, all but the task."""
        arguments: list[str] = []
        for name, value in settings.items():
            if name == TASK or value is None:
                continue
            parameter = self.parameters[name]
            option = max(parameter.opts, key=len)
            if parameter.is_flag:
                arguments += [option] if value else []
                continue
            for one in value if isinstance(value, tuple) else (value,):
                arguments += [option, _written(one)]
        return arguments

    def read(self, arguments: Sequence[str]) -> dict[str, Any]:
        """Return the parameters as the command has them; raises `BadOption`."""
        try:
            context = self.command.make_context(str(self.command.name), list(arguments))
        except click.UsageError as error:
            raise BadOption(error.format_message(), why=" ".join(arguments)) from error
        return dict(context.params)


def grid_name(option: click.Option) -> str:
    """Return the name of an option in a grid."""
    return max(option.opts, key=len).removeprefix("--").replace("-", "_")


LOAD = CommandOptions(load, {"slots": "max_batch is its name in a sweep: --axis max_batch=8"})
"""How an engine that answers in words is asked."""
MEDIA = CommandOptions(
    media,
    {
        "kind": "it is the task: joulemark sweep text-to-image",
        "batch": "max_batch is its name in a sweep: --axis max_batch=1,2,4",
        "steps": "denoising_steps is its name in a sweep: --axis denoising_steps=10,20,30",
        "size": "a size is height and width in a sweep: --axis height=512,1024 --set width==height",
        "frames": "it is a setting of the grid: --set frames=49",
        "save": "a sweep keeps nothing that was made; the line of a point alone (--dry-run) takes it",
    },
)
"""How a pipeline is asked."""
_BOTH = (LOAD, MEDIA)


def setting_names() -> frozenset[str]:
    """Return all names that stand for an option of a point, whichever engine it has."""
    return frozenset().union(*(one.names for one in _BOTH))


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], dict[str, Setting | tuple[Setting, ...]]]:
    """Return the words and the options among arguments that are those of the commands that ask.

    Raises click's errors for options that there are not, and `InputError` for those of no point.
    """
    # an option that both have means the same in both
    options = {**MEDIA.of_command, **LOAD.of_command}
    # without the commands' own arguments: a grid and a task may stand here
    optional = click.Command("sweep", params=list(options.values()))
    context = click.Context(optional, info_name="joulemark sweep")
    given, words, _ = optional.make_parser(context).parse_args(list(arguments))
    names = {one.name: name for name, one in options.items()}
    base: dict[str, Setting | tuple[Setting, ...]] = {}
    for key, raw in given.items():
        name = names[key]
        if why := {**MEDIA.refused, **LOAD.refused}.get(name):
            raise InputError(f"--{name.replace('_', '-')} is no option of a sweep", why=why)
        parameter = options[name]
        read = [_read(parameter, one) for one in raw] if isinstance(raw, list) else _read(parameter, raw)
        base[name] = tuple(read) if isinstance(read, list) else read
    return [str(word) for word in words], base


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
                return text  # told when the options are read
            return number
    return text


def _written(value: Setting) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)
