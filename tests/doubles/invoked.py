"""Commands called in this process, and what they print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner, Result

from doubles.published_files import text_file
from joulemark.cli.import_ import import_
from joulemark.record.errors import InputError


def run(command: click.Command, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def answer(command: click.Command, *arguments: object, code: int = 0) -> Any:
    """Return what the command prints with ``--json``."""
    done = run(command, *arguments, "--json")
    assert done.exit_code == code, (done.output, done.exception)
    return json.loads(done.stdout)


def error(command: click.Command, *arguments: object) -> InputError:
    done = run(command, *arguments)
    assert isinstance(done.exception, InputError), done.output
    return done.exception


def imported(folder: Path, *rows: str) -> Path:
    """Import a file of such rows of the task ``chat``, and return where they are."""
    path = text_file(folder / "llm_text_generation__chat.csv", *rows)
    done = run(import_, "mlenergy", path, "--into", folder / "rows")
    assert done.exit_code == 0, done.output
    return folder / "rows"
