"""Programs that leave their answers in the kernel's caches, really run: they gain nothing by it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.code.cases.make import make_cases
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.measuring.baseline import run_baseline
from joulemark.code.measuring.levels import Levels
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import Scaled, reference
from joulemark.code.measuring.whole import WholeRuns
from joulemark.code.problems.problem import Generator
from joulemark.code.selftest.rig_cases import LOOP
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import CodeRun, Purpose

_GENERATOR = Generator(
    LOOP.generator.source if LOOP.generator else "",
    sizes=(3_000, 3_000),
    shapes=("random",),
    levels=(5, 2_000, 3_000),
    cases_per_level=(1, 1, 1),
    level_weights=(0, 3, 4),
)
_PROBLEM = replace(LOOP, generator=_GENERATOR)
_WEIGHTS = {LOOP.problem_id: {1: 3.0, 2: 4.0}}
_WORK = """
import hashlib, os, time

def work(values, rounds):
    total = 0
    for _ in range(rounds):
        for value in values:
            total = (total * 31 + value * value) % 1000003
    return total
"""
_BY_NAMES = f"""{_WORK}
LOOKS = 3

def took(name):
    begin = time.perf_counter_ns()
    os.access("/usr/lib/" + name, 0)
    return time.perf_counter_ns() - begin

def solve(values, rounds):
    key, salt = hashlib.md5(repr((values, rounds)).encode()).hexdigest(), str(time.perf_counter_ns())
    new = sorted(took(salt + str(one)) for one in range(60))[15]
    known = sorted(took(salt + "0") for _ in range(60))[45]
    def was_asked(tag):
        return 2 * sum(took(f"{{key}}.{{tag}}.{{look}}") < (new + known) / 2 for look in range(LOOKS)) > LOOKS
    def ask(tag):
        for look in range(LOOKS):
            took(f"{{key}}.{{tag}}.{{look}}")
    def leave(turn, answer):
        ask(f"{{turn}}.head")
        for bit in range(20):
            if answer >> bit & 1:
                ask(f"{{turn}}.{{bit}}")
    for turn in range(40):
        if not was_asked(f"{{turn}}.head"):
            break
        answer = sum(1 << bit for bit in range(20) if was_asked(f"{{turn}}.{{bit}}"))
        if answer != (1 << 20) - 1:  # looking at a name makes it known: the next one finds a new turn
            leave(turn + 1, answer)
            return answer
    answer = work(values, rounds)
    leave(0, answer)
    return answer
"""
_BY_PAGES = f"""{_WORK}
import ctypes, mmap, resource

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
STEP, BITS = 32 * 4096, 28  # 20 of the answer, 8 to tell it from what others left
file = os.open("@FILE@", os.O_RDONLY)
SLOTS = os.fstat(file).st_size // STEP
at = libc.mmap(None, SLOTS * STEP, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
libc.madvise(at, SLOTS * STEP, 1)

def was_read(slot):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    ctypes.c_ubyte.from_address(at + slot * STEP).value
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before

def leave(turn, word):
    for bit in range(BITS):
        if word >> bit & 1:
            was_read(turn * (BITS + 1) + 1 + bit)

def solve(values, rounds):
    digest = int(hashlib.md5(repr((values, rounds)).encode()).hexdigest(), 16)
    turns, mark = SLOTS // (BITS + 1), digest % 251
    for turn in range(turns):
        if not was_read(turn * (BITS + 1)):
            break
        word = sum(1 << bit for bit in range(BITS) if was_read(turn * (BITS + 1) + 1 + bit))
        if word >> 20 == mark:  # reading it spoils it: it is left once more
            again = next((one for one in range(turn + 1, turns) if not was_read(one * (BITS + 1))), turn)
            leave(again, word)
            return word & 0xFFFFF
    else:
        return work(values, rounds)
    answer = work(values, rounds)
    leave(turn, answer | mark << 20)
    return answer
"""


@pytest.fixture(scope="module")
def bench(sandbox: Sandbox) -> Iterator[Bench]:
    with Judge(sandbox, _PROBLEM) as judge:
        # inputs of this run of the tests alone: the kernel remembers those of the one before
        yield Bench(sandbox, _PROBLEM, judge, os.urandom(4).hex())


def figures(bench: Bench, program: str) -> dict[str, float | None]:
    """Return the figures of a program that is measured as an evaluation does it."""
    ran, canonical = Ran(LOOP.problem_id, program, 0), reference(LOOP)
    cases = make_cases(bench.sandbox, _PROBLEM, 4, str(bench.seed))
    runs: list[CodeRun] = [*run_baseline(bench.sandbox, 6)]
    runs += [bench.run(ran, [case], Purpose.TEST, case=case.number) for case in cases]
    levels = Levels(bench, canonical)
    runs += [*levels.reference_runs, *levels.run(ran)]
    runs += WholeRuns(bench, canonical, cases, 2).run(ran)
    runs += run_pairs(bench, ran, Scaled(3_000, (), 20_000_000), PairPlan(4, 4))
    summary = summarize_code(runs, level_weights=_WEIGHTS)
    assert summary.samples[0].passed is not None
    return {name: value.value for name, value in summary.figures.items()}


def library_file() -> Path:
    """Return the largest file of the libraries, of which nothing is in memory any more."""
    files = [
        Path(folder, name)
        for folder, _, names in os.walk("/usr/lib")
        for name in names
        if not Path(folder, name).is_symlink()
    ]
    largest = max(files, key=lambda one: one.stat().st_size)
    with largest.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return largest


@pytest.mark.slow
@pytest.mark.parametrize("by", ["names", "pages"])
def test_who_leaves_its_answers_in_the_kernels_caches_gains_nothing(bench: Bench, by: str) -> None:
    program = _BY_NAMES if by == "names" else _BY_PAGES.replace("@FILE@", str(library_file()))
    found = figures(bench, program)
    for name in ("net", "net_corrected"):
        value = found[name]
        assert value is None or value > 0.7, (
            name
        )  # none: the way in which it remembers failed, so it is wrong
    eff = found["eff_at_1"]
    assert eff is None or eff < 1.25
