"""The manifest as the documents of a bundle, and back.

Stamps are nanoseconds from their segment's start; what needs more than 53 bits is written as a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joulemark.bundles.submission.members import BASELINES, ENVIRONMENT, QUALIFICATION, RUN
from joulemark.record.manifest import Manifest

_ELSEWHERE = {
    "host": ENVIRONMENT,
    "devices": ENVIRONMENT,
    "meters": QUALIFICATION,
    "silent_meters": QUALIFICATION,
}
_LEFT_OUT = ("notes", "standing")  # words


@dataclass(frozen=True, slots=True)
class Software:
    """What packed a bundle: our version, the hash of our source, and the packages that computed."""

    joulemark_version: str
    source_hash: str
    packages: Mapping[str, str]


def documents(manifest: Manifest, software: Software) -> dict[str, Any]:
    """Return the documents by member. Raises ``KeyError`` for a window of a segment that there is not."""
    # Without what is at its default: a field that comes later is then in no older bundle's way.
    whole = manifest.model_dump(mode="json", exclude_defaults=True)
    starts = starts_of(manifest)
    for segment in whole.get("segments", ()):
        segment.pop("engine_pid", None)
        start = segment["t0"]
        segment["t0"], segment["wall_anchor_ns"] = str(start), str(segment["wall_anchor_ns"])
        if segment.get("t1") is not None:
            segment["t1"] -= start
    for window in whole.get("windows", ()):
        start = starts[window["segment"]]
        window["t0"] -= start
        if window.get("t1") is not None:
            window["t1"] -= start
    for name in _LEFT_OUT:
        whole.pop(name, None)
    for device in whole.get("devices", ()):
        device.pop("why", None)
    for meter in whole.get("silent_meters", ()):
        del meter["why"]
    whole["engine"].pop("pid", None)
    for rule in (whole.get("stop"), *whole.get("earlier_stops", ())):
        if rule is not None:
            rule.pop("told", None)
    found: dict[str, Any] = {ENVIRONMENT: {}, QUALIFICATION: {}, BASELINES: whole.pop("baselines", {})}
    for name, member in _ELSEWHERE.items():
        if name in whole:
            found[member][name] = whole.pop(name)
    found[ENVIRONMENT]["software"] = {
        "joulemark_version": software.joulemark_version,
        "source_hash": software.source_hash,
        "packages": dict(software.packages),
    }
    return {RUN: whole, **found}


def manifest_of(found: Mapping[str, Any]) -> tuple[Manifest, Software]:
    """Return what `documents` was made of. Raises ``ValueError``, ``KeyError`` or ``TypeError``."""
    whole = {**found[RUN], "baselines": found[BASELINES]}
    whole |= {name: found[member][name] for name, member in _ELSEWHERE.items() if name in found[member]}
    whole["segments"] = [
        {**one, "t0": int(one["t0"]), "wall_anchor_ns": int(one["wall_anchor_ns"])}
        for one in whole.get("segments", ())
    ]
    starts = {one["index"]: one["t0"] for one in whole["segments"]}
    for one in whole["segments"]:
        if one.get("t1") is not None:
            one["t1"] += one["t0"]
    whole["windows"] = [_absolute(one, starts[one["segment"]]) for one in whole.get("windows", ())]
    whole["silent_meters"] = [{**one, "why": ""} for one in whole.get("silent_meters", ())]
    software = found[ENVIRONMENT]["software"]
    packages = {str(name): str(version) for name, version in software["packages"].items()}
    return (
        Manifest.model_validate(whole),
        Software(str(software["joulemark_version"]), str(software["source_hash"]), packages),
    )


def _absolute(window: Mapping[str, Any], start: int) -> dict[str, Any]:
    """Return a window with its stamps on the segment's own clock."""
    end = window.get("t1")
    return {**window, "t0": window["t0"] + start, "t1": None if end is None else end + start}


def starts_of(manifest: Manifest) -> dict[int, int]:
    """Return each segment's first stamp."""
    return {segment.index: segment.t0 for segment in manifest.segments}
