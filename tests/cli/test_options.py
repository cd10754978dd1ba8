"""Options that several commands share are the same in each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click
import pytest

from joulemark.cli.__main__ import cli, main
from joulemark.cli.bench import quick, run
from joulemark.cli.calibrate import calibrate
from joulemark.cli.doctor import doctor
from joulemark.cli.export import prometheus
from joulemark.cli.options import FiniteRange, declared_rates, meters_option, rate_options
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


def every_command(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from every_command(inner, click.Context(inner, info_name=name, parent=context))


def test_no_help_text_shows_what_is_no_word_for_a_user() -> None:
    root = click.Context(cli, info_name="joulemark", max_content_width=110)
    seen = 0
    for command in every_command(cli, root):
        text = command.get_help(click.Context(command, info_name=command.name, parent=root))
        assert not re.search(r"\bNone\b|\binf\b|\bnan\b|<function|<joulemark|PosixPath|Sentinel", text), text
        seen += 1
    assert seen > 20


def test_a_range_is_still_shown_where_there_is_one() -> None:
    assert "[0<=x<=2]" in run.get_help(click.Context(run))
    assert FiniteRange()._describe_range() == ""


@pytest.mark.parametrize(
    ("word", "told"), [("benhc", "Did you mean 'bench'?"), ("rusn", "'runs'"), ("zzzz", "No such command")]
)
def test_a_misspelled_command_is_told_with_what_was_meant(
    word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([word])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert told in said
    assert ("Did you mean" in said) == (word != "zzzz")


@pytest.mark.parametrize(
    "arguments", [("pick",), ("pick", "x", "--prompt-tokens", "abc"), ("import",), ("import", "mlenergy")]
)
def test_what_is_missing_or_misspelt_is_told_with_a_fix(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert f"fix: joulemark {arguments[0]} [OPTIONS]" in said


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
