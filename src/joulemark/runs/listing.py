"""The runs below a directory, newest last."""

from __future__ import annotations

from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.record.item import Phase
from joulemark.record.manifest import Manifest
from joulemark.runs.journal import read_items
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import n_wanted


def list_runs(runs_dir: Path) -> list[dict[str, object]]:
    """Return the facts of each run; a directory that is no run is passed over."""
    found: list[dict[str, object]] = []
    for manifest_path in sorted(runs_dir.glob("*/manifest.json")):
        layout = RunLayout(manifest_path.parent)
        try:
            manifest = layout.read_manifest()
        except InputError:
            continue
        rows, _ = read_items(layout.items_journal)
        answers = len({row.item.key for row in rows if row.item.phase == Phase.MEASURE})
        found.append(
            {
                "run_dir": str(layout.root),
                "run_id": manifest.run_id,
                "config_hash": manifest.config_hash,
                "created_utc": manifest.created_utc,
                # A run that was killed still says "running"; only its lock knows, so it is called partial.
                "state": manifest.state if manifest.state == "complete" else "partial",
                "suite": manifest.suite,
                "may_rank": manifest.may_rank,
                "standing": manifest.standing,
                "task": manifest.task.name,
                "model": manifest.engine.model,
                "answers": answers,
                "wanted": n_wanted(manifest),
                "stopped_by": _stopped_by(manifest),
            }
        )
    return sorted(found, key=lambda facts: str(facts["created_utc"]))


def _stopped_by(manifest: Manifest) -> list[str]:
    """Return the targets that ended a complete run, those that were met last; none where all was asked."""
    ended = None if manifest.stop is None else manifest.stop.stopped
    return [] if ended is None or manifest.state != "complete" else list(ended.binding)
