"""How a program's time grows with the size of its input: the same on every machine."""

from __future__ import annotations

from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import Scaled, scaled_cases
from joulemark.record.code_run import CodeRun, Purpose

N_SIZES = 5
_REPEATS = 3
_STEP = 2.0
_FIRST_NUMBER = 2_000_000
_TOO_LONG_NS = 2_000_000_000


def run_growth(bench: Bench, ran: Ran, scaled: Scaled) -> list[CodeRun]:
    """Run a program at `N_SIZES` sizes up to the scaled one, each twice the one before.

    Every repeat has inputs of its own. It stops growing where the program is wrong, over a limit, or so slow
    that the next size would be.
    """
    generator = bench.problem.generator
    assert generator is not None  # what is scaled has one
    runs: list[CodeRun] = []
    sizes = sorted({max(1, round(scaled.size / _STEP**k)) for k in range(N_SIZES)})
    for number, size in enumerate(sizes):
        slowest = 0
        for repeat in range(_REPEATS):
            first = _FIRST_NUMBER + 1000 * number + 10 * repeat
            cases = scaled_cases(bench, size, generator.shapes[:1], first=first)
            runs.append(bench.run(ran, cases, Purpose.GROWTH, size=size, case=first))
            if not runs[-1].correct:
                return runs
            slowest = max(slowest, runs[-1].cpu_ns or 0)
        if slowest > _TOO_LONG_NS:
            break
    return runs
