"""One run from plan to record: engine, meters, questions, journals, segments."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from joulemark.engines.client import StreamClient
from joulemark.metrics.ended_by import ended_by_hand
from joulemark.metrics.run_view import RunView
from joulemark.record.clock import SystemClock
from joulemark.record.errors import InputError, JoulemarkError
from joulemark.record.item import Item, Phase
from joulemark.record.manifest import Engine as EngineFacts
from joulemark.record.manifest import Manifest
from joulemark.record.reason import Reason
from joulemark.record.window_name import WindowName
from joulemark.runs.asking import Asking
from joulemark.runs.client_check import CheckedClient
from joulemark.runs.commitment import commitment_key
from joulemark.runs.declared_pid import DECLARED, with_declared_pid
from joulemark.runs.directory import held_directory, reopen
from joulemark.runs.edged_client import EdgedClient
from joulemark.runs.finalize import finalize
from joulemark.runs.interruption import Interrupts
from joulemark.runs.journal import ItemJournal, read_items
from joulemark.runs.layout import RunLayout, write_atomically
from joulemark.runs.metering import Metering, require_meters
from joulemark.runs.observe import Recorder
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.runs.recorded import n_wanted
from joulemark.runs.segment import OpenSegment
from joulemark.runs.so_far import view_so_far
from joulemark.runs.stopping import Stopping, holds_what_ended_it, note_stop, note_told
from joulemark.runs.timing import Timing, timing_of
from joulemark.runs.wanted import Wanted, wanted

End = Literal["done", "interrupted", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What came of a run: answers stored of answers wanted, and what ended it early, if anything did.

    ``view`` is the run as the arithmetic sees it; null where the tables could not be written.
    ``asked_to_end``: a request to end (Ctrl-C, SIGTERM, SIGHUP) came, if only when the run was whole already.
    """

    root: Path
    end: End
    completed: int
    total: int
    # Not in the repr: the runner makes one of its task, and a loaded run holds a million chunks.
    view: RunView | None = field(repr=False)
    error: JoulemarkError | None = None
    asked_to_end: bool = False


async def execute(plan: RunPlan, observer: Observer, interrupts: Interrupts | None = None) -> RunOutcome:
    """Carry out ``plan`` and leave a valid record, also when interrupted or failing half-way.

    The first of ``interrupts`` cancels it; none does once the record is being closed.
    Raises `InputError` before anything was measured (unreachable engine, missing file, directory in use).
    """
    heard = interrupts or Interrupts()
    heard.tell(asyncio.current_task())
    if heard.came:
        raise asyncio.CancelledError
    # A wrong choice of meters is told before an engine is started for nothing.
    await asyncio.to_thread(require_meters, plan.meters, plan.boards)
    observer.stage("starting the engine")
    try:
        await plan.engine.start()
        if plan.prepare is not None:
            observer.stage("preparing the requests")
            plan = replace(plan, task=await plan.prepare(plan.engine), prepare=None)
        facts = with_declared_pid(plan.engine.describe(), plan.engine_pid)
        with held_directory(plan, facts) as (layout, manifest):
            try:
                outcome = await _execute_in(layout, manifest, facts, plan, observer, heard)
                return replace(outcome, asked_to_end=bool(heard.came))
            finally:
                _keep_engine_log(plan, layout)
    finally:
        heard.tell(None)
        await plan.engine.stop()


async def _execute_in(
    layout: RunLayout,
    manifest: Manifest,
    facts: EngineFacts,
    plan: RunPlan,
    observer: Observer,
    heard: Interrupts,
) -> RunOutcome:
    if plan.task.problems is not None:
        # before the first answer: whatever ends the run, what its answers are judged by is beside them
        write_atomically(layout.problems, plan.task.problems)
    rows, unreadable = await asyncio.to_thread(read_items, layout.items_journal)
    if unreadable:
        observer.note(f"{unreadable} torn line(s) of an earlier life of this run are left out")
    if manifest.repeats > plan.rounds:
        observer.note(f"this run was begun with --repeat {manifest.repeats}, and goes on with it")
    stored = [row.item for row in rows if row.item.phase == Phase.MEASURE]

    held = holds_what_ended_it(manifest, stored)
    if manifest.stop is not None and manifest.stop.stopped is not None and not held:
        reopen(manifest, plan)  # answers that were there are lost
    together = None if manifest.stop is None else manifest.stop.every

    def still_wanted(items: Sequence[Item]) -> list[Wanted]:
        done = (item.key for item in items)
        return wanted(plan.task, manifest.repeats, done, limit=plan.load.n_requests, together=together)

    left, total = still_wanted(stored), n_wanted(manifest)
    stopping = Stopping.of_task(plan.stop, plan.task, manifest.repeats, stored, manifest.stop)
    if left and stopping is not None and manifest.segments and not held:
        await _decide_of_stored(stopping, manifest, layout, stored)
    if not left or held or (stopping is not None and stopping.decision is not None):
        observer.note(f"{plan.task.name} is done already: {layout.root}")
        if not left and stopping is not None:
            _look_at_all(stopping, manifest, layout, stored)
        whole = finalize(layout, manifest, complete=not (left and ended_by_hand(manifest)))
        return RunOutcome(layout.root, "stopped" if left else "done", total - len(left), total, whole)

    _note(manifest, DECLARED if plan.engine_pid is not None else None)
    timing = timing_of(plan.load, plan.task, left)
    _note(manifest, _why_lengths_differ(plan))
    clock = SystemClock()
    segment = OpenSegment(manifest, layout, clock, facts)
    metering = Metering(plan, manifest, layout.telemetry_journal, segment.facts, clock)
    client = StreamClient(
        plan.engine.endpoint, stall_timeout_s=plan.timeout_s, total_timeout_s=plan.timeout_s
    )
    asking = Asking(
        plan=plan,
        client=EdgedClient(client, metering, edges=not plan.load.overlaps),
        journal=ItemJournal(layout.items_journal),
        metering=metering,
        observer=observer,
        segment=segment,
        recorder=Recorder(plan.task.scorer, commitment_key(), plan.engine.endpoint.conceal),
        items=stored,
        rows=rows,
        pacing=timing.pacing,
        stopping=stopping,
    )
    end: End = "failed"
    error: JoulemarkError | None = None
    try:
        end = await _measure(asking, timing, manifest, still=len(left), total=total)
    except asyncio.CancelledError:
        end = "interrupted"
        _accept_cancellation()
    except JoulemarkError as raised:
        error = raised
    finally:
        heard.tell(None)  # what is measured is written down, whatever else is asked for
        failure = await _close(asking, client, end)
    completed = total - len(still_wanted(asking.items))
    observer.stage("writing the record")
    view: RunView | None = None
    try:
        if end == "done" and stopping is not None:
            _look_at_all(stopping, manifest, layout, asking.items)
        ruled = end == "stopped" and not ended_by_hand(manifest)
        view = finalize(layout, manifest, complete=ruled or completed == total)
    except JoulemarkError as raised:
        failure = failure or raised
    return RunOutcome(layout.root, end, completed, total, view, error or failure)


async def _measure(asking: Asking, timing: Timing, manifest: Manifest, *, still: int, total: int) -> End:
    """Prepare, warm up and ask; returns how it ended. Cancellation and errors pass through.

    Where requests lead up to those that count, the window ``warmup`` stays open until the first of these.
    """
    metering, segment, observer = asking.metering, asking.segment, asking.observer
    observer.stage("testing the meters")
    await metering.prepare()
    observer.stage("testing the client")
    checked = CheckedClient(segment.index)
    await checked.self_test()
    await asyncio.to_thread(metering.start)
    observer.stage("warming up")
    segment.open_window(WindowName.WARMUP)
    await asking.warm_up()
    leads = asking.plan.load.lead_requests > 0
    if not leads:
        segment.close_window()
    await asyncio.to_thread(metering.check_engine_on_devices)
    _require_energy(asking.plan, manifest)
    observer.started(total, total - still)
    asking.late = checked.sent
    try:
        await metering.first_readings()
        async with checked.measuring():
            await metering.edge()
            if not leads:
                segment.open_window(WindowName.MEASURE)
            decision = await asking.run(timing.asked)
    finally:
        manifest.client.append(checked.proof(_of_segment(asking), timing.mean_gap_s))
        _note(manifest, timing.limit_met)
    if asking.stopping is not None:
        note_told(manifest, asking.stopping.rule)
    asked = len({item.item_id for item in asking.items})
    if decision is None or asking.stopping is None or asked == manifest.task.n_items:
        return "done"  # what was in flight or begun may have been all there was
    note_stop(manifest, asking.stopping.rule, decision, asked)
    return "stopped"


async def _decide_of_stored(
    stopping: Stopping, manifest: Manifest, layout: RunLayout, stored: Sequence[Item]
) -> None:
    """Let the rule look at what an earlier life of the run stored: it may have been enough already."""
    if stopping.due:
        copy = manifest.model_copy(deep=True)
        await asyncio.to_thread(stopping.decide, lambda: view_so_far(copy, layout.telemetry_journal, stored))
    if stopping.decision is not None:
        asked = len({item.item_id for item in stored})
        note_stop(manifest, stopping.rule, stopping.decision, asked)


def _look_at_all(stopping: Stopping, manifest: Manifest, layout: RunLayout, items: Sequence[Item]) -> None:
    """Let the rule look at everything, so that what it came to is told of all that the figures are of."""
    copy = manifest.model_copy(deep=True)
    with contextlib.suppress(JoulemarkError):  # the figures need no last look
        stopping.look_at_all(lambda: view_so_far(copy, layout.telemetry_journal, items))
    note_told(manifest, stopping.rule)


def _require_energy(plan: RunPlan, manifest: Manifest) -> None:
    """Raise `InputError` where a rule rests on joules and no meter sees the engine: it would never stop."""
    if manifest.headline_scope is not None or plan.stop is None or not plan.stop.needs_energy:
        return
    reason = manifest.reasons.get("headline_scope")
    raise InputError(
        "--stop names a figure that needs a meter, and there is none",
        why=Reason(reason).text if reason else "no meter sees the part that runs the model",
        fix="`joulemark doctor` says how to get one; or stop on the accuracy, the latency or the tokens",
    )


async def _close(asking: Asking, client: StreamClient, end: End) -> JoulemarkError | None:
    """Take the last readings and close everything; one step's failure does not keep the next from its turn.

    A run that ends early ends with its last stored answer: what was in flight is not charged to it.
    """
    segment = asking.segment

    def close_window() -> None:
        # Only after the journal: an answer that was being stored when the run was ended counts.
        segment.close_window(asking.last_t_end() if end in ("interrupted", "failed") else None)

    async def look_again() -> None:
        # An engine that went away is on no board now; that says nothing of where it was while it answered.
        if end != "failed":
            await asyncio.to_thread(asking.metering.check_engine_again)

    def end_segment() -> None:
        segment.facts.t1, segment.facts.end = segment.now_ns(), end
        segment.save()

    steps: list[Callable[[], Awaitable[None] | None]] = [
        asking.close,
        close_window,
        asking.metering.stop,
        look_again,
        client.aclose,
        end_segment,
    ]
    failure: JoulemarkError | None = None
    for step in steps:
        try:
            waiting = step()
            if waiting is not None:
                await waiting
        except JoulemarkError as error:
            failure = failure or error
    return failure


def _note(manifest: Manifest, note: str | None) -> None:
    if note is not None and note not in manifest.notes:
        manifest.notes.append(note)


def _why_lengths_differ(plan: RunPlan) -> str | None:
    exact = any(question.exact_length for question in plan.task.questions)
    if not exact or plan.engine.request_body.takes_exact_length:
        return None
    return "the engine takes no answer length: answers end where the model ends them"


def _of_segment(asking: Asking) -> list[Item]:
    return [item for item in asking.items if item.segment == asking.segment.index]


def _keep_engine_log(plan: RunPlan, layout: RunLayout) -> None:
    """Copy the engine's log beside the run: it started before the run's directory was known."""
    log_path = plan.engine.log_path
    if log_path is not None:
        with contextlib.suppress(OSError, InputError):
            write_atomically(layout.engine_log, log_path.read_bytes())


def _accept_cancellation() -> None:
    """Go on after a cancellation that was understood, so that the record can be closed in good order."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()
