"""How near two models are to be called a tie, as a user says it."""

from __future__ import annotations

import math

from joulemark.frugal.target import PP
from joulemark.record.errors import InputError


def tie_width(text: str) -> float:
    """Return ``1pp`` as 0.01 and a plain number as itself, above 0; raises `InputError`."""
    plain = text.strip().removeprefix("±").strip()
    number, factor = (plain.removesuffix("pp"), PP) if plain.endswith("pp") else (plain, 1.0)
    try:
        width = float(number) * factor
    except ValueError:
        width = math.nan
    if not (math.isfinite(width) and width > 0):
        raise InputError(
            f"{text!r} is no width of a tie",
            why="it is a number above 0",
            fix="say --tie 1pp for right and wrong, or --tie 0.02 in the unit of a score",
        )
    return width


def require_narrow(epsilon: float, span: float, *, scored: bool) -> None:
    """Raise `InputError` for a tie as wide as values are apart at most, which any two models are."""
    if epsilon < span:
        return
    said = f"{epsilon:g}" if scored else f"{epsilon / PP:g}pp"
    most = f"{span:g}" if scored else f"{span / PP:g}pp"
    raise InputError(
        f"a tie of {said} asks for nothing",
        why=f"two models are never further apart than {most}",
        fix="say --tie 1pp for right and wrong, or a small part of a score's range",
    )
