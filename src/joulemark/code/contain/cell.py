"""One contained process: a program is loaded into it, called, and judged by what can be seen from outside."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from joulemark.code.contain.asked import Ask, answered
from joulemark.code.contain.called import Called, Result, announced_sizes, outcome_of, result_of
from joulemark.code.contain.channel import Channel, Closed
from joulemark.code.contain.containment import Containment
from joulemark.code.contain.dropped import Dropped
from joulemark.code.contain.ended import Ended, by_status, cpu_of_status, said
from joulemark.code.contain.greeting import receive_until, sender_of
from joulemark.code.contain.instructions import InstructionCounter, NoCounter
from joulemark.code.contain.limits import MAX_THREADS, Limits
from joulemark.code.contain.process import Process
from joulemark.code.contain.spent import Spent, at_begin, at_end
from joulemark.code.contain.vitals import Gone, vitals_of
from joulemark.code.inside.packed import Packed
from joulemark.record.code_run import Outcome
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason

__all__ = ["Ask", "Called", "Cell", "Ended"]

_START_S = 20.0
_END_S = 2.0
_STATUS_S = 1.0


class Cell:
    """A fresh contained process. `load` once, then `call`; `close` ends it and all it started.

    ``when_closed`` is called at the end.
    """

    def __init__(
        self,
        wire: socket.socket,
        status: socket.socket,
        limits: Limits,
        containment: Containment,
        when_closed: Callable[[], None] | None = None,
    ) -> None:
        self.containment = containment
        self._limits = limits
        self._channel, self._status = Channel(wire), status
        self._when_closed = when_closed
        self._first: Process | None = None
        self._in_calls_ns = 0
        self._around_told_ns = 0
        self._loaded_bytes: int | None = None
        self._resident_bytes: int | None = None
        self._has_peak = False
        self._dropped: Dropped | None = None
        self._counter: InstructionCounter | None = None
        self._no_counter: Reason | None = None
        self._call_begin: Spent | None = None
        self._seen_cpu_ns = 0
        self._held = contextlib.ExitStack()
        try:
            self._first = Process(sender_of(status, _START_S)[1])
            greeting, pid = sender_of(wire, _START_S)
            self._channel.took(greeting)
            self._channel.receive(receive_until(time.monotonic() + _START_S))
            self._vitals = vitals_of(pid, own_tmp=containment.namespaces)
            self._held.callback(self._vitals.close)
        except (Gone, Closed, Ended, OSError, ValueError) as error:
            self.close()
            raise InputError(
                "a contained process cannot be started",
                why=str(error) or "it ended at its start",
                fix="joulemark code selftest   # says what this machine allows",
            ) from error
        try:
            self._counter = InstructionCounter(pid)
        except NoCounter as none:
            self._no_counter = none.reason
        self._begin()

    def load(
        self,
        source: str,
        entry_point: str,
        *,
        remote: Sequence[str] = (),
        ask: Ask | None = None,
        recursion: int | None = None,
        rehearsal: str | None = None,
    ) -> None:
        """Load a program; ``remote`` names functions that ``ask`` answers. Raises `Ended`.

        ``rehearsal``: an input (text of `encode`) that another copy of the program is called with before, so
        that the library is as warm as in a process that ran for long; what comes of it is thrown away.
        """
        order = {
            "source": source,
            "entry_point": entry_point,
            "remote": list(remote),
            "recursion": recursion,
            "rehearsal": rehearsal,
        }
        with self._watched():
            self._begin()
            self._channel.send(order, self._look)
            message = self._receive(ask)
            kind, detail = message.get("kind"), said(message, "detail")
            if kind == "loaded":
                self._loaded_bytes = self._vitals.resident_bytes()
                return
            if kind == "no_entry_point":
                raise Ended(Outcome.NO_ENTRY_POINT, detail)
            if kind == "not_loaded":
                raise Ended(outcome_of(message, Outcome.NOT_LOADED), detail)
            raise _unexpected(message, "its being loaded")

    def call(
        self,
        inputs: Sequence[Packed],
        *,
        ask: Ask | None = None,
        sample_memory_s: float | None = None,
        cpu_limit_s: float | None = None,
        as_bytes: bool = False,
    ) -> Called:
        """Call the program once for each of ``inputs`` (of `pack`, or texts of `encode`), one after another.

        ``sample_memory_s``: read the resident memory so often while it runs. ``cpu_limit_s``: of CPU time,
        where it is less than that of `Limits`. ``as_bytes``: results that all are bytes may come as such.
        Raises `Ended` where no answer came; limits of time are for all calls together.
        """
        with self._watched():
            self._call_begin = None
            self._begin()
            before_ns = self._seen_cpu_ns
            self._has_said_nothing()
            announced = [one if isinstance(one, str) else len(one) for one in inputs]
            following = (one for one in inputs if isinstance(one, bytes))
            self._channel.send({"inputs": announced, "as_bytes": as_bytes}, self._look, following)
            message = self._receive()
            if message.get("kind") != "ready":
                raise _unexpected(message, "its being ready")
            return self._timed(len(inputs), ask, sample_memory_s, cpu_limit_s, before_ns, as_bytes)

    def close(self) -> None:
        """End the process and all it started, and wait until they are gone."""
        if self._first is not None:
            if self.containment.namespaces:
                self._first.kill()  # its end ends the namespace
            else:
                self._first.kill_family()
            self._first.wait(_END_S)  # a large one takes its time, and would disturb the next
            self._first.close()
            self._first = None
        if self._counter is not None:
            self._counter.close()
        self._held.close()
        self._channel.close()
        self._status.close()
        if self._when_closed is not None:
            self._when_closed()
            self._when_closed = None

    def __enter__(self) -> Cell:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _timed(
        self,
        n_calls: int,
        ask: Ask | None,
        sample_memory_s: float | None,
        cpu_limit_s: float | None,
        before_ns: int,
        as_bytes: bool,
    ) -> Called:
        vitals = self._vitals
        peak_before = vitals.peak_bytes()
        has_peak = self._has_peak = vitals.reset_peak()
        resident = self._resident_bytes = vitals.resident_bytes()
        dropped = self._dropped = Dropped(vitals)
        memory: list[tuple[int, int]] = []
        self._begin(cpu_limit_s)
        self._has_said_nothing()
        begin = self._call_begin = at_begin(vitals, self._counter)
        self._channel.send({}, self._look)
        message = self._receive(ask, memory, sample_memory_s)
        end = at_end(vitals, self._counter)
        if message.get("kind") != "done":
            raise _unexpected(message, "its end")
        peak, threads, ended = vitals.peak_bytes(), vitals.n_threads(), vitals.resident_bytes()
        dropped.look()
        vitals.reset_peak()
        # That it has come to its end is what the program says: what it does until its result is here is seen
        # too, and the limits of the call hold on.
        self._cpu_s = self._limits.cpu_s
        self._has_said_nothing()
        after = at_begin(vitals, None)
        self._channel.send({}, self._look)
        outcome, values, detail = self._result(n_calls, as_bytes)
        last = at_end(vitals, None)
        peak_after = vitals.peak_bytes()
        self._has_said_nothing()
        self._call_begin = None
        call, in_result = end.since(begin), last.since(after)
        inside = message.get("cpu_ns")
        if type(inside) is not int or not 0 <= inside < 2**62:
            inside = None
        agree = inside is not None and abs(call.cpu_ns - inside) <= vitals.step_ns
        self._in_calls_ns += call.cpu_ns
        return Called(
            outcome=outcome,
            values=values,
            detail=detail,
            # where they agree as far as can be seen from outside, the program's own clock sees more
            cpu_ns=inside if agree and inside is not None else call.cpu_ns,
            cpu_inside_ns=inside,
            cpu_around_ns=self._around_since_told(last.cpu_ns),
            cpu_before_ns=max(0, begin.cpu_ns - before_ns),
            cpu_after_ns=max(0, last.cpu_ns - end.cpu_ns),
            wall_ns=call.wall_ns,
            wall_after_ns=in_result.wall_ns,
            queued_after_ns=in_result.queued_ns,
            resident_bytes=resident,
            peak_bytes=_above(peak, resident, dropped) if has_peak and peak is not None else None,
            peak_before_bytes=None if peak_before is None else max(0, peak_before - resident),
            ended_bytes=ended - resident,
            peak_after_bytes=max(0, peak_after - ended) if has_peak and peak_after is not None else None,
            n_threads=threads,
            loaded_bytes=self._loaded_bytes,
            queued_ns=call.queued_ns,
            instructions=call.instructions,
            no_instructions=None
            if call.instructions is not None
            else self._no_counter or Reason.NOT_MEASURED,
            memory=tuple(memory),
            began_ns=begin.wall_ns,
            flags=self.containment.flags,
        )

    def _begin(self, cpu_limit_s: float | None = None) -> None:
        """Begin a stretch that the limits of time are for."""
        cpu_s = self._limits.cpu_s
        self._cpu_s = cpu_s if cpu_limit_s is None else min(cpu_limit_s, cpu_s)
        self._until = time.monotonic() + self._limits.wall_s
        self._queued_before_ns = self._vitals.queued_ns()
        self._look_at = 0.0
        self._missed = 0
        self._cpu_before_ns = self._seen_cpu_ns = self._vitals.cpu_ns()

    def _receive(
        self,
        ask: Ask | None = None,
        memory: list[tuple[int, int]] | None = None,
        sample_memory_s: float | None = None,
    ) -> dict[str, Any]:
        """Wait for a message and answer what the program asks meanwhile."""

        def sample() -> None:
            if memory is not None:
                with contextlib.suppress(Gone):
                    held = self._vitals.resident_bytes()
                    held += 0 if self._dropped is None else self._dropped.now_bytes()
                    memory.append((time.monotonic_ns(), held))

        while True:
            if sample_memory_s is None:
                message = self._channel.receive(self._look)
            else:
                message = self._channel.receive(self._look, sample, sample_memory_s)
            if message.get("kind") != "ask" or ask is None:
                return message
            asked_at = time.monotonic()
            self._channel.send(answered(message, ask), self._look)
            self._until += time.monotonic() - asked_at  # another process computed meanwhile

    def _result(self, n_calls: int, as_bytes: bool) -> Result:
        message = self._receive()
        sizes = announced_sizes(message, n_calls) if as_bytes else None
        if sizes is None:
            return result_of(message, n_calls)
        values = tuple(self._channel.receive_bytes(size, self._look) for size in sizes)
        return Outcome.RETURNED, values, ""

    def _look(self) -> None:
        """Raise `Ended` where the process is over a limit."""
        now, limits = time.monotonic(), self._limits
        if now > self._until and now > self._until + (kept_s := self._kept_waiting_s()):
            beside = f", and {kept_s:.1f} s that it was kept waiting for a processor" if kept_s >= 0.1 else ""
            raise Ended(Outcome.TIMED_OUT, f"it took more than {limits.wall_s:g} s{beside}")
        if now < self._look_at:
            return
        self._look_at = now + self._vitals.look_s
        try:
            self._seen_cpu_ns = self._vitals.cpu_ns()
            if self._seen_cpu_ns - self._cpu_before_ns > self._cpu_s * 1e9:
                raise Ended(Outcome.OVER_CPU, f"it took more than {self._cpu_s:g} s of CPU time")
            if self._vitals.resident_bytes() > limits.memory_bytes:
                raise Ended(Outcome.OVER_MEMORY, f"it took more than {limits.memory_bytes >> 20} MiB")
            if self._dropped is not None:
                self._dropped.look()
            if self._vitals.n_threads() > MAX_THREADS:
                raise Ended(Outcome.OVER_MEMORY, f"it had more than {MAX_THREADS} threads")
        except Gone:
            self._missed += 1
            if self._missed > 1:  # its last words have been read by now
                raise

    def _kept_waiting_s(self) -> float:
        """Return how long the program was ready to run and had no processor: the machine's time, not its own.

        What it computes ends at the limit of CPU time and what it sleeps at that of the wall, so it ends.
        """
        before, now = self._queued_before_ns, self._vitals.queued_ns()
        return 0.0 if before is None or now is None else max(0, now - before) / 1e9

    def _has_said_nothing(self) -> None:
        if not self._channel.is_silent():
            raise Ended(Outcome.BROKE_PROTOCOL, "it sent what was not asked for")

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Turn whatever ends the program into `Ended`, which says under what the program ran."""
        words = b""
        try:
            yield
        except (Closed, Gone):
            words = self._last_words()
            ended = by_status(words)
        except Ended as error:
            ended = error
        else:
            return
        ended.flags = self.containment.flags
        self._tell_spent(ended, cpu_of_status(words))
        raise ended from None

    def _tell_spent(self, ended: Ended, whole_life_ns: int | None) -> None:
        """Say what was seen of the process until it ended: readings of now, else the last ones."""
        begin = self._call_begin
        seen_ns, queued_ns = max(self._seen_cpu_ns, whole_life_ns or 0), None
        with contextlib.suppress(Gone):
            now = at_end(self._vitals, None)
            seen_ns, queued_ns = max(seen_ns, now.cpu_ns), now.queued_ns
        if begin is not None:
            self._tell_peak(ended)
            call = Spent(seen_ns, time.monotonic_ns(), queued_ns).since(begin)
            self._in_calls_ns += call.cpu_ns
            ended.cpu_ns, ended.wall_ns, ended.queued_ns = call.cpu_ns, call.wall_ns, call.queued_ns
        ended.cpu_around_ns = self._around_since_told(seen_ns)

    def _around_since_told(self, whole_ns: int) -> int:
        """Return the CPU time outside calls that no call before this one has told: a process has many."""
        around_ns = max(0, whole_ns - self._in_calls_ns - self._around_told_ns)
        self._around_told_ns += around_ns
        return around_ns

    def _tell_peak(self, ended: Ended) -> None:
        """Say what memory was seen of the call that was ended: the process may be gone."""
        with contextlib.suppress(Gone):
            peak, resident = self._vitals.peak_bytes(), self._resident_bytes
            if self._has_peak and peak is not None and resident is not None:
                ended.resident_bytes, ended.peak_bytes = resident, _above(peak, resident, self._dropped)

    def _last_words(self) -> bytes:
        """Return what the process says that watched this one: how it ended."""
        until = time.monotonic() + _STATUS_S
        text = b""
        waiting = select.poll()
        waiting.register(self._status, select.POLLIN)
        while b'"code"' not in text and time.monotonic() < until:
            if not waiting.poll(100):
                continue
            try:
                part = self._status.recv(4096)
            except OSError:
                break
            if not part:
                break
            text += part
        return text


def _above(peak: int, resident: int, dropped: Dropped | None) -> int:
    """Return the peak above what was resident at the start, with what was dropped of that meanwhile."""
    return max(0, peak - resident) + (0 if dropped is None else dropped.most_bytes)


def _unexpected(message: Mapping[str, Any], wanted: str) -> Ended:
    return Ended(Outcome.BROKE_PROTOCOL, f"it sent {said(message, 'kind')[:40]!r} in place of {wanted}")
