"""The sampler process: ``python -m joulemark.telemetry.sampler_main EVENT_FD PAGE_FD``.

Reads its `SamplerConfig` and commands on standard input, answers edges on standard output, reports on
``EVENT_FD`` and writes the telemetry journal. It leaves when told to, when its input ends or when its
parent is gone, each time after the last sample. Ctrl-C is the parent's to handle.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable

from joulemark.meters.discovery import open_source
from joulemark.meters.source import SourceSpec
from joulemark.record.clock import SystemClock
from joulemark.record.telemetry import Reading
from joulemark.telemetry.background import LEAVE_S, BackgroundReader
from joulemark.telemetry.journal import TelemetryJournal
from joulemark.telemetry.look_page import LookPage
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan
from joulemark.telemetry.wire import MARKER_SOURCE, SampledSource, SamplerConfig, event_line, split_lines

SUMMARY_NS = 1_000_000_000


class SamplerProcess:
    """Waits for commands and due sources; answers first, writes then."""

    def __init__(
        self, config: SamplerConfig, page: LookPage, commands_fd: int, answers_fd: int, events_fd: int
    ) -> None:
        self._config, self._page = config, page
        self._commands_fd, self._answers_fd, self._events_fd = commands_fd, answers_fd, events_fd
        self._input = bytearray()
        self._stop = False
        self._disk_full = False
        self._clock = SystemClock()
        self._journal = TelemetryJournal(config.journal_path)
        self._loop = SamplerLoop(
            [_plan(source) for source in config.sources if not source.is_slow],
            self._clock,
            config.segment,
            first_flags=config.first_flags,
            slept_ns=_sleep_clock(),
        )
        self._slow: list[BackgroundReader] = []
        self._summary_ns = 0

    def run(self) -> None:
        """Sample until told to stop."""
        marker = Reading(
            self._config.segment, self._clock.now_ns(), MARKER_SOURCE, "", flags=self._config.first_flags
        )
        self._slow = [
            BackgroundReader(
                _plan(source),
                self._clock,
                self._config.segment,
                first_flags=self._config.first_flags,
                age_s=source.value_age_s,
                slept_ns=_sleep_clock(),
            )
            for source in self._config.sources
            if source.is_slow
        ]
        self._loop.start()
        self._write([marker] if marker.flags else [])
        self._report("ready", {"t_ns": self._clock.now_ns(), "pid": os.getpid()})
        while not self._stop:
            self._wait(self._loop.due_ns())
            if self._page.take_mark():
                self._edge()
            self._loop.tick()
            self._write()
            self._summarise()
        self._finish()

    def _wait(self, due_ns: int) -> None:
        """Sleep until ``due_ns`` or a mark, while serving commands."""
        while not self._stop:
            self._page.say_calm(self._loop.calm_from_ns())
            if self._page.marked:
                return
            timeout_s = max(0.0, (due_ns - self._clock.now_ns()) / 1e9)
            if not select.select((self._commands_fd,), (), (), timeout_s)[0]:
                return
            self._serve()
            due_ns = min(due_ns, self._loop.due_ns())

    def _serve(self) -> None:
        data = os.read(self._commands_fd, 65536)
        self._stop = not data
        self._input += data
        for line in split_lines(self._input):
            if line == b"stop":
                self._stop = True
            elif line.startswith(b"edge "):
                self._answer(b"%s %d\n" % (line[5:], self._edge()))
        self._write()

    def _edge(self) -> int:
        """Have all sources read; returns the stamp right after the reads of those that are quickly read."""
        t_ns = self._loop.edge()
        for reader in self._slow:
            reader.request_edge()
        return t_ns

    def _finish(self) -> None:
        """Take the last sample; go on until every counter has changed once more or 3 updates passed."""
        for reader in self._slow:
            reader.request_stop()
        self._loop.edge()
        while self._loop.watching:
            self._clock.sleep_s(max(0.0, (self._loop.due_ns() - self._clock.now_ns()) / 1e9))
            self._loop.tick()
        self._write()  # whoever stopped this may not wait for a slow meter
        leave_ns = self._clock.now_ns() + round(LEAVE_S * 1e9)
        for reader in self._slow:
            reader.join(max(0.0, (leave_ns - self._clock.now_ns()) * 1e-9))
        self._write()
        self._loop.close()
        try:
            self._journal.close()
        except OSError as error:
            self._fault(error)
        self._report("done", {"dropped": self._journal.dropped})

    def _write(self, rows_before: list[Reading] | None = None) -> None:
        try:
            slow = [row for reader in self._slow for row in reader.take_rows()]
            self._journal.append([*(rows_before or ()), *self._loop.take_rows(), *slow])
        except OSError as error:
            self._fault(error)
            return
        if self._disk_full:
            self._disk_full = False
            self._report("mended", {"dropped": self._journal.dropped})

    def _fault(self, error: OSError) -> None:
        if not self._disk_full:
            self._disk_full = True
            self._report("fault", {"errno": error.errno, "detail": error.strerror or str(error)})

    def _summarise(self) -> None:
        """Once a second: push the last readings, have the journal synced, see that the parent lives."""
        now_ns = self._clock.now_ns()
        if now_ns - self._summary_ns < SUMMARY_NS:
            return
        self._summary_ns = now_ns
        self._journal.sync_soon()
        latest = dict(self._loop.latest)
        for reader in self._slow:
            latest.update(reader.latest)
        for name, reading in latest.items():
            fields = {"t_ns": reading.t_ns, "values": reading.values, "flags": reading.flags}
            self._report("latest", {"source": name, "scope": reading.scope, **fields})
        # End of input says the same, unless a fork of the parent holds the pipe. Linux's parent-death signal
        # would fire when the thread that started us ends, which is not the parent's end.
        if os.getppid() != self._config.parent_pid:
            self._stop = True

    def _answer(self, line: bytes) -> None:
        with contextlib.suppress(OSError):  # a parent that is gone or does not read wants no answer
            os.write(self._answers_fd, line)

    def _report(self, kind: str, fields: dict[str, object]) -> None:
        with contextlib.suppress(OSError):
            os.write(self._events_fd, event_line(kind, fields))


def _plan(source: SampledSource) -> SourcePlan:
    return SourcePlan(
        source.name,
        source.scope,
        round(source.poll_s * 1e9),
        None if source.update_max_s is None else round(source.update_max_s * 1e9),
        functools.partial(open_source, SourceSpec(source.kind, source.args)),
    )


def _sleep_clock() -> Callable[[], int] | None:
    """Return how long the machine has been suspended since boot, in ns, where the system tells."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    if boottime is None:
        return None
    return lambda: time.clock_gettime_ns(boottime) - time.monotonic_ns()


def main() -> None:
    """Run the process to its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    events_fd, page_fd = map(int, sys.argv[1:])
    page = LookPage(page_fd)
    os.close(page_fd)
    answers_fd = os.dup(1)
    os.dup2(2, 1)  # what a driver prints must not pass for an answer
    for fd in (answers_fd, events_fd):
        os.set_blocking(fd, False)
        os.set_inheritable(fd, False)
    config_line = bytearray()
    while not config_line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            return
        config_line += byte
    try:
        process = SamplerProcess(SamplerConfig.from_line(bytes(config_line)), page, 0, answers_fd, events_fd)
    except OSError as error:  # the journal cannot be opened; the parent reads this when we are gone
        sys.exit(f"{error.filename or 'journal'}: {error.strerror or error}")
    gc.collect()
    gc.freeze()
    process.run()


if __name__ == "__main__":
    main()
