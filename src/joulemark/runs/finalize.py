"""The end of a segment: tables from the journals, the attribution and its proof, the manifest's state."""

from __future__ import annotations

from dataclasses import asdict, replace

import orjson

from joulemark.metrics.run_view import RunView
from joulemark.metrics.tier import tier_of
from joulemark.record.manifest import Manifest
from joulemark.runs.effective_rates import rates_of_run
from joulemark.runs.layout import RunLayout, write_atomically
from joulemark.runs.recorded import read_run
from joulemark.runs.view import view_of
from joulemark.telemetry.journal import JournalReader


def finalize(layout: RunLayout, manifest: Manifest, *, complete: bool) -> RunView:
    """Write the tables of what is there, then the manifest; ``complete``: nothing is left to ask.

    Returns the run as the arithmetic sees it. Raises `InputError` where the disk does not take them.
    """
    layout.write_manifest(manifest)
    view = refresh(layout)
    manifest.rates = rates_of_run(manifest)
    manifest.measurement_tier, reason = tier_of(view)
    manifest.reasons.pop("measurement_tier", None)
    if reason is not None:
        manifest.reasons["measurement_tier"] = reason.value
    # Last: a run that says that it is complete has its tables.
    manifest.state = "complete" if complete else "partial"
    layout.write_manifest(manifest)
    return replace(view, manifest=manifest)


def refresh(layout: RunLayout) -> RunView:
    """Make the tables of a run anew from its journals; leaves manifest and journals alone."""
    from joulemark.runs import tables  # polars is heavy, and a run begins without it

    run = read_run(layout.root)
    view = view_of(run)
    tables.write_items(layout.items, run.rows)
    tables.write_chunks(layout.chunks, run.rows)
    readings = list(JournalReader(layout.telemetry_journal)) if layout.telemetry_journal.exists() else []
    tables.write_telemetry(layout.telemetry, readings)
    tables.write_attribution(layout.attribution, view.attributions)
    checks = [asdict(check) for check in view.checks]
    write_atomically(layout.checks, orjson.dumps(checks, option=orjson.OPT_INDENT_2) + b"\n")
    return view
