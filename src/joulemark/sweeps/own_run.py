"""Whether the run in a point's folder is the point's own: folders can be copied, swapped and put back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.record.manifest import Load, Manifest
from joulemark.runs.layout import RunLayout
from joulemark.sweeps.journal import PointRecord

_OF_A_LOAD = (("concurrency", "closed", "requests in flight"), ("rate", "open", "requests a second"))


def note_run(record: PointRecord, root: Path) -> bool:
    """Keep in a point's record which run lies in its folder; tells whether that changed the record."""
    manifest = _manifest(root)
    if manifest is None:
        return False
    before = (record.run_id, record.config_hash)
    record.run_id, record.config_hash = manifest.run_id, manifest.config_hash
    return before != (record.run_id, record.config_hash)


def why_not_own(record: PointRecord, points: Sequence[PointRecord], root: Path) -> str:
    """Return why the run in a point's folder is not the point's; empty where it is, or none can be read.

    ``points`` are all of the sweep: the run of another is none of this one. A point whose record is older
    than such records is known by the load that its axes name.
    """
    manifest = _manifest(root)
    if manifest is None:
        return ""
    other = next((one.name for one in points if one is not record and one.run_id == manifest.run_id), None)
    if other is not None:
        return f"its folder holds the run of {other}"
    if record.config_hash and manifest.config_hash != record.config_hash:
        return "its folder holds a run of another configuration"
    return _another_load(record, manifest.load)


def _another_load(record: PointRecord, load: Load) -> str:
    for name, mode, unit in _OF_A_LOAD:
        asked, had = record.values.get(name), getattr(load, name)
        if load.mode == mode and isinstance(asked, int | float) and had is not None and had != asked:
            return f"its folder holds a run of another load: {had:g}, not {asked:g} {unit}"
    return ""


def _manifest(root: Path) -> Manifest | None:
    try:
        return RunLayout(root).read_manifest()
    except InputError:
        return None
