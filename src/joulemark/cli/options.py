"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from joulemark.record import ranges

if TYPE_CHECKING:
    from joulemark.rates.declared import DeclaredRates


class FiniteRange(click.FloatRange):
    """A number within a range; click's own takes NaN for one."""

    def _describe_range(self) -> str:
        """Return the range for a help text; click's own names a bound that is not there."""
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fails for NaN and infinities."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number", param, ctx)
        return number


Command = TypeVar("Command", bound=Callable[..., Any])

RATE_OPTIONS = (
    click.option(
        "--usd-per-kwh", type=FiniteRange(*ranges.USD_PER_KWH), help="Electricity's price, for dollars."
    ),
    click.option(
        "--tariff",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="A price by time of use (TOML: days, local times), or a series of prices (CSV, JSON).",
    ),
    click.option(
        "--price",
        metavar="IN,OUT|PROVIDER/MODEL",
        help="A hosted model's price: USD per million prompt and output tokens, or a name to look up.",
    ),
    click.option(
        "--gco2e-per-kwh", type=FiniteRange(*ranges.GCO2E_PER_KWH), help="The grid's intensity, for carbon."
    ),
    click.option(
        "--zone", metavar="FRA|DE|US-CA|…", help="The grid's zone, from a dated table: `joulemark grid`."
    ),
    click.option(
        "--grid-series",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Intensities that change with time: CSV or JSON with times, in g/kWh or kg/kWh.",
    ),
    click.option("--pue", type=FiniteRange(*ranges.PUE), help="What the building adds (default: 1)."),
    click.option(
        "--embodied-kg",
        type=FiniteRange(*ranges.EMBODIED_KGCO2E),
        help="CO2e that making the machine emitted, in kg.",
    ),
    click.option(
        "--lifetime-years",
        type=FiniteRange(*ranges.LIFETIME_YEARS, min_open=True),
        help="Years that the machine is in use, to share out --embodied-kg.",
    ),
)
"""What energy and tokens cost: no part of what is measured, and can be said again at `joulemark report`."""


def rate_options(command: Command) -> Command:
    """Give a command the options that say what energy and tokens cost."""
    for option in reversed(RATE_OPTIONS):
        command = option(command)
    return command


def lengths_options(command: Command) -> Command:
    """Give a command ``--lengths`` and ``--longest``: how made-up requests are spread about their means."""
    for option in (
        click.option(
            "--longest",
            type=click.IntRange(1, 10_000_000),
            metavar="TOKENS",
            help="Cut drawn prompts off at so many tokens.",
        ),
        click.option(
            "--lengths",
            type=click.Choice(["fixed", "drawn"]),
            default="fixed",
            show_default=True,
            help="drawn: Pareto (alpha 2.5) prompts and exponential answers of the means that are given.",
        ),
    ):
        command = option(command)
    return command


def meters_option(command: Command) -> Command:
    """Give a command ``--meter``: its ``meters`` are kinds and addresses, ``auto`` where none is named."""
    return click.option(
        "--meter",
        "meters",
        multiple=True,
        default=("auto",),
        show_default=True,
        metavar="auto|KIND|KIND:ADDRESS|none",
        help="Which meters to read; may stand more than once. docs/meters.md lists the kinds.",
    )(command)


def declared_rates(options: Mapping[str, Any]) -> DeclaredRates:
    """Return what the options of `rate_options` say of money and carbon."""
    from dataclasses import fields

    from joulemark.rates.declared import DeclaredRates

    said = {field.name: options[field.name] for field in fields(DeclaredRates) if field.name != "label"}
    return DeclaredRates(**said)
