"""A program that waits before its first instruction, and how it ends."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from pathlib import Path

import pytest

from joulemark.live.gate import Ended, WaitingProgram
from joulemark.record.errors import InputError


def ended(*command: str) -> Ended:
    program = WaitingProgram(command)
    program.go()
    return program.wait()


def test_it_waits_for_the_word(tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    program = WaitingProgram(["sh", "-c", f"echo $$ > {mark}"])
    time.sleep(0.2)
    assert not mark.exists()
    begun_ns = program.go()
    assert begun_ns <= time.monotonic_ns()
    assert program.wait().exit_code == 0
    assert int(mark.read_text()) == program.pid


def test_cancelled_it_never_runs(tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    program = WaitingProgram(["touch", str(mark)])
    program.cancel()
    assert not mark.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(program.pid, 0)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 3"], 3),
        (["sh", "-c", "kill -TERM $$"], 128 + 15),
        (["sh", "-c", "kill -KILL $$"], 128 + 9),
        (["no-such-program"], 127),
        (["/no/such/program"], 127),
        (["/etc/passwd"], 126),
        (["/"], 126),
        ([""], 127),
        (["", "word"], 127),
    ],
)
def test_exit_codes_are_those_of_a_shell(command: list[str], code: int) -> None:
    end = ended(*command)
    assert end.exit_code == code
    assert (end.errno is not None) == (code in (126, 127))


def test_what_its_starter_used_is_taken_off() -> None:
    def both() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before_s = both()
    program_s = ended("true").cpu_s
    assert 0 <= program_s < 0.5 * (both() - before_s)  # an interpreter starts in ten times what `true` takes
    code = "from time import process_time as now\nbegin = now()\nwhile now() - begin < 0.4: pass"
    before_s = both()
    program_s = ended(sys.executable, "-c", code).cpu_s
    assert 0.399 < program_s < both() - before_s - 0.002


def test_memory_of_a_large_program_is_known_and_of_a_small_one_is_not() -> None:
    small = ended("true")
    assert small.maxrss_mib is None
    assert small.floor_mib > 0
    mib = round(small.floor_mib) + 200  # the floor is this process's own peak, which other tests have raised
    large = ended(sys.executable, "-c", f"x = bytearray({mib << 20})")
    assert large.maxrss_mib is not None
    assert mib < large.maxrss_mib < mib + 100


def test_it_gets_the_signals_that_python_keeps_to_itself() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGINT))"
    end = ended("sh", "-c", "kill -PIPE $$")
    assert end.signal == signal.SIGPIPE
    assert ended(sys.executable, "-c", f"{code}").exit_code == 0


def test_the_environment_and_the_descriptors_are_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_TEST_WORD", "kept")
    told = tmp_path / "told"
    assert (
        ended("sh", "-c", f'echo "$JOULEMARK_TEST_WORD" > {told}; ls /proc/self/fd >> {told}').exit_code == 0
    )
    word, *descriptors = told.read_text().split()
    assert word == "kept"
    if sys.platform == "linux":
        # what the caller passed and no other; one more is of `ls` itself
        passed = {fd for fd in range(256) if inheritable(fd)}
        assert passed <= {int(fd) for fd in descriptors}
        assert len({int(fd) for fd in descriptors} - passed) <= 1


def inheritable(fd: int) -> bool:
    try:
        return os.get_inheritable(fd)
    except OSError:
        return False


def test_what_the_caller_passes_is_the_programs() -> None:
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    os.write(writing, b"token")
    os.close(writing)
    kept, told = os.pipe()  # its end of `told` is not passed: nobody but us writes to it
    assert (
        ended("sh", "-c", f'test "$(cat /dev/fd/{reading})" = token && ! test -e /dev/fd/{told}').exit_code
        == 0
    )
    for fd in (reading, kept, told):
        os.close(fd)


@pytest.mark.parametrize("command", [["echo", "a\0b"], ["a\0b"]])
def test_an_argument_that_no_program_can_get_is_told(command: list[str]) -> None:
    held = len(os.listdir("/dev/fd"))
    with pytest.raises(InputError, match="argument"):
        WaitingProgram(command)
    assert len(os.listdir("/dev/fd")) == held


def test_killed_while_it_waits() -> None:
    program = WaitingProgram(["true"])
    os.kill(program.pid, signal.SIGKILL)
    program.go()
    assert program.wait().exit_code == 128 + 9
    program.send(signal.SIGTERM)
