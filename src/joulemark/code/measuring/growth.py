"""How a program's time grows with the size of its input: the same on every machine."""

from __future__ import annotations

from typing import Any

from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import Scaled, reference, scaled_cases
from joulemark.record.code_run import CodeRun, Purpose
from joulemark.record.errors import InputError

LEAST_SIZES = 4
_POWERS = range(-3, 3)  # from an eighth of the scaled size to four times it
_SMALLER = range(-4, -8, -1)  # where the program was too slow for the larger ones
_REPEATS = 3
_FIRST_NUMBER = 2_000_000
_LONG_NS = 1_000_000_000


def run_growth(bench: Bench, ran: Ran, scaled: Scaled) -> list[CodeRun]:
    """Run a program beside the reference at six sizes about the scaled one, each twice the one before.

    From the smallest up; every repeat has an input of its own. It stops growing where the program is wrong,
    over a limit, or would by its growth so far take over a second at the next size, and where the problem's
    own parts fail; then smaller sizes are added until there are `LEAST_SIZES`.
    """
    runs: list[CodeRun] = []
    sizes: set[int] = set()
    before_ns = 0
    for power in _POWERS:
        size = max(1, round(scaled.size * 2.0**power))
        if size in sizes:
            continue
        at_size = _at(bench, ran, size, power)
        runs += at_size
        if not at_size or not all(run.correct for run in at_size):
            break
        sizes.add(size)
        taken_ns = max(run.cpu_ns or 0 for run in at_size)
        if taken_ns * max(2.0, taken_ns / before_ns if before_ns else 0.0) > _LONG_NS:
            break
        before_ns = taken_ns
    for power in _SMALLER:
        size = max(1, round(scaled.size * 2.0**power))
        if len(sizes) >= LEAST_SIZES or size in sizes:
            break
        at_size = _at(bench, ran, size, power)
        if not at_size:
            break
        runs += at_size
        sizes.add(size)
    return runs


def _at(bench: Bench, ran: Ran, size: int, power: int) -> list[CodeRun]:
    """Run both on inputs of one size, in turn; each sample of a model has inputs of its own.

    Nothing where the problem's own parts fail at that size.
    """
    generator = bench.problem.generator
    assert generator is not None  # what is scaled has one
    canonical, seed = reference(bench.problem), f"{bench.seed}/{ran.sample}"
    runs: list[CodeRun] = []
    for repeat in range(_REPEATS):
        first = _FIRST_NUMBER + 1000 * (power + 10) + 10 * repeat
        try:
            cases = scaled_cases(bench, size, generator.shapes[:1], first=first, seed=seed)
        except InputError:
            return []
        order = (canonical, ran) if repeat % 2 == 0 else (ran, canonical)
        for position, one in enumerate(order):
            pair = (power - min(_SMALLER)) * _REPEATS + repeat
            place: dict[str, Any] = {"size": size, "case": first, "pair": pair, "position": position}
            runs.append(bench.run(one, cases, Purpose.GROWTH, **place))
            if one is ran and not runs[-1].correct:
                return runs
    return runs
