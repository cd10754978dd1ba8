"""What `joulemark pick` reads from the command line: lengths with a spread, and budgets a day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.metrics.picking import Spread


def length(text: str) -> Spread:
    """Return a length as `read_length` does; usable as the type of an option."""
    from joulemark.metrics.picking.asked import read_length

    try:
        return read_length(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is {error}") from error


def budget(text: str) -> tuple[str, float]:
    """Return a budget as `read_budget` does; usable as the type of an option."""
    from joulemark.metrics.picking.asked import read_budget

    try:
        return read_budget(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is {error}") from error
