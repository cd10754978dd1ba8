"""What is asked of a drafted generator, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Check(StrEnum):
    """What a drafted generator must do, in the order in which it is looked at; each names itself in words."""

    ANSWERED = "the engine answered"
    PROGRAM = "the answer holds a generator"
    LOADS = "it loads"
    MAKES = "it makes arguments of every size and shape"
    DETERMINISTIC = "it is deterministic in its rng"
    TYPES = "its arguments are of the examples' types"
    ACCEPTED = "the canonical solution accepts its inputs"
    SIZES = "sizes make a difference"
    SHAPES = "shapes make a difference"
    DISTINCT = "its inputs differ"
    BRUTE_FORCE = "brute force agrees on its small inputs"
    RESULTS = "results differ"
    TESTS = "tests can be made of it"
    FILE = "it can be written to the file"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found; ``passed`` is null where the check was not made, and ``detail`` says why."""

    check: Check
    passed: bool | None
    detail: str = ""


def not_reached(checks: tuple[Check, ...]) -> tuple[Verdict, ...]:
    """Return verdicts of checks that could not be made, for an earlier one failed."""
    return tuple(Verdict(check, None, "an earlier check failed") for check in checks)


def shown(value: object, limit: int = 120) -> str:
    """Return a value as one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else f"{text[:limit]}…"
