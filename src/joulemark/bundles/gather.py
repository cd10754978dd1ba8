"""All operating points below some folders: imported rows, runs, and folders of runs (sweeps)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.bundles.each_once import Unread, each_once
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.published_points import published_point
from joulemark.metrics.run_point import run_point
from joulemark.metrics.summary import summarize
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.runs.layout import RunLayout
from joulemark.runs.repriced import repriced
from joulemark.runs.view import summary_of


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found; ``unread`` are files and runs that could not be read, each with the reason."""

    points: tuple[OperatingPoint, ...]
    unread: Unread


def gather(places: Sequence[Path], declared: DeclaredRates) -> Gathered:
    """Return the points of files and folders, each row and each run once; raises as `each_once` does."""
    rates = rates_of(replace(declared, price=None))  # of tokens that nobody counted
    points, unread = each_once(
        places,
        lambda row: published_point(row, rates),
        lambda root: _point_of_run(root, declared),
        purpose="recommend",
    )
    return Gathered(tuple(points), unread)


def _point_of_run(root: Path, declared: DeclaredRates) -> OperatingPoint:
    view, summary = summary_of(root)
    if declared.given:
        view = repriced(view, RunLayout(root), declared)
        summary = summarize(view)
    return run_point(view, summary, str(root))
