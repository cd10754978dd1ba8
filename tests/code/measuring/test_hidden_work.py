"""Programs that hide their work around the call, on the real rig: their figures are those of open ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.plain import encode
from joulemark.code.measuring.baseline import run_baseline
from joulemark.code.measuring.growth import run_growth
from joulemark.code.measuring.levels import Levels
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import Scaled, reference, scaled_cases
from joulemark.code.measuring.whole import run_whole
from joulemark.code.selftest.rig_cases import LOOP
from joulemark.metrics.code.baseline import baseline_of
from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.growth import exponent
from joulemark.metrics.code.sample import samples_of
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import WORK_OUTSIDE_CALL, CodeRun, Purpose

_SIZE = 1_500
_GENERATOR = replace(
    LOOP.generator, levels=(5, 200, 400, 800), cases_per_level=(1, 1, 1, 1), level_weights=(0, 3, 3, 4)
)  # type: ignore[type-var]
_PROBLEM = replace(LOOP, generator=_GENERATOR)
_WORK = """
def work(values, rounds):
    held = bytearray(8 << 20)
    held[::4096] = b"x" * (len(held) // 4096)
    for _ in range(2):
        total = 0
        for _ in range(rounds):
            for value in values:
                total = (total * 31 + value * value) % 1000003
    return total
"""
_OPEN = f"{_WORK}\nsolve = work\n"
_SAYS_DONE_FIRST = f"""{_WORK}
import gc

def solve(values, rounds):
    for one in gc.get_objects():
        if type(one).__name__ == "Wire":
            one.send({{"kind": "done", "cpu_ns": 1, "wall_ns": 1}})
            one.receive()
            one.send({{"kind": "returned", "values": [str(work(values, rounds))]}})
            one.send = lambda message: None
    return 0
"""
_A_THREAD_WORKS_BEFORE = f"""{_WORK}
import sys, threading, time
memo = []
main = threading.main_thread().ident

def watch():
    while True:
        time.sleep(0.0001)
        frame = sys._current_frames().get(main)
        while frame is not None:
            if frame.f_code.co_name == "_calls" and "inputs" in frame.f_locals:
                memo.extend(work(*args) for args in list(frame.f_locals["inputs"]))
                return
            frame = frame.f_back

threading.Thread(target=watch, daemon=True).start()

def solve(values, rounds):
    while not memo:
        time.sleep(0.001)
    return memo.pop(0)
"""
_A_THREAD_WORKS_AFTER = f"""{_WORK}
import threading

def solve(values, rounds):
    found = [0]
    threading.Thread(target=lambda: found.__setitem__(0, work(values, rounds)), daemon=True).start()
    return found
"""
Figures = Mapping[str, float | None]


def measured(sandbox: Sandbox, program: str) -> tuple[list[CodeRun], Figures]:
    """Return the rows of one answer and its figures; those of a wrong one are of nothing."""
    ran = Ran(_PROBLEM.problem_id, program, 0)
    with Judge(sandbox, _PROBLEM) as judge:
        bench = Bench(sandbox, _PROBLEM, judge)
        scaled = Scaled(_SIZE, scaled_cases(bench, _SIZE, ("random",)), 10_000_000)
        levels = Levels(bench, reference(_PROBLEM))
        runs = [*run_baseline(sandbox), *levels.reference_runs, *levels.run(ran)]
        runs.append(bench.run(ran, scaled.cases, Purpose.TEST, case=0))
        for repeat in range(3):  # the wall time of one run is the machine's load
            runs += [run_whole(bench, one, scaled.cases, repeat) for one in (reference(_PROBLEM), ran)]
        runs += run_pairs(bench, ran, scaled, PairPlan(3, 3))
        runs += run_growth(bench, ran, scaled)
    figures = {name: value.value for name, value in summarize_code(runs).figures.items()}
    (sample,) = samples_of(charged(runs))
    figures["growth_exponent"] = exponent(sample.of(Purpose.GROWTH), baseline_of(runs)).value
    return runs, figures


@pytest.fixture(scope="module")
def honest(sandbox: Sandbox) -> Figures:
    return measured(sandbox, _OPEN)[1]


@pytest.fixture(
    scope="module", params=[_SAYS_DONE_FIRST, _A_THREAD_WORKS_BEFORE], ids=["done_first", "thread"]
)
def hidden(sandbox: Sandbox, request: pytest.FixtureRequest) -> Figures:
    runs, figures = measured(sandbox, request.param)
    if request.param is _SAYS_DONE_FIRST:  # a thread's work may fall into the call, where it is seen anyway
        assert WORK_OUTSIDE_CALL in summarize_code(runs).flags
    return figures


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figure", "least", "most"),
    [
        ("net", 0.5, 1.2),
        ("net_corrected", 0.7, 1.2),
        ("nmu_corrected", 0.8, 1.2),
        ("ntmu_corrected", 0.3, 1.5),
        ("growth_exponent", 0.5, 1.2),
    ],
)
def test_hidden_work_is_in_every_figure(
    honest: Figures, hidden: Figures, figure: str, least: float, most: float
) -> None:
    """Or the figure is withheld. The machine's load moves the wall time of one run more than all else."""
    true, found = honest[figure], hidden[figure]
    assert true is not None
    assert found is None or found >= least * true / most


@pytest.mark.slow
def test_hidden_work_gains_nothing_on_levels(honest: Figures, hidden: Figures) -> None:
    true, found = honest["eff_at_1"], hidden["eff_at_1"]
    assert true is not None
    assert found is None or found < true + 0.25


def test_a_thread_that_goes_on_after_the_return_is_wrong(sandbox: Sandbox) -> None:
    with Judge(sandbox, _PROBLEM) as judge:
        bench = Bench(sandbox, _PROBLEM, judge)
        cases = scaled_cases(bench, _SIZE, ("random",))
        assert not bench.run(Ran("loop", _A_THREAD_WORKS_AFTER, 0), cases, Purpose.TEST).correct


def test_what_follows_an_alleged_end_is_recorded_beside_it(sandbox: Sandbox) -> None:
    with Judge(sandbox, _PROBLEM) as judge:
        bench = Bench(sandbox, _PROBLEM, judge)
        cases = scaled_cases(bench, _SIZE, ("random",))
        run = bench.run(Ran("loop", _SAYS_DONE_FIRST, 0), cases, Purpose.TEST)
        plain = bench.run(Ran("loop", _OPEN, 0), cases, Purpose.TEST)
    assert run.correct
    assert plain.correct
    assert None not in (run.cpu_ns, run.cpu_after_ns, plain.cpu_ns, plain.cpu_after_ns)
    assert run.cpu_ns < 5_000_000 < run.cpu_after_ns  # type: ignore[operator]
    assert plain.cpu_after_ns < 5_000_000 < plain.cpu_ns  # type: ignore[operator]
    if run.peak_after_bytes is not None:
        assert run.peak_after_bytes > 7 << 20


def test_nothing_of_a_program_runs_by_a_hook_while_its_inputs_are_read(sandbox: Sandbox) -> None:
    source = (
        "import gc, sys\n"
        "seen = []\n"
        "gc.callbacks.append(lambda phase, info: seen.append(phase))\n"
        "sys.settrace(lambda *event: seen.append('trace'))\n"
        "sys.setprofile(lambda *event: seen.append('profile'))\n"
        "seen.clear()\n"
        "def f(values):\n"
        "    return list(seen)\n"
    )
    with sandbox.cell() as cell:
        cell.load(source, "f")
        (seen,) = cell.call([encode(([[k] for k in range(5000)],))]).values
    assert isinstance(seen, list)
    assert "start" not in seen
    assert len(seen) < 30  # on the way from the program to the harness
