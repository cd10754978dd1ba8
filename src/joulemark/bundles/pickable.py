"""All candidates below some folders: runs with their cost models, and imported rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.bundles.gather import COPY, MAX_DEPTH, sources
from joulemark.bundles.store import SUFFIX, read_stored
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
from joulemark.record.errors import InputError
from joulemark.record.item import Phase
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.repriced import repriced
from joulemark.runs.view import view_of


@dataclass(frozen=True, slots=True)
class Pickable:
    """What was found; ``unread`` are files and runs that could not be read, each with the reason."""

    candidates: tuple[Candidate, ...]
    unread: tuple[tuple[str, str], ...]


def pickable(places: Sequence[Path], declared: DeclaredRates) -> Pickable:
    """Return the candidates of files and folders, each row and each run once; raises `InputError`.

    A broken file or run, and a copy of a run that was read, are told and passed over; a place that does not
    exist, or nothing at all to read, is an error. Each run counts texts in tokens as its own journal did,
    where it holds texts.
    """
    found: list[tuple[Candidate, RunView | None]] = []
    unread: list[tuple[str, str]] = []
    rates = rates_of(replace(declared, price=None))  # of tokens that nobody counted
    rows_seen: set[str] = set()
    runs_seen: set[Path] = set()
    first: dict[str, Path] = {}
    for place in places:
        if not place.exists():
            raise InputError(f"there is no {place}", fix="name a run, or a folder of runs or imported rows")
        for path in sources(place, MAX_DEPTH):
            try:
                if path.name.endswith(SUFFIX):
                    for row in read_stored(path).rows:
                        same = row.model_dump_json(exclude={"source"})
                        if same not in rows_seen:
                            rows_seen.add(same)
                            found.append((published_candidate(published_point(row, rates), rates), None))
                elif path.resolve() not in runs_seen:
                    runs_seen.add(path.resolve())
                    run_id = RunLayout(path).read_manifest().run_id
                    if run_id in first:
                        unread.append((str(path), COPY.format(first=first[run_id])))
                        continue
                    found.append(_of_run(path, declared))
                    first[run_id] = path
            except InputError as error:
                unread.append((str(path), error.what + (f": {error.why}" if error.why else "")))
    if not found:
        told = "; ".join(why for _, why in unread[:3])
        raise InputError(
            f"nothing to pick from in {', '.join(map(str, places))}",
            why=told or "there are neither runs nor imported rows in it",
            fix="measure with joulemark bench, or joulemark import mlenergy FILE.csv --into DIR",
        )
    return Pickable(with_transfers(found), tuple(unread))


def _of_run(root: Path, declared: DeclaredRates) -> tuple[Candidate, RunView]:
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
