"""Times on the command line: a number with its unit, in seconds where it has none."""

from __future__ import annotations

import click


def seconds(text: str) -> float:
    """Return ``100ms``, ``5s``, ``2min`` or ``0.1`` in seconds; raises ``click.BadParameter``.

    Usable as the type of an option.
    """
    from joulemark.metrics.picking.asked import read_seconds

    try:
        return read_seconds(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is {error}") from error
