"""The end of a segment: tables from the journals, the attribution and its proof, the manifest's state."""

from __future__ import annotations

from dataclasses import asdict

import orjson

from joulemark.record.manifest import Manifest
from joulemark.runs.layout import RunLayout, write_atomically
from joulemark.runs.recorded import read_run
from joulemark.runs.view import view_of
from joulemark.telemetry.journal import JournalReader


def finalize(layout: RunLayout, manifest: Manifest, *, complete: bool) -> None:
    """Write the tables of what is there; ``complete``: nothing is left to ask."""
    from joulemark.metrics.tier import tier
    from joulemark.runs import tables

    manifest.state = "complete" if complete else "partial"
    layout.write_manifest(manifest)
    run = read_run(layout.root)
    view = view_of(run)
    manifest.measurement_tier, reason = tier([m.qualified for m in manifest.meters], view.headline_energy)
    manifest.reasons.pop("measurement_tier", None)
    if reason is not None:
        manifest.reasons["measurement_tier"] = reason.value
    tables.write_items(layout.items, run.rows)
    tables.write_chunks(layout.chunks, run.rows)
    readings = list(JournalReader(layout.telemetry_journal)) if layout.telemetry_journal.exists() else []
    tables.write_telemetry(layout.telemetry, readings)
    tables.write_attribution(layout.attribution, view.attributions)
    checks = [asdict(check) for check in view.checks]
    write_atomically(layout.checks, orjson.dumps(checks, option=orjson.OPT_INDENT_2) + b"\n")
    layout.write_manifest(manifest)
