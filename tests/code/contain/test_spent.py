"""What a program that was ended has spent until then, and how long one was kept waiting by the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from doubles.contained_calls import called, ended, whole_sandbox
from joulemark.code.contain.called import Called
from joulemark.code.contain.containment import WHOLE
from joulemark.code.contain.ended import Ended, cpu_of_status
from joulemark.code.contain.limits import MIB, Limits
from joulemark.code.contain.own_queued import own_queued_ns
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.contain.spent import Spent
from joulemark.code.inside.plain import encode
from joulemark.code.measuring.observed import Ran, ended_run, observed_run
from joulemark.record.code_run import WAITED, CodeRun, Outcome, Purpose

LIMITS = Limits(wall_s=4, cpu_s=0.4, memory_bytes=128 * MIB)
_SPIN = """
import os, time

def f(seconds, how):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    if how == "sleep":
        time.sleep(60)
    if how == "abort":
        os.abort()
    if how == "exit":
        os._exit(0)
    return how
"""


@pytest.fixture(scope="module")
def tight() -> Iterator[Sandbox]:
    with whole_sandbox(LIMITS) as box:
        yield box


def row(found: Ended | Called) -> CodeRun:
    ran = Ran("p", _SPIN, 0)
    if isinstance(found, Called):
        return observed_run(found, ran, Purpose.PAIRED, True)
    return ended_run(found, ran, Purpose.PAIRED, LIMITS)


def test_a_limit_of_cpu_time_keeps_the_last_reading(tight: Sandbox) -> None:
    seen = row(ended(tight, _SPIN, 60, ""))
    assert seen.outcome is Outcome.OVER_CPU
    assert seen.cpu_ns is not None
    assert seen.limit_ns == 400_000_000
    assert seen.limit_ns <= seen.cpu_ns < 10 * seen.limit_ns
    assert seen.wall_ns is not None
    assert seen.wall_ns > seen.limit_ns / 2
    assert seen.cpu_around_ns is not None
    assert "cpu_ns" not in seen.reasons
    assert "cpu_inside_ns" in seen.reasons


@pytest.mark.parametrize(
    ("how", "outcome"),
    [("sleep", Outcome.TIMED_OUT), ("abort", Outcome.CRASHED), ("exit", Outcome.EXITED)],
)
def test_whatever_ended_it_the_time_until_then_is_kept(tight: Sandbox, how: str, outcome: Outcome) -> None:
    """A crash comes between two looks: then the process that watched it says what it took."""
    seen = ended(tight, _SPIN, 0.1, how)
    assert seen.outcome is outcome
    assert seen.cpu_ns is not None
    assert 95_000_000 < seen.cpu_ns < 300_000_000
    assert (WAITED in row(seen).flags) is (how == "sleep")


def test_a_program_that_never_came_to_its_call_has_no_time_of_it(tight: Sandbox) -> None:
    seen = row(ended(tight, "while True:\n    pass"))
    assert seen.cpu_ns is None
    assert seen.wall_ns is None
    assert {"cpu_ns", "wall_ns"} <= set(seen.reasons)
    assert seen.cpu_around_ns is not None
    assert seen.cpu_around_ns >= 400_000_000


def test_the_call_of_before_is_not_the_one_that_was_ended(tight: Sandbox) -> None:
    with tight.cell() as cell:
        cell.load(_SPIN, "f")
        assert cell.call([encode((0.1, ""))]).values == ("",)
        with pytest.raises(Ended) as caught:
            cell.call([encode((60, ""))])
    assert caught.value.cpu_ns is not None
    assert caught.value.cpu_ns >= 400_000_000
    assert caught.value.cpu_around_ns is not None
    assert caught.value.cpu_around_ns < 95_000_000


def test_every_null_of_an_ended_run_has_a_reason(tight: Sandbox) -> None:
    seen = row(ended(tight, _SPIN, 0.0, "exit"))
    for name in ("cpu_ns", "cpu_inside_ns", "cpu_around_ns", "wall_ns", "instructions", "peak_bytes"):
        assert (getattr(seen, name) is None) == (name in seen.reasons)


def test_one_that_waits_is_told(sandbox: Sandbox) -> None:
    seen = called(sandbox, "import time\ndef f():\n    time.sleep(0.7)")
    assert WAITED in row(seen).flags
    assert WAITED not in row(called(sandbox, _SPIN, 0.2, "")).flags


@pytest.mark.skipif(own_queued_ns() is None, reason="this kernel does not say how long a process waited")
def test_one_that_is_kept_waiting_by_the_machine_is_not(sandbox: Sandbox) -> None:
    """Eight others want its processor: it waits, and not of its own accord."""
    cpu = min(os.sched_getaffinity(0))
    others = [
        subprocess.Popen(
            [sys.executable, "-c", f"import os; os.sched_setaffinity(0, [{cpu}])\nwhile True: pass"]
        )
        for _ in range(8)
    ]
    try:
        with Sandbox(WHOLE, Limits(wall_s=60, cpu_s=5), cpu=cpu) as crowded:
            seen = called(crowded, _SPIN, 0.2, "")
    finally:
        for one in others:
            one.kill()
            one.wait()
    assert seen.queued_ns is not None
    assert seen.queued_ns > 0.3 * (
        seen.wall_ns - seen.cpu_ns
    )  # how much it is hangs on the scheduler's groups
    assert WAITED not in row(seen).flags


@pytest.mark.parametrize(
    ("queued_ns", "waited"),
    [(0, True), (900_000_000, True), (1_600_000_000, False), (3_000_000_000, False), (None, True)],
)
def test_time_in_the_run_queue_is_no_waiting(sandbox: Sandbox, queued_ns: int | None, waited: bool) -> None:
    """Of two seconds a program computed for a tenth of one."""
    seen = called(sandbox, "def f():\n    return 0")
    made = replace(seen, cpu_ns=100_000_000, wall_ns=2_000_000_000, queued_ns=queued_ns)
    assert (WAITED in row(made).flags) is waited


def test_a_stretch_is_a_difference_and_what_is_not_known_stays_so() -> None:
    begin, end = Spent(5, 10, 1, 100), Spent(9, 30, 4, 170)
    assert end.since(begin) == Spent(4, 20, 3, 70)
    assert Spent(9, 30).since(begin) == Spent(4, 20)
    assert end.since(Spent(5, 10)) == Spent(4, 20)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b'{"pid": 3}\n{"code": 9, "cpu_ns": 70}\n', 70),
        (b'{"code": 9, "cpu_ns": -1}', None),
        (b'{"code": 9, "cpu_ns": "70"}', None),
        (b'{"code": 9}', None),
        (b"[]", None),
        (b"", None),
        (b"{", None),
    ],
)
def test_what_the_watching_process_says(text: bytes, found: int | None) -> None:
    assert cpu_of_status(text) == found


def test_memory_that_is_taken_at_import_is_seen(sandbox: Sandbox) -> None:
    plain = called(sandbox, "def f():\n    return 0")
    early = called(sandbox, "table = bytearray(b'x' * (40 << 20))\ndef f():\n    return 0")
    assert plain.loaded_bytes is not None
    assert early.loaded_bytes is not None
    assert 38 * MIB < early.loaded_bytes - plain.loaded_bytes < 90 * MIB
    assert early.loaded_bytes <= early.resident_bytes + MIB
