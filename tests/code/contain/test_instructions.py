"""Instructions are counted where a processor's counters can be read, and elsewhere it is said why not."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.perf import FakePmu
from joulemark.code.contain.called import Called
from joulemark.code.contain.instructions import InstructionCounter, NoCounter
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode
from joulemark.code.measuring.observed import Ran, observed_run
from joulemark.record.code_run import Purpose
from joulemark.record.reason import Reason

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="perf_event_open is Linux's")
_LOOP = """
def f(n):
    total = 0
    for number in range(n):
        total += number * number
    return total
"""
_PER_NS = 2.5


@pytest.fixture
def pmu(tmp_path: Path) -> Iterator[FakePmu]:
    made = FakePmu(tmp_path)
    made.count_instructions(_PER_NS)
    with made.in_process():
        yield made


def called(sandbox: Sandbox, n: int) -> Called:
    with sandbox.cell() as cell:
        cell.load(_LOOP, "f")
        return cell.call([encode((n,))])


def test_a_call_has_its_own_instructions(pmu: FakePmu, sandbox: Sandbox) -> None:
    seen = called(sandbox, 300_000)
    assert seen.instructions is not None
    assert seen.instructions == pytest.approx(_PER_NS * seen.cpu_ns, rel=0.2)
    assert seen.no_instructions is None
    run = observed_run(seen, Ran("p", _LOOP, 0), Purpose.PAIRED, True)
    assert run.instructions == seen.instructions
    assert "instructions" not in run.reasons
    assert pmu.event().opened == 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.EACCES, Reason.NOT_PERMITTED),
        (errno.EPERM, Reason.NOT_PERMITTED),
        (errno.ENOENT, Reason.NOT_MEASURED),
        (errno.EOPNOTSUPP, Reason.NOT_MEASURED),
    ],
)
def test_a_refusal_is_a_reason_and_the_run_goes_on(
    pmu: FakePmu, sandbox: Sandbox, code: int, reason: Reason
) -> None:
    pmu.forbid(code)
    with pytest.raises(NoCounter) as caught:
        InstructionCounter(os.getpid())
    assert caught.value.reason is reason
    seen = called(sandbox, 1_000)
    assert seen.values
    assert seen.instructions is None
    run = observed_run(seen, Ran("p", _LOOP, 0), Purpose.PAIRED, True)
    assert run.instructions is None
    assert run.reasons["instructions"] is reason


def test_a_counter_that_counted_part_of_the_time_tells_nothing(pmu: FakePmu, sandbox: Sandbox) -> None:
    pmu.count_instructions(_PER_NS).running_share = 0.5
    seen = called(sandbox, 1_000)
    assert seen.instructions is None
    assert seen.no_instructions is Reason.NOT_MEASURED


def test_a_counter_is_read_as_often_as_one_likes_and_closed_once(pmu: FakePmu) -> None:
    counter = InstructionCounter(os.getpid())
    first = counter.read()
    until = time.process_time() + 0.02
    while time.process_time() < until:
        pass
    second = counter.read()
    assert first is not None
    assert second is not None
    assert second - first >= _PER_NS * 20_000_000
    pmu.count_instructions(_PER_NS).lost_at_ns = 0
    assert counter.read() is None
    counter.close()
    counter.close()


def test_this_machine_counts_or_says_why_not(sandbox: Sandbox) -> None:
    seen = called(sandbox, 1_000)
    assert (seen.instructions is None) == (seen.no_instructions is not None)
    if seen.instructions is not None:
        more = called(sandbox, 100_000).instructions
        assert more is not None
        assert more > 5 * seen.instructions
