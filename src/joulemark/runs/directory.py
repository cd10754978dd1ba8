"""Which directory a plan runs in: the unfinished run of its configuration, or a new one."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

import joulemark
from joulemark.record.errors import InputError
from joulemark.record.manifest import Engine as EngineFacts
from joulemark.record.manifest import Manifest
from joulemark.record.reason import Reason
from joulemark.runs.host import host_facts
from joulemark.runs.layout import RunLayout
from joulemark.runs.plan import RunPlan
from joulemark.runs.recorded import close_killed_segments


def open_directory(plan: RunPlan, facts: EngineFacts) -> tuple[RunLayout, Manifest]:
    """Return the run directory of ``plan`` and its manifest, made now or found unfinished.

    Raises `InputError` where ``plan.out`` holds another configuration or cannot be written.
    """
    identity = plan.config_hash(facts)
    layout = _find(plan, facts, identity)
    layout.create()
    if layout.manifest.exists():
        manifest = layout.read_manifest()
        close_killed_segments(manifest, layout)
        manifest.repeats = max(manifest.repeats, plan.repeats)
        manifest.state = "running"
        return layout, manifest
    manifest = Manifest(
        run_id=secrets.token_hex(8),
        config_hash=identity,
        created_utc=datetime.now(UTC).isoformat(timespec="seconds"),
        joulemark_version=joulemark.__version__,
        host=host_facts(),
        engine=facts,
        task=plan.task_facts,
        sampling=plan.sampling,
        load=plan.load,
        repeats=plan.repeats,
        reasons={"baselines": Reason.NOT_APPLICABLE.value},
    )
    return layout, manifest


def _find(plan: RunPlan, facts: EngineFacts, identity: str) -> RunLayout:
    if plan.out is not None:
        layout = RunLayout(plan.out)
        if layout.manifest.exists():
            held = layout.read_manifest()
            if held.config_hash != identity:
                raise InputError(
                    f"{plan.out} holds a run of another configuration",
                    why=f"it measured {held.engine.model} on {held.task.name} with other settings",
                    fix="choose another directory with --out DIR",
                )
        return layout
    stem = plan.directory_stem(facts)
    number = 1
    while True:
        layout = RunLayout(plan.runs_dir / (stem if number == 1 else f"{stem}-{number}"))
        if not layout.manifest.exists() or _goes_on(layout, plan, identity):
            return layout
        number += 1


def _goes_on(layout: RunLayout, plan: RunPlan, identity: str) -> bool:
    """Tell whether ``layout`` holds a run of this configuration that still wants answers."""
    try:
        manifest = layout.read_manifest()
    except InputError:
        return False
    wants_more = manifest.state != "complete" or manifest.repeats < plan.repeats
    return manifest.config_hash == identity and wants_more
