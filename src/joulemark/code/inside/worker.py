"""The process that a program runs in. It obeys the parent's messages; what it says of itself is not believed.

The parent reads this process's CPU time and memory from outside, at the points where it waits here. Nothing
that a program must not see (expected values, other programs) is ever sent to it.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from joulemark.code.inside.packed import unpack
from joulemark.code.inside.plain import MAX_RESULT_DEPTH, Nodes, TooLarge, decode, encode
from joulemark.code.inside.program import NoEntryPoint, Program
from joulemark.code.inside.wire import MAX_MESSAGE_BYTES, Closed, Wire

# what a program puts into the modules' place changes nothing here
_collect, _callbacks, _set_trace, _set_profile = gc.collect, gc.callbacks, sys.settrace, sys.setprofile
_DETAIL_CHARS = 500
_TOO_LARGE = "its results are larger than can be sent"
_WARM_UPS = 3


def serve(descriptor: int, files: tuple[int, int] | None) -> None:
    """Load one program and call it as the parent asks, until the parent closes the channel.

    ``files``: of `program.text_files`; null where a program has a ``/tmp`` of its own.
    """
    wire = Wire(descriptor)
    wire.send({"kind": "hello", "pid": os.getpid()})
    try:
        order = wire.receive()
        program = _load(wire, order, files)
        while program is not None:
            _calls(wire, program, wire.receive())
    except Closed:
        return


def _load(wire: Wire, order: dict[str, Any], files: tuple[int, int] | None) -> Program | None:
    given = {name: _remote(wire, name) for name in order["remote"]}
    if order["entry_point"] and files is not None:
        for descriptor in files:  # it could put memory into them
            os.close(descriptor)
        files = None
    if order["recursion"]:
        sys.setrecursionlimit(order["recursion"])
    if order["rehearsal"] is not None:
        _rehearse(order, given, files)
    try:
        program = Program(order["source"], order["entry_point"], given, files)
    except NoEntryPoint as error:
        wire.send({"kind": "no_entry_point", "detail": str(error)})
    except BaseException as error:
        wire.send({"kind": "not_loaded", "detail": _said(error), "type": _name(error)})
    else:
        _unhook()
        wire.send({"kind": "loaded"})
        return program
    return None


def _rehearse(order: dict[str, Any], given: dict[str, Any], files: tuple[int, int] | None) -> None:
    """Execute a copy of the program and call it once: imports and caches of the library are made then."""
    with contextlib.suppress(BaseException):  # what is wrong with it is found out by its real calls
        copy = Program(order["source"], order["entry_point"], given, files)
        copy.call(decode(order["rehearsal"], copy.nodes))


def _calls(wire: Wire, program: Program, order: dict[str, Any]) -> None:
    """Call the program once for each input; the stretch between ``go`` and ``done`` holds nothing else."""
    _unhook()
    nodes = program.nodes
    inputs = [_input(wire, one, nodes) for one in order["inputs"]]
    results: list[Any] = []
    _collect()
    _warm_up()
    wire.send({"kind": "ready"})
    wire.receive()
    _warm_up()
    raised, cpu_ns, wall_ns = _timed(program.call, inputs, results)
    wire.send({"kind": "done", "cpu_ns": cpu_ns, "wall_ns": wall_ns})
    wire.receive()
    if order["as_bytes"] and raised is None and set(map(type, results)) == {bytes}:
        _report_bytes(wire, results)
    else:
        _report(wire, results, raised)


def _input(wire: Wire, announced: str | int, nodes: Nodes) -> Any:
    """Return an input: what was announced is its text, or how many bytes of it follow."""
    return unpack(announced if isinstance(announced, str) else wire.receive_bytes(announced), nodes)


def _unhook() -> None:
    """Take away what would run parts of the program while its inputs are read, outside its call."""
    _callbacks.clear()
    _set_trace(None)
    _set_profile(None)


def _timed(
    call: Callable[[Any], Any], inputs: list[Any], results: list[Any]
) -> tuple[BaseException | None, int, int]:
    """Call for each input and append what comes back; return what was raised, CPU and wall time (ns)."""
    cpu_clock, wall_clock = time.process_time_ns, time.perf_counter_ns
    raised: BaseException | None = None
    keep = results.append
    cpu_0, wall_0 = cpu_clock(), wall_clock()
    try:
        for args in inputs:
            keep(call(args))
    except BaseException as error:
        raised = error
    cpu_1, wall_1 = cpu_clock(), wall_clock()
    return raised, cpu_1 - cpu_0, wall_1 - wall_0


def _warm_up() -> None:
    """Go the way of a call with nothing to call.

    A forked process copies each page of memory that it writes to for the first time, and one that waited
    finds its caches cold: ten microseconds, more than many a program takes, and none of the program's own.
    """
    for _ in range(_WARM_UPS):
        _timed(_nothing, [()], [])


def _nothing(args: tuple[()]) -> None:
    return None


def _report_bytes(wire: Wire, results: list[bytes]) -> None:
    """Send results as they are: as text each byte would be two characters, written and read three times."""
    sizes = list(map(len, results))
    if sum(sizes) > MAX_MESSAGE_BYTES:
        wire.send({"kind": "over_output", "detail": _TOO_LARGE})
        return
    wire.send({"kind": "returned", "sizes": sizes})
    for one in results:
        wire.send_bytes(one)


def _report(wire: Wire, results: list[Any], raised: BaseException | None) -> None:
    try:
        texts = [encode(one, MAX_RESULT_DEPTH) for one in results]
    except TooLarge as error:
        wire.send({"kind": "over_output", "detail": str(error)})
        return
    except BaseException as error:
        wire.send({"kind": "raised", "detail": _said(error), "type": _name(error), "values": []})
        return
    if sum(map(len, texts)) > MAX_MESSAGE_BYTES // 2:
        wire.send({"kind": "over_output", "detail": _TOO_LARGE})
    elif type(raised) is OSError and raised.errno in (errno.EFBIG, errno.ENOSPC):
        wire.send({"kind": "over_output", "detail": "it wrote more than it may"})
    elif raised is not None:
        wire.send({"kind": "raised", "detail": _said(raised), "type": _name(raised), "values": texts})
    else:
        wire.send({"kind": "returned", "values": texts})


def _remote(wire: Wire, name: str) -> Any:
    """Return a function that is called elsewhere: in the candidate's own process, by way of the parent."""

    def ask(*args: Any) -> Any:
        wire.send({"kind": "ask", "name": name, "args": encode(args)})
        answer = wire.receive()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return decode(answer["value"])

    return ask


def _name(error: BaseException) -> str:
    return str(type.__dict__["__name__"].__get__(type(error)))[:80]


def _said(error: BaseException) -> str:
    try:
        return f"{_name(error)}: {error}"[:_DETAIL_CHARS]
    except BaseException:
        return _name(error)
