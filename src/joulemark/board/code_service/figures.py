"""The figures of the code-efficiency leaderboard: EffiBench's columns as the paper defines them, and ours.

The two stand side by side and never under one name. Each figure is defined in `joulemark.metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from joulemark.board.standing.board_row import Figure
from joulemark.metrics.catalogue import code_definitions
from joulemark.metrics.code.summary_json import definition_name
from joulemark.metrics.definition import MetricDefinition

_PAPER = ("{}", "n{}", "n{}_star", "n{}_max", "n{}_over_5")
_CORRECTED = ("{}_corrected", "n{}_corrected", "n{}_corrected_max", "n{}_corrected_over_5")
_WHAT = ("et", "mu", "tmu")


class View(StrEnum):
    """Which figures a table shows."""

    PAPER = "paper"
    CORRECTED = "corrected"


COLUMNS: Mapping[View, tuple[str, ...]] = {
    View.PAPER: ("pass_at_1", *(form.format(what) for what in _WHAT for form in _PAPER)),
    View.CORRECTED: (
        "pass_at_1",
        *(form.format(what) for what in _WHAT for form in _CORRECTED),
        "net_corrected_median",
        "growth_excess_mean",
        "slower_share",
        "aa_band",
    ),
}
NAMES = tuple(dict.fromkeys((*COLUMNS[View.PAPER], *COLUMNS[View.CORRECTED])))
_BOUNDED = ("net", "net_corrected", "nmu_corrected")
KEPT = (*NAMES, *(f"{name}_at_least" for name in _BOUNDED))
LARGER_IS_BETTER = ("pass_at_1",)
NO_ORDER = ("aa_band",)
OF_WALL = frozenset(
    name for name in NAMES if "corrected" not in name and name.startswith(("et", "net", "tmu", "ntmu"))
) | {"tmu_corrected", *(name for name in NAMES if name.startswith("ntmu_corrected"))}
"""Figures that go by the wall, which a busy machine makes longer."""
WITHIN_BAND = ("net_corrected", "net_corrected_max", "net_corrected_median")
"""Ratios of CPU time: what lies within the A/A band of each other is a tie."""
_SHORT = {
    "net_corrected_median": "NET corrected, median",
    "growth_excess_mean": "Growth beyond",
    "slower_share": "Slower",
}


def at_least(name: str, figures: Mapping[str, Figure]) -> Figure | None:
    """Return the bound that stands for a withheld mean (a limit ended a right program); null for none."""
    bound = figures.get(f"{name}_at_least") if name in _BOUNDED else None
    if bound is None or bound.value is None or figures[name].value is not None:
        return None
    return bound


def title_of(name: str) -> str:
    """Return what a table calls a figure."""
    title = _definitions()[definition_name(name)].title
    return title.replace("@k", f"@{name.rpartition('_')[2]}") if "_at_" in name else title


def short_title(name: str) -> str:
    """Return what the head of a column says."""
    return _SHORT.get(name) or title_of(name).partition(":")[0].partition(" (")[0]


def tooltip_of(name: str) -> str:
    """Return a figure's definition as a paragraph; nothing for a name that is not defined."""
    found = _definitions().get(definition_name(name))
    return "" if found is None else found.tooltip()


@cache
def _definitions() -> dict[str, MetricDefinition]:
    return {one.name: one for one in code_definitions()}
