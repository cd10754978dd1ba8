"""One contained process: a program is loaded into it, called, and judged by what can be seen from outside."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from joulemark.code.contain.limits import Limits
from joulemark.code.contain.vitals import Gone, Vitals
from joulemark.code.inside.plain import Plain, decode, encode
from joulemark.code.inside.wire import MAX_MESSAGE_BYTES
from joulemark.record.code_run import Outcome
from joulemark.record.errors import InputError

_CREDENTIALS = struct.Struct("3i")
_LOOK_S = 0.02  # how often limits are looked at while a program runs
_START_S = 20.0
_HEADER = 4

Ask = Callable[[str, tuple[Plain, ...]], Plain]
"""Answers a call that a program makes of a function that is not in its process; raises ``RuntimeError``."""


class Ended(Exception):
    """A program ended in another way than by answering; ``detail`` is for a reader."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(outcome, detail)
        self.outcome = outcome
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Called:
    """What was seen of one call, or of several in one go.

    ``values``: what was returned, by call, up to the first exception; ``outcome`` is that of the last.
    ``cpu_ns``, ``wall_ns``: between start and end, from outside; ``cpu_inside_ns``: as the process says.
    ``cpu_around_ns``: CPU time of the whole life of the process outside the call. Bytes as in `CodeRun`.
    """

    outcome: Outcome
    values: tuple[Plain, ...]
    detail: str
    cpu_ns: int
    cpu_inside_ns: int | None
    cpu_around_ns: int
    wall_ns: int
    resident_bytes: int
    peak_bytes: int | None
    n_threads: int
    memory: tuple[tuple[int, int], ...] = ()


class Cell:
    """A fresh contained process. `load` once, then `call`; `close` ends it and all it started."""

    def __init__(self, wire: socket.socket, status: socket.socket, limits: Limits) -> None:
        self._wire, self._status, self._limits = wire, status, limits
        self._received = bytearray()
        self._first_pid: int | None = None
        try:
            self._first_pid = self._sender(status)
            pid = self._sender(wire, hello=True)
            self._vitals = Vitals(pid)
        except (Gone, OSError) as error:
            self.close()
            raise InputError(
                "a contained process cannot be started",
                why=str(error) or "it ended at its start",
                fix="joulemark code selftest   # says what this machine allows",
            ) from error

    def load(
        self,
        source: str,
        entry_point: str,
        *,
        remote: Sequence[str] = (),
        ask: Ask | None = None,
        recursion: int | None = None,
    ) -> None:
        """Load a program; ``remote`` names functions that ``ask`` answers. Raises `Ended`."""
        self._send(
            {"source": source, "entry_point": entry_point, "remote": list(remote), "recursion": recursion}
        )
        message = self._receive(self._until(), ask)
        kind = message.get("kind")
        if kind == "loaded":
            return
        outcome = Outcome.NO_ENTRY_POINT if kind == "no_entry_point" else Outcome.NOT_LOADED
        if message.get("type") in ("SystemExit", "KeyboardInterrupt"):
            outcome = Outcome.EXITED
        raise Ended(outcome, str(message.get("detail", ""))[:500])

    def call(
        self, inputs: Sequence[str], *, ask: Ask | None = None, sample_memory_s: float | None = None
    ) -> Called:
        """Call the program once for each of ``inputs`` (texts of `encode`), one after another.

        ``sample_memory_s``: read the resident memory so often while it runs. Raises `Ended` where no answer
        came; limits of time are for all calls together.
        """
        self._send({"inputs": list(inputs)})
        self._expect("ready", self._until())
        try:
            return self._timed(len(inputs), ask, sample_memory_s)
        except Gone:
            raise self._ended() from None

    def _timed(self, n_calls: int, ask: Ask | None, sample_memory_s: float | None) -> Called:
        vitals = self._vitals
        has_peak = vitals.reset_peak()
        resident = vitals.resident_bytes()
        memory: list[tuple[int, int]] = []
        until = self._until()
        cpu_0, wall_0 = vitals.cpu_ns(), time.monotonic_ns()
        self._send({})
        message = self._receive(until, ask, sample_memory_s, memory)
        wall_1, cpu_1 = time.monotonic_ns(), vitals.cpu_ns()
        if message.get("kind") != "done":
            raise Ended(
                Outcome.BROKE_PROTOCOL, f"it sent {str(message.get('kind'))[:40]!r} in place of its end"
            )
        peak, threads = vitals.peak_bytes(), vitals.n_threads()
        self._send({})
        result = self._receive(self._until())
        cpu_2 = vitals.cpu_ns()
        outcome, values, detail = _result(result, n_calls)
        inside = message.get("cpu_ns")
        return Called(
            outcome=outcome,
            values=values,
            detail=detail,
            cpu_ns=cpu_1 - cpu_0,
            cpu_inside_ns=inside if type(inside) is int and 0 <= inside < 2**62 else None,
            cpu_around_ns=cpu_2 - (cpu_1 - cpu_0),
            wall_ns=wall_1 - wall_0,
            resident_bytes=resident,
            peak_bytes=max(0, peak - resident) if has_peak else None,
            n_threads=threads,
            memory=tuple(memory),
        )

    def close(self) -> None:
        """End the process and all it started."""
        if self._first_pid is not None:
            with contextlib.suppress(OSError):
                os.kill(self._first_pid, signal.SIGKILL)
        self._wire.close()
        self._status.close()

    def __enter__(self) -> Cell:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _sender(self, channel: socket.socket, *, hello: bool = False) -> int:
        """Return the process id, as this process sees it, of what sent the first bytes of a channel."""
        channel.settimeout(_START_S)
        data, ancillary, _, _ = channel.recvmsg(1 << 16, socket.CMSG_SPACE(_CREDENTIALS.size))
        channel.setblocking(False)
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        if hello:
            self._received += data
            self._expect("hello", time.monotonic() + _START_S, watched=False)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                return int(_CREDENTIALS.unpack(content[: _CREDENTIALS.size])[0])
        raise Gone

    def _until(self) -> float:
        return time.monotonic() + self._limits.wall_s

    def _expect(self, kind: str, until: float, *, watched: bool = True) -> dict[str, Any]:
        message = self._receive(until, watched=watched)
        if message.get("kind") != kind:
            raise Ended(
                Outcome.BROKE_PROTOCOL, f"it sent {str(message.get('kind'))[:40]!r} in place of {kind!r}"
            )
        return message

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps(message, separators=(",", ":")).encode()
        left = memoryview(len(body).to_bytes(_HEADER, "big") + body)
        until = self._until()
        while left:
            try:
                left = left[self._wire.send(left) :]
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Ended(Outcome.TIMED_OUT, "it did not take its input") from None
                select.select([], [self._wire], [], _LOOK_S)
            except OSError:
                raise self._ended() from None

    def _receive(
        self,
        until: float,
        ask: Ask | None = None,
        sample_memory_s: float | None = None,
        memory: list[tuple[int, int]] | None = None,
        *,
        watched: bool = True,
    ) -> dict[str, Any]:
        """Wait for a message and answer what the program asks meanwhile. Raises `Ended`."""
        while True:
            message = self._message(until, sample_memory_s, memory, watched=watched)
            if message.get("kind") != "ask" or ask is None:
                return message
            asked_at = time.monotonic()
            self._send(_answered(message, ask))
            until += time.monotonic() - asked_at  # another process computed meanwhile

    def _message(
        self,
        until: float,
        sample_memory_s: float | None,
        memory: list[tuple[int, int]] | None,
        *,
        watched: bool,
    ) -> dict[str, Any]:
        step = sample_memory_s or _LOOK_S
        while True:
            if (message := self._taken()) is not None:
                return message
            ready, _, _ = select.select([self._wire], [], [], step)
            if ready:
                self._read()
                continue
            if sample_memory_s and memory is not None:
                with contextlib.suppress(Gone):
                    memory.append((time.monotonic_ns(), self._vitals.resident_bytes()))
            if watched:
                self._look(until)
            elif time.monotonic() > until:
                raise Gone

    def _look(self, until: float) -> None:
        """Raise `Ended` where the process is over a limit."""
        limits = self._limits
        if time.monotonic() > until:
            raise Ended(Outcome.TIMED_OUT, f"it took more than {limits.wall_s:g} s")
        try:
            if self._vitals.cpu_ns() > limits.cpu_s * 1e9:
                raise Ended(Outcome.OVER_CPU, f"it took more than {limits.cpu_s:g} s of CPU time")
            if self._vitals.resident_bytes() > limits.memory_bytes:
                raise Ended(Outcome.OVER_MEMORY, f"it took more than {limits.memory_bytes >> 20} MiB")
        except Gone:
            raise self._ended() from None

    def _read(self) -> None:
        try:
            part = self._wire.recv(1 << 20)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            raise self._ended()
        self._received += part
        if len(self._received) > MAX_MESSAGE_BYTES:
            raise Ended(Outcome.OVER_OUTPUT, "it sent more than can be read")

    def _taken(self) -> dict[str, Any] | None:
        """Return a message that has arrived as a whole; raises `Ended` where it is none."""
        if len(self._received) < _HEADER:
            return None
        size = int.from_bytes(self._received[:_HEADER], "big")
        if size > MAX_MESSAGE_BYTES:
            raise Ended(Outcome.BROKE_PROTOCOL, "it sent what is no message")
        if len(self._received) < _HEADER + size:
            return None
        body = bytes(self._received[_HEADER : _HEADER + size])
        del self._received[: _HEADER + size]
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Ended(Outcome.BROKE_PROTOCOL, "it sent what is no message")
        return message

    def _ended(self) -> Ended:
        """Say how the process ended, by the word of the process that watched it."""
        until = time.monotonic() + 1.0
        text = b""
        while not text.endswith(b"}\n") and time.monotonic() < until:
            if not select.select([self._status], [], [], 0.1)[0]:
                continue
            try:
                part = self._status.recv(4096)
            except OSError:
                break
            if not part:
                break
            text += part
        try:
            code = int(json.loads(text)["code"])
        except (ValueError, KeyError, TypeError):
            return Ended(Outcome.EXITED, "it ended without an answer")
        if os.WIFSIGNALED(code):
            return _by_signal(os.WTERMSIG(code))
        return Ended(
            Outcome.EXITED, f"it ended itself with code {os.WEXITSTATUS(code)} and without an answer"
        )


def _by_signal(number: int) -> Ended:
    if number == getattr(signal, "SIGXCPU", None):
        return Ended(Outcome.OVER_CPU, "the kernel's limit of CPU time ended it")
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return Ended(Outcome.CRASHED, f"it was ended by {name}")


def _answered(message: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    try:
        args = decode(message.get("args", ""))
        if not isinstance(args, tuple):
            raise ValueError("no arguments")
        return {"value": encode(ask(str(message.get("name", "")), args))}
    except (ValueError, RuntimeError) as error:
        return {"error": str(error)[:500]}


def _result(message: Mapping[str, Any], n_calls: int) -> tuple[Outcome, tuple[Plain, ...], str]:
    kind, detail = message.get("kind"), str(message.get("detail", ""))[:500]
    if kind == "over_output":
        return Outcome.OVER_OUTPUT, (), detail
    if kind not in ("returned", "raised") or not isinstance(message.get("values"), list):
        return Outcome.BROKE_PROTOCOL, (), f"it sent {str(kind)[:40]!r} in place of its result"
    try:
        values = tuple(decode(text) for text in message["values"])
    except (ValueError, TypeError):
        return Outcome.BROKE_PROTOCOL, (), "its result is no value"
    if kind == "returned":
        if len(values) != n_calls:
            return Outcome.BROKE_PROTOCOL, (), f"it sent {len(values)} results of {n_calls}"
        return Outcome.RETURNED, values, ""
    ended = message.get("type") in ("SystemExit", "KeyboardInterrupt")
    if message.get("type") == "MemoryError":
        return Outcome.OVER_MEMORY, values, detail
    return Outcome.EXITED if ended else Outcome.RAISED, values, detail
