"""Programs in their process: what they find, standard input and output, and calls one after another."""

from __future__ import annotations

import pytest

from joulemark.code.contain.cell import Called, Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode
from joulemark.record.code_run import Outcome


def _called(sandbox: Sandbox, source: str, *texts: str) -> Called:
    with sandbox.cell() as cell:
        cell.load(source, "")
        return cell.call([encode((text,)) for text in texts])


@pytest.mark.parametrize(
    "source",
    [
        "print(sum(map(int, input().split())))",
        "import sys\nprint(sum(int(w) for line in sys.stdin for w in line.split()))",
        "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))",
        "print(sum(map(int, open(0).read().split())))",
        "import os\nos.write(1, str(sum(map(int, os.read(0, 1000).split()))).encode())",
        "import sys\nsys.stdout.write(str(sum(map(int, sys.stdin.readline().split())))); sys.exit()",
        "def main():\n    print(sum(map(int, input().split())))\nif __name__ == '__main__':\n    main()",
        "print(sum(map(int, open('/dev/stdin').read().split())))",
        "import sys\nopen('/dev/stdout', 'w').write(str(sum(map(int, sys.stdin.read().split()))))",
        "import fileinput\nprint(sum(int(w) for line in fileinput.input() for w in line.split()))",
        "import sys\nprint(sum(map(int, input().split())) if sys.argv == ['solution.py'] else sys.argv)",
        "import sys\nprint(sum(map(int, input().split())) if len(sys.orig_argv) == 2 else sys.orig_argv)",
        "import mmap\nprint(sum(map(int, mmap.mmap(0, 0, access=mmap.ACCESS_READ).read().split())))",
    ],
)
def test_every_way_to_read_and_print_works_for_one_input_after_another(sandbox: Sandbox, source: str) -> None:
    called = _called(sandbox, source, "1 2 3\n", "40 2\n", "7\n")
    assert called.outcome is Outcome.RETURNED, called.detail
    assert [value.split() for value in called.values] == [["6"], ["42"], ["7"]]


def test_a_program_that_prints_too_much_is_over_its_output(sandbox: Sandbox) -> None:
    with sandbox.cell() as cell:
        cell.load("print('x' * 70_000_000)", "")
        assert cell.call([encode(("",))]).outcome is Outcome.OVER_OUTPUT


def test_an_exit_with_a_code_is_no_answer(sandbox: Sandbox) -> None:
    assert _called(sandbox, "print(1)\nraise SystemExit(1)", "").outcome is Outcome.EXITED


def test_a_program_finds_a_module_of_its_own(sandbox: Sandbox) -> None:
    source = """
from dataclasses import dataclass
import pickle

@dataclass(frozen=True)
class Point:
    x: int

def f(x):
    return pickle.loads(pickle.dumps(Point(x))).x
"""
    with sandbox.cell() as cell:
        cell.load(source, "f")
        assert cell.call([encode((3,))]).values == (3,)


@pytest.mark.parametrize("name", ["missing", "Box.missing", "Nobody.get", "number"])
def test_what_cannot_be_called_is_no_entry_point(sandbox: Sandbox, name: str) -> None:
    with sandbox.cell() as cell, pytest.raises(Ended) as ended:
        cell.load("number = 5\nclass Box:\n    def get(self):\n        return 1", name)
    assert ended.value.outcome is Outcome.NO_ENTRY_POINT


def test_a_program_that_reads_finds_its_own_classes(sandbox: Sandbox) -> None:
    source = """
import copy, pickle, sys

class Point:
    def __init__(self, x):
        self.x = x

assert sys.modules["__main__"].Point is Point
print(pickle.loads(pickle.dumps(Point(int(input())))).x)
"""
    called = _called(sandbox, source, "3", "4")
    assert called.outcome is Outcome.RETURNED, called.detail
    assert [value.strip() for value in called.values] == ["3", "4"]


def test_a_function_finds_no_file_open_and_none_in_its_folder(sandbox: Sandbox) -> None:
    source = """
import os, stat

def f():
    found = []
    for descriptor in range(64):
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                found.append(descriptor)
        except OSError:
            pass
    return found, os.listdir("/tmp"), os.path.exists("/dev/stdin")
"""
    with sandbox.cell() as cell:
        cell.load(source, "f")
        assert cell.call([encode(())]).values == (([], [], False),)


def test_what_is_set_on_an_open_file_is_gone_with_the_run(sandbox: Sandbox) -> None:
    source = """
import fcntl, os

def f():
    before = [bool(fcntl.fcntl(number, fcntl.F_GETFL) & os.O_APPEND) for number in range(3)]
    for number in range(3):
        fcntl.fcntl(number, fcntl.F_SETFL, os.O_APPEND)
    return before
"""
    for _ in range(2):
        with sandbox.cell() as cell:
            cell.load(source, "f")
            assert cell.call([encode(())]).values == ([False] * 3,)
