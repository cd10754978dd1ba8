"""A run read back from its directory. The journals are the truth; the tables are made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from joulemark.record.item import Chunk, Item, ItemRow, Phase
from joulemark.record.manifest import Manifest
from joulemark.runs.grades import read_grades, with_grades
from joulemark.runs.journal import read_items
from joulemark.runs.layout import RunLayout
from joulemark.runs.sound_manifest import require_sound
from joulemark.runs.token_budget import within_budget
from joulemark.telemetry.timeline import Timeline


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """What a run directory holds."""

    layout: RunLayout
    manifest: Manifest
    rows: tuple[ItemRow, ...]
    timeline: Timeline

    @property
    def items(self) -> tuple[Item, ...]:
        """The items in asking order."""
        return tuple(row.item for row in self.rows)

    @property
    def chunks(self) -> Mapping[tuple[str, int], tuple[Chunk, ...]]:
        """The chunks of each item by its key."""
        return {row.item.key: row.chunks for row in self.rows}


def read_run(root: Path) -> RecordedRun:
    """Read a run directory, whole or partial.

    Raises `InputError` where there is none, or its manifest contradicts itself.
    A row that stands twice (which no writer of ours does) counts once: the first. Token counts beyond what
    was allowed are doubted anew, whatever the file says of them. Answers that wait for a grade get it
    from a journal of its own (`joulemark.runs.grades`).
    """
    layout = RunLayout(root)
    manifest = layout.read_manifest()
    require_sound(manifest)
    rows, unreadable = read_items(layout.items_journal)
    budget = manifest.sampling.max_tokens
    unique = {row.item.key: within_budget(row, budget) for row in reversed(rows)}
    grades, torn_grades = read_grades(layout.grades_journal)
    graded = with_grades(unique.values(), grades)
    ordered = sorted(graded, key=lambda row: (row.item.segment, row.item.t_sent))
    close_killed_segments(manifest, layout, rows)
    journal = layout.telemetry_journal
    timeline = Timeline.from_journal(journal) if journal.exists() else Timeline({})
    torn = unreadable + timeline.skipped_lines
    if torn:
        manifest.notes.append(
            f"{torn} line(s) of the journals could not be read and were left out; the energy of an answer"
            " that stood there is still inside the total"
        )
    if torn_grades:
        manifest.notes.append(f"{torn_grades} line(s) of the journal of grades were left out")
    stored = sum(row.item.phase == Phase.MEASURE for row in ordered)
    if manifest.state == "complete" and stored < n_wanted(manifest) and not _stopped_early(manifest):
        manifest.state = "partial"
    return RecordedRun(layout, manifest, tuple(ordered), timeline)


def n_wanted(manifest: Manifest) -> int:
    """Return the number of answers that a run was asked for in all."""
    return manifest.load.n_requests or manifest.task.n_items * manifest.repeats


def _stopped_early(manifest: Manifest) -> bool:
    return manifest.stop is not None and manifest.stop.stopped is not None


def close_killed_segments(manifest: Manifest, layout: RunLayout, rows: list[ItemRow] | None = None) -> None:
    """Give segments and windows that a killed process left open their end: that of the last stored item.

    What was in flight at the kill was not stored, so its energy is not charged to this run. An open
    window in which no stored answer ended has no length that is known: it is left out.
    """
    if all(segment.t1 is not None for segment in manifest.segments):
        return
    if rows is None:
        rows, _ = read_items(layout.items_journal)
    for segment in manifest.segments:
        if segment.t1 is not None:
            continue
        ends = [row.item.t_end for row in rows if row.item.segment == segment.index]
        last = max([segment.t0, *ends])
        closed = [w.t1 for w in manifest.windows if w.segment == segment.index and w.t1 is not None]
        open_ones = [w for w in manifest.windows if w.segment == segment.index and w.t1 is None]
        for window in open_ones:
            window.t1 = last if window.t0 < last else None
        unseen = [id(window) for window in open_ones if window.t1 is None]
        manifest.windows = [window for window in manifest.windows if id(window) not in unseen]
        segment.t1 = max([last, *closed])
        segment.end = "killed"
