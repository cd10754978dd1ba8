"""The parent's handle on the sampler process: edges, last readings, restarts. It degrades, never raises."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from joulemark.meters.source import SourceSpec
from joulemark.record.errors import InputError
from joulemark.record.meter import QualifiedSource
from joulemark.record.telemetry import Reading
from joulemark.telemetry.journal import TelemetryJournal
from joulemark.telemetry.link import SamplerLink
from joulemark.telemetry.wire import MARKER_SOURCE, SAMPLER_LOST, SampledSource, SamplerConfig

START_TIMEOUT_S = 20.0
EDGE_TIMEOUT_S = 0.5
MAX_RESTARTS = 20
RESTART_DELAY_S = 0.2  # before a restart of a sampler that never became ready


@dataclass(frozen=True, slots=True)
class SamplerHealth:
    """How the sampler fared.

    ``missed_edges``: edges without a read of their own, so that their bound is as wide as the polls are far
    apart. ``journal_fault``: why the journal cannot be written at present, null when it can. ``gave_up``: the
    process died too often and no longer runs; ``complaint`` is the last it said.
    """

    restarts: int = 0
    missed_edges: int = 0
    dropped_rows: int = 0
    journal_fault: str | None = None
    gave_up: bool = False
    complaint: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a report should say, one sentence each; empty when all went well."""
        parts = [
            (self.restarts, f"Restarts of the sampler process after a loss: {self.restarts}."),
            (self.missed_edges, f"Edge reads missed: {self.missed_edges}."),
            (self.dropped_rows, f"Telemetry rows dropped: {self.dropped_rows}."),
            (self.journal_fault, f"The telemetry journal could not be written: {self.journal_fault}."),
            (self.gave_up, f"The sampler process died too often and was given up: {self.complaint}"),
        ]
        return tuple(text for seen, text in parts if seen)


class Sampler:
    """A running sampler. Make it with `start`; use it as a context manager or call `stop`."""

    def __init__(self, config: SamplerConfig) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._latest: dict[str, Reading] = {}
        self._health = SamplerHealth()
        self._stopping = False
        self._ready = threading.Event()
        self._link = SamplerLink(config)
        self._watcher = threading.Thread(target=self._watch, name="sampler-watch", daemon=True)

    @classmethod
    def start(
        cls,
        sources: Sequence[tuple[SourceSpec, QualifiedSource]],
        journal_path: Path,
        segment: int,
        *,
        timeout_s: float = START_TIMEOUT_S,
    ) -> Sampler:
        """Start the process and wait for its first sample.

        Raises `InputError` when it does not come up; after that nothing here raises because of the sampler.
        """
        sampled = tuple(SampledSource.of(spec, source) for spec, source in sources)
        config = SamplerConfig(str(journal_path), segment, os.getpid(), sampled)
        try:
            sampler = cls(config)
        except OSError as error:
            raise InputError("The sampler process cannot be started", why=str(error)) from error
        try:
            sampler._watcher.start()
        except RuntimeError as error:  # no thread can be started: nobody would hear the process
            sampler._link.kill()
            sampler._link.reap()
            raise InputError("The sampler process cannot be watched", why=str(error)) from error
        if not sampler._ready.wait(timeout_s) or not sampler._link.ready:
            sampler.stop()
            why = sampler._health.complaint.rsplit("\n", 1)[-1] or f"it was not ready after {timeout_s:g} s"
            raise InputError("The sampler process did not start", why=why, fix="joulemark doctor")
        return sampler

    def edge(self) -> int:
        """Have every source read now; return the stamp (monotonic ns) right after the reads.

        Blocks for the round trip only (some 0.2 ms). When the sampler does not answer, the present stamp.
        """
        return self._stamp(self._link.edge(EDGE_TIMEOUT_S))

    def mark(self, now_ns: int) -> None:
        """Ask for an edge at ``now_ns`` (monotonic) and go on at once; a sampler that is gone is not asked.

        Takes some microseconds where the sampler has to be woken, less than one where it looks soon anyway.
        """
        self._link.mark(now_ns)

    async def aedge(self) -> int:
        """Like `edge`, while the event loop goes on."""
        return self._stamp(await self._link.aedge(EDGE_TIMEOUT_S))

    def latest(self) -> dict[str, Reading]:
        """Return the last reading of each source as pushed about once a second, by source name."""
        return dict(self._latest)

    @property
    def health(self) -> SamplerHealth:
        """How it fares."""
        return self._health

    @property
    def pid(self) -> int | None:
        """The sampler's present process id; null while there is none."""
        return self._link.pid

    def stand_back(self) -> None:
        """Have the present process, when it is woken, wait for a free processor; its successor does not."""
        self._link.stand_back()

    def stop(self, timeout_s: float = 10.0) -> SamplerHealth:
        """Take the last sample, wait for the counters to change once more, close the journal."""
        with self._lock:
            self._stopping = True
            self._link.tell_stop()
        self._watcher.join(timeout_s)
        if self._watcher.is_alive():
            self._link.kill()
            self._watcher.join()
        return self._health

    def __enter__(self) -> Sampler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _stamp(self, t_ns: int | None) -> int:
        if t_ns is not None:
            return t_ns
        self._note(missed_edges=self._health.missed_edges + 1)
        return time.monotonic_ns()

    def _note(self, **changes: Any) -> None:
        with self._lock:
            self._health = replace(self._health, **changes)

    def _watch(self) -> None:
        """Hear the process out; when it dies unasked, start the next one. The watcher thread's whole life."""
        while True:
            finished = False
            for event in self._link.events():
                finished = finished or event["event"] == "done"
                self._on_event(event)
            link = self._link
            was_ready = link.ready
            self._note(complaint=link.reap())
            never_up = not was_ready and not self._ready.is_set()
            self._ready.set()
            if finished or never_up or not self._restart(was_ready):
                if not finished and not never_up:
                    self._mark_lost()
                return

    def _restart(self, was_ready: bool) -> bool:
        if not was_ready:
            time.sleep(RESTART_DELAY_S)
        config = replace(self._config, first_flags=(SAMPLER_LOST,))
        with self._lock:
            if self._stopping:
                return False
            if self._health.restarts >= MAX_RESTARTS:
                self._health = replace(self._health, gave_up=True)
                return False
            try:
                self._link = SamplerLink(config)
            except OSError as error:
                self._health = replace(self._health, gave_up=True, complaint=str(error))
                return False
            self._health = replace(self._health, restarts=self._health.restarts + 1)
        return True

    def _mark_lost(self) -> None:
        """Say in the journal that nobody samples any more; no other process writes it now."""
        marker = Reading(self._config.segment, time.monotonic_ns(), MARKER_SOURCE, "", flags=(SAMPLER_LOST,))
        with contextlib.suppress(OSError):
            journal = TelemetryJournal(self._config.journal_path)
            try:
                journal.append([marker])
            finally:
                journal.close()

    def _on_event(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "ready":
                self._ready.set()
            case "latest":
                reading = Reading(
                    self._config.segment,
                    event["t_ns"],
                    event["source"],
                    event["scope"],
                    event["values"],
                    flags=tuple(event["flags"]),
                )
                self._latest = {**self._latest, reading.source: reading}
            case "fault":
                self._note(journal_fault=event["detail"])
            case "mended":
                self._note(journal_fault=None, dropped_rows=event["dropped"])
            case "done":
                self._note(dropped_rows=event["dropped"])
