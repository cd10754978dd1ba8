"""All candidates below some folders: runs with their cost models, and imported rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.bundles.each_once import Unread, each_once
from joulemark.metrics.picking import (
    Candidate,
    TokenRates,
    measured_candidate,
    published_candidate,
    token_rates,
    with_transfers,
)
from joulemark.metrics.published_points import published_point
from joulemark.metrics.run_point import run_point
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import summarize
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.record.item import Phase
from joulemark.record.published import PublishedRow
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.repriced import repriced
from joulemark.runs.view import view_of


@dataclass(frozen=True, slots=True)
class Pickable:
    """What was found; ``unread`` are files and runs that could not be read, each with the reason."""

    candidates: tuple[Candidate, ...]
    unread: Unread


def pickable(places: Sequence[Path], declared: DeclaredRates) -> Pickable:
    """Return the candidates of files and folders, each row and each run once; raises as `each_once` does.

    Each run counts texts in tokens as its own journal did, where it holds texts.
    """
    rates = rates_of(replace(declared, price=None))  # of tokens that nobody counted

    def of_row(row: PublishedRow) -> tuple[Candidate, RunView | None]:
        return published_candidate(published_point(row, rates), rates), None

    found, unread = each_once(places, of_row, lambda root: _of_run(root, declared), purpose="pick")
    return Pickable(with_transfers(found), unread)


def _of_run(root: Path, declared: DeclaredRates) -> tuple[Candidate, RunView | None]:
    recorded = read_run(root)
    view = view_of(recorded)
    if declared.given:
        view = repriced(view, RunLayout(root), declared)
    texts = [
        (
            len(row.texts.prompt),
            row.item.prompt_tokens,
            len(row.texts.answer) + len(row.texts.reasoning),
            row.item.completion_tokens,
        )
        for row in recorded.rows
        if row.texts is not None
        and row.item.phase == Phase.MEASURE
        and not row.item.failed
        and row.item.prompt_tokens is not None
        and row.item.completion_tokens is not None
    ]
    counted: TokenRates | None = token_rates(texts)
    return measured_candidate(view, run_point(view, summarize(view), str(root)), counted), view
