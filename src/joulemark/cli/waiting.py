"""Why nothing happens yet, a line each; on standard error, so that standard output stays clean."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.engines.engine import Progress


def say(message: str) -> None:
    """Print what is being done."""
    from joulemark.report.wording import printable

    click.echo(f"· {printable(message)}", err=True)


def say_where_seen() -> Callable[[str], None] | None:
    """Return `say` where somebody looks, null where standard error is no terminal."""
    return say if sys.stderr.isatty() else None


def each_once(tell: Callable[[str], None]) -> Progress:
    """Return a callback for engines that tells each new message once, however often its fraction grows."""
    last: list[str] = []

    def told(message: str, _fraction: float | None) -> None:
        if last[-1:] != [message]:
            last[:] = [message]
            tell(message)

    return told
