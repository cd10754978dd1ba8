"""Which directory a plan runs in: the unfinished run of its configuration, or a new one."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import joulemark
from joulemark.calibration.node import EARLIER, earlier_host_hash, host_hash
from joulemark.meters.address import private_name
from joulemark.meters.privacy import hashed, load_salt
from joulemark.metrics.ended_by import ended_by_hand
from joulemark.rates.declared import resumed_rates
from joulemark.record.errors import InputError
from joulemark.record.manifest import Baselines, Manifest, StopFacts
from joulemark.record.manifest import Engine as EngineFacts
from joulemark.record.reason import Reason
from joulemark.runs.host import host_facts
from joulemark.runs.layout import RunLayout, locked
from joulemark.runs.plan import RunPlan
from joulemark.runs.recorded import close_killed_segments
from joulemark.runs.stopping import STOPPED


@contextmanager
def held_directory(plan: RunPlan, facts: EngineFacts) -> Iterator[tuple[RunLayout, Manifest]]:
    """Hold the run directory of ``plan``; yields it with its manifest, made now or found unfinished.

    Raises `InputError` where ``plan.out`` holds another configuration, is in use, or cannot be written.
    """
    facts = facts.model_copy(
        update={"endpoint_hash": hashed(plan.engine.endpoint.origin, load_salt()), "reasons": facts.reasons}
    )
    layout = _find(plan, facts)
    layout.create()
    with locked(layout):
        # Read only now: whoever held it until a moment ago may have gone on with it.
        if not layout.manifest.exists():
            yield layout, _new_manifest(plan, facts)
            return
        manifest = layout.read_manifest()
        difference = _difference(manifest, plan, facts)
        if difference is not None:
            raise InputError(
                f"{layout.root} holds a run that this command does not go on with",
                why=difference,
                fix="choose another directory with --out DIR",
            )
        close_killed_segments(manifest, layout)
        _take_over(manifest, plan)
        yield layout, manifest


def _take_over(manifest: Manifest, plan: RunPlan) -> None:
    """Let a recorded run go on as ``plan`` has it.

    Rates and limits are the latest ones named. The size of the whole task is entered where an older version
    did not: the configuration names the data, so it is that of then. A run that was asked in part as no suite
    asks is no run of the suite. What the same targets ended stays ended.
    """
    ended = _ended_as_planned(manifest, plan)
    manifest.repeats = max(manifest.repeats, plan.rounds)
    manifest.state = "running"
    manifest.rates = resumed_rates(manifest.rates, plan.rates)
    manifest.limits_s = dict(plan.limits_s) or manifest.limits_s
    manifest.task.n_whole = plan.task_facts.n_whole
    if not ended:
        reopen(manifest, plan)
    if not plan.may_rank or manifest.suite != plan.suite:
        manifest.may_rank = manifest.may_rank and plan.may_rank and manifest.suite == plan.suite
        manifest.standing = plan.standing if not plan.may_rank else "not ranked: begun as another suite's run"


def reopen(manifest: Manifest, plan: RunPlan) -> None:
    """Let the asking go on to what ``plan`` stops at; what a stopped run was before, its plan says."""
    if manifest.stop is not None and manifest.stop.stopped is not None:
        # what was decided then is not hidden by what is asked for now
        manifest.earlier_stops.append(manifest.stop)
    before, manifest.stop = manifest.stop, _stop_of(plan)
    if before is not None and manifest.stop is not None and before.targets == manifest.stop.targets:
        manifest.stop.named_at = before.named_at
    if manifest.standing == STOPPED:
        manifest.may_rank, manifest.standing = plan.may_rank, plan.standing


def _ended_as_planned(manifest: Manifest, plan: RunPlan) -> bool:
    """Tell whether the plan's own targets ended the run, and nothing else is wanted of it."""
    stop, wanted = manifest.stop, _stop_of(plan)
    if stop is None or stop.stopped is None or wanted is None:
        return False
    ended = manifest.state == "complete" or ended_by_hand(manifest)
    return ended and manifest.repeats >= plan.rounds and stop.targets == wanted.targets


def _new_manifest(plan: RunPlan, facts: EngineFacts) -> Manifest:
    not_measured = Reason.NOT_MEASURED.value
    return Manifest(
        run_id=secrets.token_hex(8),
        config_hash=plan.config_hash(facts),
        created_utc=datetime.now(UTC).isoformat(timespec="seconds"),
        joulemark_version=joulemark.__version__,
        host=host_facts(),
        engine=facts,
        task=plan.task_facts,
        sampling=plan.sampling,
        load=plan.load.facts,
        repeats=plan.rounds,
        stop=_stop_of(plan),
        warmups=plan.warmups,
        retries=plan.retries,
        timeout_s=plan.timeout_s,
        suite=plan.suite,
        may_rank=plan.may_rank,
        standing=plan.standing,
        rates=plan.rates,
        limits_s=dict(plan.limits_s),
        notes=list(plan.task.notes),
        meters_requested=[private_name(meter) for meter in plan.meters],
        boards=list(plan.boards),
        baselines=Baselines(reasons={"empty_idle_w": not_measured, "loaded_idle_w": not_measured}),
    )


def _stop_of(plan: RunPlan) -> StopFacts | None:
    """Return what is to end the run early, as the manifest names it."""
    return None if plan.stop is None else plan.stop.facts


def _find(plan: RunPlan, facts: EngineFacts) -> RunLayout:
    if plan.out is not None:
        return RunLayout(plan.out)
    if plan.known is not None:
        known = RunLayout(plan.known)
        if _is_of(known, plan, facts):
            return known
    stem = plan.directory_stem(facts)
    number = 1
    while True:
        layout = RunLayout(plan.runs_dir / (stem if number == 1 else f"{stem}-{number}"))
        if not layout.manifest.exists() or _goes_on(layout, plan, facts):
            return layout
        number += 1


def _goes_on(layout: RunLayout, plan: RunPlan, facts: EngineFacts) -> bool:
    """Tell whether ``layout`` holds a run of this configuration that still wants answers."""
    if not _is_of(layout, plan, facts):
        return False
    manifest = layout.read_manifest()
    if manifest.state != "complete" or manifest.repeats < plan.rounds:
        return True
    # What another target ended early goes on to this one, or to the end: nothing is asked twice.
    early = manifest.stop is not None and manifest.stop.stopped is not None
    return early and not _ended_as_planned(manifest, plan)


def _is_of(layout: RunLayout, plan: RunPlan, facts: EngineFacts) -> bool:
    """Tell whether ``layout`` holds a run of this configuration, whole or not."""
    try:
        return _difference(layout.read_manifest(), plan, facts) is None
    except InputError:
        return False


def _difference(manifest: Manifest, plan: RunPlan, facts: EngineFacts) -> str | None:
    """Say why a recorded run is not the one that ``plan`` would go on with; null when it is."""
    held = manifest.engine
    if manifest.config_hash != plan.config_hash(facts):
        return f"another configuration: it measured {held.model} on {manifest.task.name} with other settings"
    if held.model_digest is None and held.endpoint_hash != facts.endpoint_hash:
        # Without a digest of the weights, only the address tells one server's model from another's.
        return "it was measured at another address, and the engine does not say which weights it holds"
    hosts = {segment.host_hash for segment in manifest.segments}
    if hosts == {earlier_host_hash()}:
        return f"{EARLIER}; two machines may have one"
    if hosts and host_hash() not in hosts:
        return "it was measured on another machine, or this one was renamed; two machines make no one run"
    if manifest.meters_requested != [private_name(meter) for meter in plan.meters]:
        return f"it was begun with --meter {' --meter '.join(manifest.meters_requested)}"
    if manifest.boards != list(plan.boards):
        return "it was begun with other --board options"
    if manifest.joulemark_version != joulemark.__version__:
        return f"it was begun with version {manifest.joulemark_version}, which may grade otherwise"
    return None
