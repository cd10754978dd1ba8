"""One run from plan to record: engine, meters, questions, journals, segments."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from joulemark.engines.client import StreamClient
from joulemark.meters.discovery import discover
from joulemark.record.clock import SystemClock
from joulemark.record.errors import JoulemarkError
from joulemark.record.manifest import Manifest
from joulemark.runs.asking import Asking
from joulemark.runs.client_check import CheckedClient
from joulemark.runs.commitment import commitment_key
from joulemark.runs.directory import open_directory
from joulemark.runs.finalize import finalize
from joulemark.runs.host import boot_id
from joulemark.runs.journal import ItemJournal, read_items
from joulemark.runs.layout import RunLayout, locked
from joulemark.runs.metering import Metering
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.runs.segment import OpenSegment
from joulemark.runs.wanted import Wanted, wanted

End = Literal["done", "interrupted", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What came of a run: answers stored of answers wanted, and what ended it early, if anything did."""

    root: Path
    end: End
    completed: int
    total: int
    error: JoulemarkError | None = None


async def execute(plan: RunPlan, observer: Observer) -> RunOutcome:
    """Carry out ``plan`` and leave a valid record, also when interrupted or failing half-way.

    Raises `InputError` before anything was measured (unreachable engine, missing file, directory in use).
    """
    # A wrong choice of meters is told before an engine is started for nothing.
    await asyncio.to_thread(discover, plan.meters)
    observer.stage("starting the engine")
    with _termination_interrupts():
        try:
            await plan.engine.start()
            facts = plan.engine.describe()
            layout, manifest = open_directory(plan, facts)
            with locked(layout, boot_id()):
                try:
                    return await _execute_in(layout, manifest, plan, observer)
                finally:
                    _keep_engine_log(plan, layout)
        finally:
            await plan.engine.stop()


async def _execute_in(layout: RunLayout, manifest: Manifest, plan: RunPlan, observer: Observer) -> RunOutcome:
    rows, unreadable = read_items(layout.items_journal)
    if unreadable:
        observer.note(f"{unreadable} torn line(s) of an earlier life of this run were left out")
    done = {row.item.key for row in rows if row.item.phase == "measure"}
    left = wanted(plan.task, plan.repeats, done)
    total = len(plan.task.questions) * plan.repeats
    if not left:
        finalize(layout, manifest, complete=True)
        return RunOutcome(layout.root, "done", total, total)

    clock = SystemClock()
    segment = OpenSegment(manifest, layout, clock)
    metering = Metering(plan, manifest, layout.telemetry_journal, segment.index, clock)
    journal = ItemJournal(layout.items_journal)
    client = StreamClient(plan.engine.endpoint, total_timeout_s=plan.timeout_s)
    asking = Asking(
        plan=plan,
        client=client,
        journal=journal,
        metering=metering,
        observer=observer,
        segment=segment,
        commitment_key=commitment_key(),
    )
    end: End = "failed"
    error: JoulemarkError | None = None
    try:
        end = await _measure(asking, left, manifest, total)
    except asyncio.CancelledError:
        end = "interrupted"
        _accept_cancellation()
    except JoulemarkError as raised:
        error = raised
    finally:
        # Whatever happened, the record needs its end, and the last item's energy a reading after it. A run
        # that ends early ends with its last stored answer: what was in flight is not charged to it.
        segment.close_window(asking.last_t_end() if end in ("interrupted", "failed") else None)
        await metering.stop()
        journal.close()
        await client.aclose()
        segment.facts.t1, segment.facts.end = clock.now_ns(), end
        segment.save()
    completed = len(done) + len(asking.items)
    observer.stage("writing the record")
    finalize(layout, manifest, complete=end == "stopped" or completed == total)
    return RunOutcome(layout.root, end, completed, total, error)


async def _measure(asking: Asking, left: list[Wanted], manifest: Manifest, total: int) -> End:
    """Prepare, warm up and ask; returns how it ended. Cancellation and errors pass through."""
    metering, segment, observer = asking.metering, asking.segment, asking.observer
    observer.stage("testing the meters")
    await metering.prepare()
    observer.stage("testing the client")
    checked = CheckedClient(segment.index)
    await checked.self_test()
    metering.start()
    observer.stage("warming up")
    segment.open_window("warmup")
    await asking.warm_up()
    segment.close_window()
    metering.check_engine_on_devices()
    observer.started(total, total - len(left))
    try:
        async with checked.measuring():
            await metering.edge()
            segment.open_window("measure")
            decision = await asking.run(left)
    finally:
        manifest.client.append(checked.proof(asking.items))
    if decision is None:
        return "done"
    manifest.notes.append(f"stopped early by {decision.rule}: {decision.why}")
    return "stopped"


def _keep_engine_log(plan: RunPlan, layout: RunLayout) -> None:
    """Copy the engine's log beside the run: it started before the run's directory was known."""
    log_path = plan.engine.log_path
    if log_path is not None:
        with contextlib.suppress(OSError):
            shutil.copyfile(log_path, layout.engine_log)


@contextlib.contextmanager
def _termination_interrupts() -> Iterator[None]:
    """Let a polite request to end (SIGTERM) end the run as Ctrl-C does: with what was measured."""
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    assert task is not None
    try:
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    except (NotImplementedError, RuntimeError, ValueError):
        yield  # Windows, or not the main thread: the run then ends at once and is resumed
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _accept_cancellation() -> None:
    """Go on after a cancellation that was understood, so that the record can be closed in good order."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()
