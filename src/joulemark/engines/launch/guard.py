"""The process between this program and the servers that it starts: it ends them all, whatever happens to us.

Run as ``python -m joulemark.engines.launch.guard``. The first line of standard input is an `Order` as JSON;
the one line written to standard output is a `Started`. It ends the servers when standard input ends (so also
when its parent is killed), and itself when one of them ends. Servers are process groups of their own; what
leaves its group, or outlives its parent, is this process's child by then (Linux) and is ended with the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import orjson

from joulemark.meters.process_tree import children_of, read_stat

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_LOOK_S, _WATCH_S = 0.05, 0.2
_KILL_S = 5.0


@dataclass(frozen=True, slots=True)
class Server:
    """One server to start: its command, what it finds in its environment beside ours, and its log file."""

    argv: list[str]
    log: str
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be started, by whom, and how many seconds a server has to end when it is asked to."""

    parent_pid: int
    grace_s: float
    servers: list[Server]


@dataclass(frozen=True, slots=True)
class Started:
    """The process ids in the order of the servers; or why one could not be started."""

    pids: list[int] = field(default_factory=list)
    error: str = ""


def start_all(servers: Sequence[Server]) -> list[subprocess.Popen[bytes]]:
    """Start the servers; raises ``OSError`` where a program cannot be run, with none of them left running."""
    found: list[subprocess.Popen[bytes]] = []
    before_exec = _dying_with_us()
    try:
        for server in servers:
            with open(server.log, "ab") as log:
                found.append(
                    subprocess.Popen(
                        server.argv,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        env={**os.environ, **server.env},
                        process_group=0,
                        preexec_fn=before_exec,  # this process has no threads
                    )
                )
    except BaseException:
        end_all(found, grace_s=0.0)
        raise
    return found


def end_all(servers: Sequence[subprocess.Popen[bytes]], *, grace_s: float) -> None:
    """Ask every server's group to end, wait ``grace_s`` seconds, then kill all that descends from here."""
    _signal(servers, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while _descendants() and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    deadline = time.monotonic() + _KILL_S
    while True:
        # again and again: one that was forking while the others were killed is seen at the next look
        _signal(servers, signal.SIGKILL)
        left = _descendants()
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not left or time.monotonic() > deadline:
            break
        time.sleep(_LOOK_S)
    for server in servers:
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(1.0)


def watch(servers: Sequence[subprocess.Popen[bytes]], logs: Sequence[str]) -> int | None:
    """Return null when the parent is done with the servers, else the number of one that ended by itself."""
    while True:
        readable, _, _ = select.select([0], [], [], _WATCH_S)
        if readable and not os.read(0, 4096):
            return None
        own = {server.pid for server in servers}
        for number, server in enumerate(servers):
            # its id stays taken until it is waited for, so nobody else's group can have it
            status = _ended(server.pid)
            if status is not None:
                with open(logs[number], "ab") as log:
                    log.write(f"\njoulemark: the server {status}\n".encode())
                return number
        _bury_orphans(own)


def _signal(servers: Sequence[subprocess.Popen[bytes]], number: signal.Signals) -> None:
    for server in servers:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, number)


def _descendants() -> list[int]:
    """Return what lives and descends from this process."""
    alive = []
    for pid in children_of([os.getpid()]):
        stat = read_stat(pid)
        if stat is not None and not stat.is_zombie:
            alive.append(pid)
    return alive


def _ended(pid: int) -> str | None:
    """Say how a child ended, without taking its id from it; null while it lives."""
    try:
        info = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return "ended"
    if info is None:
        return None
    if info.si_code == os.CLD_EXITED:
        return f"ended with code {info.si_status}"
    return f"was ended by signal {info.si_status}"


def _bury_orphans(own: set[int]) -> None:
    """Wait for children that others left to us."""
    while True:
        try:
            info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if info is None or info.si_pid in own:
            return
        with contextlib.suppress(ChildProcessError):
            os.waitpid(info.si_pid, os.WNOHANG)


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _dying_with_us() -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    library, guard = ctypes.CDLL(None), os.getpid()

    def die_with_parent() -> None:
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:  # it was killed before we asked
            os._exit(1)

    return die_with_parent


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit(1)
        line += byte
    return line


def main() -> None:
    """Start the servers, watch over them, and end them."""
    order = orjson.loads(_first_line())
    servers = [Server(**server) for server in order["servers"]]
    _adopt_orphans()
    if os.getppid() != order["parent_pid"]:  # it died before we looked
        sys.exit(1)
    try:
        running = start_all(servers)
    except OSError as error:
        answer = Started(error=f"{error.filename or servers[0].argv[0]}: {error.strerror or error}")
        os.write(1, orjson.dumps(asdict(answer)) + b"\n")
        sys.exit(1)
    os.write(1, orjson.dumps(asdict(Started([server.pid for server in running]))) + b"\n")
    try:
        gone = watch(running, [server.log for server in servers])
    finally:
        end_all(running, grace_s=order["grace_s"])
    sys.exit(0 if gone is None else 1)


if __name__ == "__main__":
    main()
