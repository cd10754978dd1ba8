"""Suites: sets of tasks that are asked together, always in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from joulemark.tasks.definition import DEFAULT_PRESET


@dataclass(frozen=True, slots=True)
class Part:
    """A task of a suite and how many of its items are asked; null: all."""

    task: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """What is asked and how. ``seed`` null leaves it to the user, as every null.

    ``own_engine``: it asks the user's own engine, not the built-in one. ``pinned``: it is run with the
    built-in engine and model alone, so that its figures tell machines apart. ``may_rank``: whether its runs
    may enter a ranking of models, ``standing`` says why or why not.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    may_rank: bool
    standing: str
    preset: str = DEFAULT_PRESET
    seed: int | None = None
    repeats: int | None = None
    own_engine: bool = False
    pinned: bool = False


def _ranked(name: str, title: str, parts: tuple[Part, ...]) -> Suite:
    """Return a suite of the published way of asking, put to the user's own engine."""
    return Suite(
        name,
        title,
        parts,
        True,
        "ranked within the same suite, tier and scope",
        preset="published",
        seed=1234,
        own_engine=True,
    )


SUITES: Mapping[str, Suite] = MappingProxyType(
    {
        suite.name: suite
        for suite in (
            Suite(
                "quick",
                "a first measurement in a few minutes, with the built-in model or any other",
                (Part("quick"),),
                False,
                "not ranked: its 52 short questions are for a first look",
            ),
            _ranked(
                "published",
                "the published first run against your own engine, about 25 minutes on one GPU",
                (Part("gsm8k_platinum", 25), Part("mmlu_redux", 50), Part("ifeval", 25)),
            ),
            _ranked(
                "medium",
                "enough items to tell neighbours apart, a few hours",
                (
                    Part("gsm8k_platinum", 200),
                    Part("mmlu_redux", 400),
                    Part("ifeval", 200),
                    Part("arc_challenge", 200),
                    Part("math500", 100),
                ),
            ),
            _ranked(
                "full",
                "every item of nine tasks but the examples, a day or more",
                (
                    Part("gsm8k_platinum"),
                    Part("mmlu_redux"),
                    Part("ifeval"),
                    Part("arc_challenge"),
                    Part("hellaswag"),
                    Part("winogrande"),
                    Part("math500"),
                    Part("gpqa_diamond"),
                    Part("bbh"),
                ),
            ),
            Suite(
                "reference",
                "one pinned model and task, three times over, to set machines side by side",
                (Part("quick"),),
                False,
                "not ranked among models: it is the same model everywhere, and tells machines apart",
                seed=1234,
                repeats=3,
                pinned=True,
            ),
        )
    }
)
"""The suites by their names."""
