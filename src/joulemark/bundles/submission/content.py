"""What a bundle is about: a run without words, and the figures that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.bundles.submission.clean_manifest import clean_manifest, is_public_task
from joulemark.bundles.submission.clean_rows import ItemNames, clean_item, clean_reading
from joulemark.bundles.submission.source_names import SourceNames
from joulemark.bundles.submission.vocabulary import Vocabulary
from joulemark.metrics.run_view import RunView
from joulemark.record.item import ItemRow
from joulemark.record.manifest import Manifest
from joulemark.record.telemetry import Reading
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.token_budget import within_budget
from joulemark.runs.view import view_of
from joulemark.telemetry.timeline import Timeline

_NOWHERE = RunLayout(Path("a bundle"))  # nothing of it is read or written


@dataclass(frozen=True, slots=True)
class Content:
    """Manifest, answers in asking order, and readings by segment, source and time."""

    manifest: Manifest
    rows: tuple[ItemRow, ...]
    readings: tuple[Reading, ...]

    def view(self) -> RunView:
        """Return the run as the arithmetic wants it; everything derived is made here and now."""
        budget = self.manifest.sampling.max_tokens
        rows = tuple(within_budget(row, budget) for row in self.rows)
        manifest = self.manifest.model_copy(deep=True)
        return view_of(RecordedRun(_NOWHERE, manifest, rows, Timeline.from_readings(self.readings)))


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Lets of one run through what may leave."""

    words: Vocabulary
    sources: SourceNames
    items: ItemNames

    @classmethod
    def of(cls, manifest: Manifest, rows: Iterable[ItemRow], words: Vocabulary) -> Cleaner:
        """Return the cleaner of a run, whose names depend on all of its meters and questions."""
        return cls(
            words,
            SourceNames.of((meter.source for meter in manifest.meters), words),
            ItemNames.of((row.item for row in rows), words, public=is_public_task(manifest.task)),
        )

    def row(self, row: ItemRow) -> ItemRow:
        """Return an answer without its words."""
        return ItemRow(clean_item(row.item, self.items, self.words), row.chunks)


def cleaned(
    manifest: Manifest, rows: Sequence[ItemRow], readings: Iterable[Reading], words: Vocabulary
) -> Content:
    """Return what may leave of a run. Of what may leave it changes nothing."""
    cleaner = Cleaner.of(manifest, rows, words)
    segments = {segment.index for segment in manifest.segments}
    left = [
        found
        for reading in readings
        if reading.segment in segments and (found := clean_reading(reading, cleaner.sources)) is not None
    ]
    left.sort(key=lambda one: (one.segment, one.source, one.t_ns))
    known = [row for row in rows if row.item.segment in segments]
    return Content(
        clean_manifest(manifest, words, cleaner.sources),
        tuple(cleaner.row(row) for row in known),
        tuple(left),
    )


def with_tier(content: Content, view: RunView) -> Content:
    """Return the content with the tier that its own evidence gives."""
    from joulemark.metrics.tier import tier_of

    manifest = content.manifest.model_copy(deep=True)
    manifest.measurement_tier, reason = tier_of(view)
    manifest.reasons.pop("measurement_tier", None)
    if reason is not None:
        manifest.reasons["measurement_tier"] = reason.value
    return replace(content, manifest=manifest)
