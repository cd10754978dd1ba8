"""Tests by level of difficulty, for scores that are made of order statistics (ENAMEL's eff@k)."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import level_inputs, make_inputs
from joulemark.code.cases.make import results_of
from joulemark.code.contain.ended import Ended
from joulemark.code.inside.plain import encode
from joulemark.code.measuring.observed import Ran, ended_run, observed_run
from joulemark.code.measuring.once import Bench
from joulemark.record.code_run import CodeRun, Outcome, Purpose

REPEATS = 6
TOLERANCE = 2.0
"""A program has this many times what the reference takes at most; what takes longer scores nothing."""
_LEAST_LIMIT_S = 0.05


class Levels:
    """The levels of one problem: inputs are made once, the reference runs once, candidates in turn."""

    def __init__(self, bench: Bench, reference: Ran) -> None:
        self._bench = bench
        generator = bench.problem.generator
        assert generator is not None  # what has levels has one
        self._cases = [self._of_level(level) for level in range(len(generator.levels))]
        self.reference_runs = self._run(reference, None)
        slowest = max((run.cpu_ns or 0 for run in self.reference_runs), default=0)
        self._limit_s = max(TOLERANCE * slowest / 1e9, _LEAST_LIMIT_S)

    def run(self, ran: Ran) -> list[CodeRun]:
        """Run a candidate level by level; the levels after one that it did not end are left out."""
        return self._run(ran, self._limit_s)

    def _of_level(self, level: int) -> tuple[Case, ...]:
        bench = self._bench
        made = make_inputs(bench.sandbox, bench.problem, level_inputs(bench.problem, level))
        arguments = [one.args for one in made]
        expected = results_of(
            bench.sandbox, bench.problem, bench.problem.canonical, arguments, "the reference solution"
        )
        return tuple(
            Case(number, Kind.GENERATED, one.args, encode(one.args), result, one.wanted.size, None, level)
            for number, (one, result) in enumerate(zip(made, expected, strict=True))
        )

    def _run(self, ran: Ran, limit_s: float | None) -> list[CodeRun]:
        runs: list[CodeRun] = []
        for cases in self._cases:
            for repeat in range(REPEATS):
                runs += self._run_level(ran, cases, repeat, limit_s)
                if runs and not runs[-1].correct:
                    return runs
        return runs

    def _run_level(
        self, ran: Ran, cases: Sequence[Case], repeat: int, limit_s: float | None
    ) -> list[CodeRun]:
        """Run the tests of a level in one fresh process, each a call of its own."""
        bench, runs = self._bench, []
        try:
            with bench.sandbox.cell() as cell:
                cell.load(ran.source(bench.problem), bench.problem.entry_point)
                for case in cases:
                    called = cell.call([case.sent], cpu_limit_s=limit_s)
                    right = called.outcome is Outcome.RETURNED and bench.judge.is_right(
                        case, called.values[0]
                    )
                    place = {"level": case.level, "case": case.number, "pair": repeat, "size": case.size}
                    runs.append(observed_run(called, ran, Purpose.LEVEL, right, **place))
                    if not right:
                        return runs
        except Ended as ended:
            place = {"level": cases[0].level, "case": len(runs), "pair": repeat, "size": cases[0].size}
            runs.append(
                ended_run(ended, ran, Purpose.LEVEL, bench.sandbox.limits, cpu_limit_s=limit_s, **place)
            )
        return runs
