"""CPU time and memory of another process, by the kernel and by ``ps``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from doubles.contained_calls import called
from joulemark.code.contain.cell import Ended
from joulemark.code.contain.limits import MIB, Limits
from joulemark.code.contain.process import Process
from joulemark.code.contain.ps_vitals import PsVitals, cpu_time_ns
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.contain.vitals import Gone, Vitals, vitals_of
from joulemark.code.inside.plain import encode
from joulemark.record.code_run import Outcome

_SPIN = """
import threading, time
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
held = b"x" * (40 << 20)
while time.process_time() < 1.5:
    pass
print("done", flush=True)
time.sleep(100)
"""


@pytest.fixture(scope="module")
def spun() -> Iterator[subprocess.Popen[str]]:
    """A process that has taken 1.5 s of CPU time and holds 40 MiB."""
    with subprocess.Popen([sys.executable, "-c", _SPIN], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        yield process
        process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="readings of Linux")
def test_the_kernel_tells_all_of_it(spun: subprocess.Popen[str]) -> None:
    vitals = vitals_of(spun.pid)
    assert isinstance(vitals, Vitals)
    assert 1.5e9 <= vitals.cpu_ns() < 1.8e9
    assert 40 << 20 < vitals.resident_bytes() < 120 << 20
    peak = vitals.peak_bytes()
    assert peak >= vitals.resident_bytes() - (1 << 20)
    assert vitals.n_threads() == 2
    if vitals.reset_peak():
        assert vitals.peak_bytes() <= peak


@pytest.mark.skipif(shutil.which("ps") is None, reason="no ps on this machine")
def test_ps_tells_the_same_as_far_as_it_knows(spun: subprocess.Popen[str]) -> None:
    vitals = PsVitals(spun.pid)
    assert 1e9 <= vitals.cpu_ns() <= 2e9  # whole seconds on some systems
    assert 40 << 20 < vitals.resident_bytes() < 120 << 20
    assert vitals.peak_bytes() is None
    assert not vitals.reset_peak()


@pytest.mark.parametrize("kind", [Vitals, PsVitals])
def test_a_process_that_has_ended_is_gone(kind: type[Vitals]) -> None:
    with subprocess.Popen(["sleep", "100"]) as process:
        vitals = kind(process.pid)
        assert vitals.resident_bytes() >= 0
        process.kill()
        process.wait()
        for read in (vitals.cpu_ns, vitals.resident_bytes):
            with pytest.raises(Gone):
                read()
    with pytest.raises(Gone):
        kind(process.pid)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("00:00:01", 1), ("0:00.05", 0.05), ("1:02.50", 62.5), ("2-03:04:05", 183845), ("10:11", 611)],
)
def test_times_as_ps_prints_them(text: str, seconds: float) -> None:
    assert cpu_time_ns(text) == round(seconds * 1e9)


@pytest.mark.parametrize("text", ["", "-", "x", "1", "1:2:3:4"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no time"):
        cpu_time_ns(text)


def test_a_process_is_ended_by_its_handle_and_waited_for() -> None:
    with subprocess.Popen(["sleep", "100"]) as child:
        process = Process(child.pid)
        begin = time.monotonic()
        assert not process.wait(0.1)
        assert time.monotonic() - begin >= 0.1
        process.kill()
        assert process.wait(5)
        child.wait()
        process.kill()  # once more does no harm
        process.close()
        process.close()


_IN_FILES = """
import os

def f(mib, keep):
    with open("/tmp/held", "wb") as file:
        for _ in range(mib):
            file.write(b"x" * (1 << 20))
    if not keep:
        os.unlink("/tmp/held")
    return mib
"""


def test_what_a_program_writes_to_its_own_files_is_memory_of_it(sandbox: Sandbox) -> None:
    with sandbox.cell() as cell:
        cell.load(_IN_FILES, "f")
        kept = cell.call([encode((24, True))])
        assert kept.outcome is Outcome.RETURNED
        assert kept.peak_bytes is not None
        assert kept.peak_bytes >= 24 * MIB
        again = cell.call([encode((0, True))])  # the file is emptied: it counts as resident before that
        assert again.resident_bytes >= kept.resident_bytes + 24 * MIB


def test_files_and_memory_have_one_limit(sandbox: Sandbox) -> None:
    source = _IN_FILES.replace("return mib", "held = bytearray(mib << 20)\n    while mib: pass")
    limits = Limits(wall_s=10, cpu_s=5, memory_bytes=96 * MIB, tmp_bytes=64 * MIB)
    with Sandbox(sandbox.containment, limits) as tight, tight.cell() as cell:
        cell.load(source, "f")
        with pytest.raises(Ended) as ended:
            cell.call([encode((50, True))])
    assert ended.value.outcome is Outcome.OVER_MEMORY


_FORGETS = """
import ctypes, mmap, os

libc, address, size_t, number = ctypes.CDLL(None), ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
libc.madvise.argtypes = [address, size_t, number]
libc.mmap.restype = address
libc.mmap.argtypes = [address, size_t, number, number, number, ctypes.c_long]
files = (os.path.join(at, one) for at, _, names in os.walk(os.path.dirname(os.__file__)) for one in names)
largest = max(files, key=os.path.getsize)
size = min(os.path.getsize(largest), 4 << 20) & ~4095
at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, os.open(largest, os.O_RDONLY), 0)
seen = sum(ctypes.string_at(at, size)[::4096])


def f(forgets, mib):
    if forgets:
        libc.madvise(at, size, 4)
    held = bytearray(mib << 20)
    held[::4096] = b"x" * (len(held) // 4096)
    return seen > 0
"""


def test_pages_of_files_that_are_dropped_hide_no_memory(sandbox: Sandbox) -> None:
    plain, hiding = (called(sandbox, _FORGETS, forgets, 2) for forgets in (False, True))
    assert plain.values == hiding.values == (True,)
    assert plain.peak_bytes is not None
    assert hiding.peak_bytes is not None
    assert hiding.peak_bytes > 0.75 * plain.peak_bytes
