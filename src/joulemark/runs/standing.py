"""Whether a run may be ranked: it must have been asked as its suite or task is, and not otherwise.

What a run is later found to have (tier, scope, faults) narrows this further; nothing widens it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.tasks.definition import TaskDefinition
from joulemark.tasks.subset import DEFAULT_KEY
from joulemark.tasks.suites import Part, Suite

AS_THE_TASK_IS: Mapping[str, object] = {
    "data": None,
    "revision": None,
    "split": None,
    "subset_key": DEFAULT_KEY,
    "nonce": None,
    "items": None,
    "shots": None,
    "temperature": None,
    "top_p": None,
    "max_tokens": None,
    "concurrency": 1,
}
"""The options that decide what is asked and how, with the values of a task that is asked as it is."""

_LISTED = (
    "; its figures speak of the listed questions, which nothing drew at random"
    " (of the whole task: joulemark frugal estimate)"
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a run may be ranked, and why or why not."""

    may_rank: bool
    why: str


def as_the_suite_is(suite: Suite, part: Part) -> dict[str, object]:
    """Return the values of the options of one task of a suite."""
    return {
        **AS_THE_TASK_IS,
        "limit": part.limit,
        "preset": suite.preset,
        "seed": suite.seed,
        "repeat": suite.repeats,
    }


def standing_in_suite(suite: Suite, part: Part, asked: Mapping[str, object]) -> Standing:
    """Return the standing of a task of a suite that is asked with the options ``asked``."""
    if not suite.may_rank:
        return Standing(False, suite.standing)
    otherwise = _otherwise(as_the_suite_is(suite, part), asked)
    if otherwise:
        return Standing(False, f"not ranked: asked with {otherwise}, unlike the suite")
    return Standing(True, suite.standing)


def standing_of_task(definition: TaskDefinition, asked: Mapping[str, object]) -> Standing:
    """Return the standing of a task that is asked by itself."""
    if definition.is_canary:
        return Standing(False, "carried, not ranked: a canary task")
    if not definition.built_in:
        return Standing(False, "not ranked: a task of the user's own")
    otherwise = _otherwise(AS_THE_TASK_IS, asked)
    if otherwise:
        listed = "" if asked["items"] is None else _LISTED
        return Standing(False, f"not ranked: asked with {otherwise}{listed}")
    return Standing(True, "ranked within the same task, items, preset, tier and scope")


def _otherwise(own: Mapping[str, object], asked: Mapping[str, object]) -> str:
    different = [name for name, value in own.items() if asked[name] != value]
    return ", ".join(f"--{name.replace('_', '-')}" for name in different)
