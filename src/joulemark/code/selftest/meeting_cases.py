"""Cases where a program meets something of this machine: a file, a listener, another program's run."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

from joulemark.code.contain.cell import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode
from joulemark.code.selftest.case import Case, SelfTestCase
from joulemark.code.selftest.observed import NOT_RIGHT, RIGHT, observe_honest
from joulemark.code.selftest.program_case import left_behind
from joulemark.code.selftest.task import new_task
from joulemark.record.code_run import Outcome

_READER = """
def solve(path):
    with open(path) as file:
        return file.read()
"""
_WRITER = """
import os

def solve(path):
    os.chmod(path, 0o777)
    with open(path, "w") as file:
        return file.write("changed")
"""
_CALLER = """
import socket

def solve(port):
    with socket.create_connection(("127.0.0.1", port), timeout=1) as channel:
        channel.sendall(b"answer?")
        return channel.recv(100).decode()
"""
_THIEF = """
import os
import threading

def listen(descriptor):
    while True:
        try:
            os.read(descriptor, 1)
        except OSError:
            return

for number in range(3, 64):
    try:
        os.fstat(number)
    except OSError:
        continue
    if number != min(n for n in range(3, 64) if _is_open(n)):
        threading.Thread(target=listen, args=(number,), daemon=True).start()

def solve():
    return 0
""".replace(
    "for number",
    "def _is_open(number):\n    try:\n        os.fstat(number)\n    except OSError:\n        return False\n"
    "    return True\n\nfor number",
    1,
)


def reads_a_file(sandbox: Sandbox) -> SelfTestCase:
    """Name a file to a program that everyone on this machine may read."""
    return _file_case(
        sandbox, "reads_a_file", "It reads a file of this machine that it was told of.", _READER
    )


def changes_a_file(sandbox: Sandbox) -> SelfTestCase:
    """Name a file to a program that its user may write."""
    return _file_case(sandbox, "changes_a_file", "It changes a file that this user may change.", _WRITER)


def calls_a_listener(sandbox: Sandbox) -> SelfTestCase:
    """Name a port of this machine, where someone listens, to a program."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        outcome, value = _ran(sandbox, _CALLER, listener.getsockname()[1])
        try:
            listener.accept()[0].close()
            reached = True
        except OSError:
            reached = False
    return SelfTestCase(
        "calls_a_listener",
        "It calls a port of this machine where someone listens.",
        "nobody is reached",
        "someone was reached" if reached else f"nobody was reached: {outcome} {value}",
        not reached,
    )


def robs_its_neighbour(sandbox: Sandbox) -> SelfTestCase:
    """Run an honest program beside one that listens on every descriptor that it finds."""
    task = new_task()
    with sandbox.cell() as thief:
        thief.load(_THIEF, "solve")
        seen = observe_honest(sandbox, task)
    return SelfTestCase(
        "robs_its_neighbour",
        "It listens on every descriptor that it was left, while an honest program runs beside it.",
        f"the honest one is {RIGHT}",
        f"the honest one is {RIGHT if seen.is_right else f'{NOT_RIGHT}: {seen.outcome} {seen.detail}'}",
        seen.is_right,
    )


def leaves_all_well(sandbox: Sandbox) -> SelfTestCase:
    """Run the honest program once more, after all others."""
    seen = observe_honest(sandbox, new_task())
    left = left_behind(sandbox)
    return SelfTestCase(
        "leaves_all_well",
        "After all of these an honest program is run, and processes are looked for.",
        f"{RIGHT}, no process is left",
        f"{RIGHT if seen.is_right else NOT_RIGHT}, {left or 'no'} process{'' if left == 1 else 'es'} left",
        seen.is_right and not left,
    )


MEETING_CASES: tuple[Case, ...] = (
    reads_a_file,
    changes_a_file,
    calls_a_listener,
    robs_its_neighbour,
    leaves_all_well,
)


def _file_case(sandbox: Sandbox, name: str, what: str, source: str) -> SelfTestCase:
    with tempfile.TemporaryDirectory(prefix="joulemark-") as folder:
        os.chmod(folder, 0o755)
        path = Path(folder, "expected")
        path.write_text("the expected answer")
        mode = path.stat().st_mode
        outcome, value = _ran(sandbox, source, str(path))
        is_untouched = path.read_text() == "the expected answer" and path.stat().st_mode == mode
    passed = outcome is not Outcome.RETURNED and is_untouched
    return SelfTestCase(name, what, "it is refused", f"{outcome}: {value}", passed)


def _ran(sandbox: Sandbox, source: str, argument: object) -> tuple[Outcome, str]:
    try:
        with sandbox.cell() as cell:
            cell.load(source, "solve")
            called = cell.call([encode((argument,))])
    except Ended as ended:
        return ended.outcome, ended.detail
    return called.outcome, called.detail or str(called.values[:1])[:100]
