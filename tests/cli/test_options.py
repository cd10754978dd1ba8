"""Options that several commands share are the same in each of them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import click
import pytest

from joulemark.cli.bench import quick, run
from joulemark.cli.calibrate import calibrate
from joulemark.cli.doctor import doctor
from joulemark.cli.export import prometheus
from joulemark.cli.options import declared_rates, meters_option, rate_options
from joulemark.cli.record import record
from joulemark.cli.report import report
from joulemark.cli.watch import watch
from joulemark.rates.declared import DeclaredRates

METERED = (quick, run, doctor, record, watch, prometheus, calibrate)
RATED = (quick, run, record, calibrate, report)


@pytest.mark.parametrize("command", METERED, ids=lambda command: command.name)
def test_meter_means_the_same_everywhere(command: click.Command) -> None:
    @click.command()
    @meters_option
    def alone() -> None: ...

    (ours,) = alone.params
    (theirs,) = (option for option in command.params if "--meter" in option.opts)
    assert theirs.to_info_dict() == ours.to_info_dict()


def test_auto_is_what_is_read_unless_meters_are_named() -> None:
    @click.command()
    @meters_option
    def shown(meters: tuple[str, ...]) -> tuple[str, ...]:
        return meters

    assert shown.main([], standalone_mode=False) == ("auto",)
    named = ["--meter", "nvml", "--meter", "rapl"]
    assert shown.main(named, standalone_mode=False) == ("nvml", "rapl")


@pytest.mark.parametrize("command", RATED, ids=lambda command: command.name)
def test_every_word_on_rates_has_its_option(command: click.Command) -> None:
    names = {option.name for option in command.params}
    assert {field.name for field in fields(DeclaredRates)} - names == {"label"}


def test_the_options_become_what_is_declared() -> None:
    @click.command()
    @rate_options
    def shown(**options: object) -> DeclaredRates:
        return declared_rates({**options, "other": 1})

    assert shown.main([], standalone_mode=False) == DeclaredRates()
    said = ["--zone", "FRA", "--tariff", "house.toml", "--pue", "1.2", "--lifetime-years", "4"]
    assert shown.main(said, standalone_mode=False) == DeclaredRates(
        zone="FRA", tariff=Path("house.toml"), pue=1.2, lifetime_years=4.0
    )
