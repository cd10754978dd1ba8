"""Whether the client of a point's run kept up: one that did not is tried again."""

from __future__ import annotations

from pathlib import Path

from joulemark.metrics.late_client import why_not_ranked
from joulemark.record.errors import InputError
from joulemark.runs.layout import RunLayout


def late_client(root: Path) -> str:
    """Return why a run's times are not believed; empty where its client kept up, or there is no run."""
    try:
        manifest = RunLayout(root).read_manifest()
    except InputError:
        return ""
    return why_not_ranked(sorted({code for proof in manifest.client for code in proof.invalid}))
