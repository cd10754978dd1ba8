"""Times on the command line: a number with its unit, in seconds where it has none."""

from __future__ import annotations

from collections.abc import Callable

import click


def seconds(text: str) -> float:
    """Return ``100ms``, ``5s``, ``2min`` or ``0.1`` in seconds; raises ``click.BadParameter``.

    Usable as the type of an option.
    """
    from joulemark.metrics.picking.asked import read_seconds

    return _read(text, read_seconds)


def limit_seconds(text: str) -> float:
    """Return a limit in seconds; one without a unit is refused. Raises ``click.BadParameter``."""
    from joulemark.metrics.picking.asked import read_limit_seconds

    return _read(text, read_limit_seconds)


def _read(text: str, read: Callable[[str], float]) -> float:
    try:
        return read(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is {error}") from error
