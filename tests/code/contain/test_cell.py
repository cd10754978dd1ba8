"""One contained process: limits, what is believed of it, and what is left when it is closed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from doubles.contained_calls import called, ended, whole_sandbox
from joulemark.code.contain.called import Called
from joulemark.code.contain.cell import Ended
from joulemark.code.contain.limits import MIB, Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import Plain, encode
from joulemark.record.code_run import Outcome

_SPIN = """
import time

def f(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds
"""
_THREADS = """
import threading, time

def f():
    threading.stack_size(1 << 16)
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
"""
_WIRE = """
import json, os, stat

def wire():
    return next(n for n in range(3, 64) if stat.S_ISSOCK(os.fstat(n).st_mode))

def send(message):
    body = json.dumps(message).encode()
    os.write(wire(), len(body).to_bytes(4, "big") + body)

def receive():
    size = int.from_bytes(os.read(wire(), 4), "big")
    return json.loads(os.read(wire(), size)) if size else None
"""


@pytest.fixture(scope="module")
def tight() -> Iterator[Sandbox]:
    """A sandbox whose limits are soon reached."""
    with whole_sandbox(Limits(wall_s=1.5, cpu_s=0.5, memory_bytes=128 * MIB)) as box:
        yield box


@pytest.fixture(scope="module")
def small() -> Iterator[Sandbox]:
    """A sandbox with little memory and time enough to fill it, also where a page's first touch is slow."""
    with whole_sandbox(Limits(wall_s=60, cpu_s=30, memory_bytes=128 * MIB)) as box:
        yield box


def test_what_is_seen_of_a_call_is_what_it_took(sandbox: Sandbox) -> None:
    seen = called(sandbox, _SPIN, 0.2)
    assert seen.outcome is Outcome.RETURNED
    assert seen.values == (0.2,)
    assert seen.cpu_inside_ns is not None
    assert 0.2e9 <= seen.cpu_inside_ns <= seen.cpu_ns < 0.3e9
    assert seen.wall_ns >= seen.cpu_ns * 0.9
    assert 0 < seen.cpu_around_ns < 0.1e9
    assert seen.flags == ()


def test_memory_is_seen_above_what_was_there_before(sandbox: Sandbox) -> None:
    seen = called(
        sandbox, "def f(n):\n    held = bytearray(n)\n    held[::4096] = b'x' * (n // 4096)\n", 32 * MIB
    )
    if seen.peak_bytes is None:
        pytest.skip("this kernel does not let the peak start again")
    assert 32 * MIB <= seen.peak_bytes < 40 * MIB
    assert 4 * MIB < seen.resident_bytes < 64 * MIB


def test_memory_is_sampled_while_it_runs(sandbox: Sandbox) -> None:
    with sandbox.cell() as cell:
        cell.load(_SPIN, "f")
        seen = cell.call([encode((0.2,))], sample_memory_s=0.005)
    assert len(seen.memory) >= 10
    assert all(memory > 4 * MIB for _, memory in seen.memory)
    assert sorted(seen.memory) == list(seen.memory)


def test_cpu_time_around_calls_is_without_the_calls_before(sandbox: Sandbox) -> None:
    with sandbox.cell() as cell:
        cell.load(_SPIN, "f")
        for _ in range(3):
            assert cell.call([encode((0.1,))]).cpu_around_ns < 0.08e9


def test_what_one_call_told_of_the_time_around_is_not_told_again(sandbox: Sandbox) -> None:
    """Loading takes 0.1 s: with the first call it is told, and with no other."""
    with sandbox.cell() as cell:
        cell.load(f"{_SPIN}\nf(0.1)\n", "f")
        around = [cell.call([encode((0.001,))]).cpu_around_ns for _ in range(4)]
    assert around[0] >= 0.1e9
    assert max(around[1:]) < 0.05e9


def test_limits_of_time_are_for_each_call(tight: Sandbox) -> None:
    with tight.cell() as cell:
        cell.load(_SPIN, "f")
        for _ in range(4):
            assert cell.call([encode((0.2,))]).outcome is Outcome.RETURNED
        with pytest.raises(Ended) as caught:
            cell.call([encode((60,))])
    assert caught.value.outcome in (Outcome.OVER_CPU, Outcome.TIMED_OUT)


def test_a_call_may_have_a_tighter_limit_of_its_own(sandbox: Sandbox) -> None:
    with sandbox.cell() as cell:
        cell.load(_SPIN, "f")
        begin = time.monotonic()
        with pytest.raises(Ended) as caught:
            cell.call([encode((60,))], cpu_limit_s=0.1)
        assert caught.value.outcome is Outcome.OVER_CPU
        assert time.monotonic() - begin < 10


def test_what_a_program_is_kept_waiting_is_no_time_of_its_own(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sandbox.cell() as cell:
        cell.load("import time\ndef f():\n    time.sleep(60)", "f")
        monkeypatch.setattr(cell, "_limits", Limits(wall_s=0.2, cpu_s=2))
        # by half of the time that passes it waits for a processor, as the kernel would tell it
        monkeypatch.setattr(cell._vitals, "queued_ns", lambda: time.monotonic_ns() // 2)
        begin = time.monotonic()
        with pytest.raises(Ended) as caught:
            cell.call([encode(())])
        assert time.monotonic() - begin > 0.38
    assert caught.value.outcome is Outcome.TIMED_OUT
    assert "kept waiting for a processor" in caught.value.detail


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no processor of one's own")
def test_a_busy_processor_decides_no_verdict() -> None:
    """Five share one processor: who may compute for 0.6 s gets that, however long it takes by the wall."""
    core = min(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    # a session each: the kernel shares a processor by sessions first
    others = [subprocess.Popen([sys.executable, "-c", spin], start_new_session=True) for _ in range(4)]
    try:
        with whole_sandbox(Limits(wall_s=1.8, cpu_s=0.6), cpu=core) as box, box.cell() as cell:
            cell.load(_SPIN, "f")
            assert cell.call([encode((0.4,))]).outcome is Outcome.RETURNED
            with pytest.raises(Ended) as caught:
                cell.call([encode((60,))])
            assert caught.value.outcome is Outcome.OVER_CPU
    finally:
        for one in others:
            one.kill()
            one.wait()


@pytest.mark.parametrize(
    ("source", "outcomes"),
    [
        ("import time\ndef f():\n    time.sleep(60)", {Outcome.TIMED_OUT}),
        ("while True:\n    pass", {Outcome.OVER_CPU, Outcome.TIMED_OUT}),
        ("import os\ndef f():\n    os._exit(0)", {Outcome.EXITED}),
        ("import os\ndef f():\n    os.abort()", {Outcome.CRASHED}),
        ("raise SystemExit(0)", {Outcome.EXITED}),
        ("1 / 0", {Outcome.NOT_LOADED}),
        ("x = 1", {Outcome.NO_ENTRY_POINT}),
        ("import os\ndef f():\n    os.closerange(0, 64)\n    while True:\n        pass", {Outcome.EXITED}),
    ],
)
def test_every_end_has_its_name(tight: Sandbox, source: str, outcomes: set[Outcome]) -> None:
    assert ended(tight, source).outcome in outcomes


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    held = []\n    while True:\n        held.append(bytearray(1 << 20))",
        "held = []\nwhile True:\n    held.append(bytearray(1 << 20))",
    ],
)
def test_memory_that_runs_out_is_named(small: Sandbox, source: str) -> None:
    assert ended(small, source).outcome is Outcome.OVER_MEMORY


def test_threads_without_end_are_stopped(small: Sandbox) -> None:
    end: Ended | Called
    try:
        end = called(small, _THREADS)
    except Ended as error:
        end = error
    # The limit on processes may be met between two looks from outside; then starting one raises.
    assert end.outcome in (Outcome.OVER_MEMORY, Outcome.RAISED)
    assert "thread" in end.detail


def test_a_program_cannot_keep_the_parent_waiting_by_dripping(tight: Sandbox) -> None:
    source = f"{_WIRE}\ndef f():\n    os.write(wire(), (60 << 20).to_bytes(4, 'big'))\n    while True:\n"
    begin = time.monotonic()
    found = ended(tight, source + "        os.write(wire(), b' ')\n")
    assert found.outcome in (Outcome.OVER_CPU, Outcome.TIMED_OUT)
    assert time.monotonic() - begin < 6


def test_a_program_cannot_keep_the_parent_waiting_by_not_reading(tight: Sandbox) -> None:
    source = f"{_WIRE}\nimport time\nsend({{'kind': 'loaded'}})\ntime.sleep(60)"
    begin = time.monotonic()
    with tight.cell() as cell:
        cell.load(source, "f")
        with pytest.raises(Ended) as caught:
            cell.call([encode(("x" * (8 << 20),))])
    assert caught.value.outcome is Outcome.TIMED_OUT
    assert time.monotonic() - begin < 6


_BYTES = "def f(n):\n    return bytes(range(256)) * n\n"


def test_results_come_as_bytes_where_they_are_asked_for(sandbox: Sandbox) -> None:
    expected = tuple(bytes(range(256)) * n for n in (0, 1, 5000))
    with sandbox.cell() as cell:
        cell.load(_BYTES, "f")
        inputs = [encode((n,)) for n in (0, 1, 5000)]
        assert cell.call(inputs, as_bytes=True).values == expected
        assert cell.call(inputs).values == expected


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("return b'1' if n else '0'", ("0", b"1")),  # not all are bytes
        ("return type('B', (bytes,), {})(b'1')", (b"1", b"1")),
        ("return n", (0, 1)),
    ],
)
def test_what_is_no_bytes_comes_as_text_all_the_same(
    sandbox: Sandbox, body: str, values: tuple[Plain, ...]
) -> None:
    with sandbox.cell() as cell:
        cell.load(f"def f(n):\n    {body}\n", "f")
        assert cell.call([encode((0,)), encode((1,))], as_bytes=True).values == values


def test_bytes_that_are_too_many_are_told(sandbox: Sandbox) -> None:
    with sandbox.cell() as cell:
        cell.load("def f():\n    return bytes(65 << 20)\n", "f")
        assert cell.call([encode(())], as_bytes=True).outcome is Outcome.OVER_OUTPUT


@pytest.mark.parametrize("as_bytes", [False, True])
def test_announced_bytes_that_never_come_end_at_the_limit(tight: Sandbox, *, as_bytes: bool) -> None:
    """Who does not ask for bytes does not wait for them."""
    source = f"""{_WIRE}
import time

def f():
    send({{"kind": "done"}})
    receive()
    send({{"kind": "returned", "sizes": [60 << 20]}})
    time.sleep(60)
"""
    begin = time.monotonic()
    with tight.cell() as cell:
        cell.load(source, "f")
        if not as_bytes:
            assert cell.call([encode(())]).outcome is Outcome.BROKE_PROTOCOL
        else:
            with pytest.raises(Ended) as caught:
                cell.call([encode(())], as_bytes=True)
            assert caught.value.outcome is Outcome.TIMED_OUT
    assert time.monotonic() - begin < 6


def test_a_result_that_was_not_asked_for_is_none(sandbox: Sandbox) -> None:
    source = """
def f():
    both = b""
    for message in ({"kind": "done"}, {"kind": "returned", "values": ["5"]}):
        body = json.dumps(message).encode()
        both += len(body).to_bytes(4, "big") + body
    os.write(wire(), both)
    receive()
"""
    assert ended(sandbox, _WIRE + source).outcome is Outcome.BROKE_PROTOCOL


def test_messages_that_were_sent_ahead_do_not_answer_the_next_call(sandbox: Sandbox) -> None:
    source = f"""{_WIRE}
import threading, time

def later():
    time.sleep(0.2)
    for message in ({{"kind": "ready"}}, {{"kind": "done"}}, {{"kind": "returned", "values": ["5"]}}):
        send(message)

def f(n):
    threading.Thread(target=later, daemon=True).start()
    return n
"""
    with sandbox.cell() as cell:
        cell.load(source, "f")
        assert cell.call([encode((1,))]).values == (1,)
        time.sleep(0.5)
        with pytest.raises(Ended) as caught:
            cell.call([encode((2,))])
    assert caught.value.outcome is Outcome.BROKE_PROTOCOL


def test_what_a_program_says_of_itself_can_be_shown_and_stored(sandbox: Sandbox) -> None:
    seen = called(sandbox, "def f():\n    raise ValueError('\\ud800\\x1b]0;x\\x07 é \\u202e' + 'x' * 10_000)")
    assert seen.outcome is Outcome.RAISED
    assert seen.detail.encode()
    assert seen.detail.isprintable()
    assert "é" in seen.detail
    assert len(seen.detail) < 1000


def test_a_function_of_another_process_is_asked_by_way_of_the_parent(sandbox: Sandbox) -> None:
    asked: list[tuple[Plain, ...]] = []

    def ask(name: str, args: tuple[Plain, ...]) -> Plain:
        asked.append(args)
        if args == (3,):
            raise RuntimeError("no threes")
        return args[0] * 2

    source = """
def f():
    found = [double(1), double(2)]
    try:
        double(3)
    except RuntimeError as error:
        found.append(str(error))
    return found
"""
    with sandbox.cell() as cell:
        cell.load(source, "f", remote=["double"])
        assert cell.call([encode(())], ask=ask).values == ([2, 4, "no threes"],)
    assert asked == [(1,), (2,), (3,)]


def test_the_kernels_clock_of_the_process_cannot_be_blurred(sandbox: Sandbox) -> None:
    source = """
import ctypes, resource, signal, time

def f():
    refused = []
    libc = ctypes.CDLL(None, use_errno=True)
    for number in (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):
        try:
            signal.setitimer(number, 100)
        except OSError:
            refused.append(number)
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
    except (OSError, ValueError):
        refused.append("limit")
    for number in (222, 107):  # a timer on any clock
        if libc.syscall(number, 2, 0, 0) != 0:
            refused.append(number)
    return refused
"""
    assert called(sandbox, source).values == ([2, 1, "limit", 222, 107],)


def test_closing_waits_until_the_process_is_gone(tight: Sandbox) -> None:
    with tight.cell() as cell:
        cell.load(
            "held = bytearray(100 << 20)\nheld[::4096] = b'x' * (len(held) // 4096)\ndef f():\n    pass", "f"
        )
        assert tight.n_processes() in (2, 3)  # watch and worker, and a warden where the kernel wants one
    assert tight.n_processes() <= 1  # what stood above may still be on its way
    cell.close()  # once more does no harm


def test_cells_leave_no_descriptors_and_no_processes_behind(sandbox: Sandbox) -> None:
    def open_descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    called(sandbox, "def f():\n    pass")
    before = open_descriptors()
    sources = ("def f():\n    return 1", "import os\nos._exit(1)", "raise SystemExit", "def g():\n    pass")
    for number in range(200):
        with sandbox.cell() as cell:
            try:
                cell.load(sources[number % 4], "f")
                cell.call([encode(())])
            except Ended:
                continue
    assert open_descriptors() == before
    until = time.monotonic() + 2
    while sandbox.n_processes() and time.monotonic() < until:
        time.sleep(0.01)
    assert sandbox.n_processes() == 0


def test_a_worker_has_no_descriptor_but_its_own(sandbox: Sandbox) -> None:
    source = """
import os, stat

def f():
    found = []
    for number in range(1000):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        found.append((number, stat.S_IFMT(mode)))
    return found
"""
    with sandbox.cell(), sandbox.cell() as cell:
        cell.load(source, "f")
        ((first, second, third, wire, *others),) = cell.call([encode(())]).values
    character, socket_ = 0o020000, 0o140000
    assert [first, second, third] == [(0, character), (1, character), (2, character)]
    assert wire[1] == socket_
    assert others == []


def test_processes_do_not_see_each_other(sandbox: Sandbox) -> None:
    source = (
        "import os\ndef f():\n    return os.getpid(), os.getppid(), os.getuid(), sorted(os.listdir('/tmp'))"
    )
    with sandbox.cell() as one, sandbox.cell() as other:
        for cell in (one, other):
            cell.load(f"{source}\nopen('/tmp/mine', 'w').close()", "f")
        for cell in (one, other):
            ((pid, parent, uid, files),) = cell.call([encode(())]).values
            assert (pid, parent, files) == (2, 1, ["mine"])
            assert uid != 0


def test_cells_may_be_used_from_several_threads(sandbox: Sandbox) -> None:
    found: list[Plain] = []

    def run(number: int) -> None:
        found.extend(called(sandbox, "def f(n):\n    return n * n", number).values)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [number * number for number in range(8)]
