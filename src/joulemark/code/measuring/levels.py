"""Tests by level of difficulty, run as ENAMEL's published procedure runs them, for its eff@k.

Every call is the only one of a fresh process, as there every call is of a program that was executed anew:
what a program keeps from one call is of no use to the next. There all of them run in one process, which has
imported what they import: here a copy of the program is called before, with a small input. Levels that count
are repeated, the first one is not. There the repeats have one input; here each draws its own, for a program
could leave the answer to its next run (in the kernel's caches, say).
"""

from __future__ import annotations

from dataclasses import replace

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import level_inputs, make_inputs
from joulemark.code.cases.make import results_of
from joulemark.code.inside.packed import Packed, pack
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.metrics.code.eff_at_k import LIMIT_FACTOR, OVERTIME_S
from joulemark.record.code_run import SEEN_INPUT, CodeRun, Purpose
from joulemark.record.errors import InputError

REPEATS = 6
"""Calls of each test of a level that counts, each on an input that is drawn anew."""


class Levels:
    """The levels of one problem: inputs are made once, the reference runs once, candidates in turn.

    Raises `InputError` where the reference fails on them.
    """

    def __init__(self, bench: Bench, reference: Ran, seed: int = 0) -> None:
        self._bench = bench
        generator = bench.problem.generator
        assert generator is not None  # what has levels has one
        self._weights = generator.level_weights
        self._cases = [
            [self._of_level(level, seed, repeat) for repeat in range(REPEATS if self._weights[level] else 1)]
            for level in range(len(generator.levels))
        ]
        self.reference_runs = self._run(reference, None)
        last = self.reference_runs[-1]
        if not last.correct:
            raise InputError(
                f"{bench.problem.problem_id} is no sound problem: its reference fails on level {last.level}",
                why=last.detail or last.outcome.value,
                fix="joulemark code problems --check   # says which problems are sound",
            )
        self._limit_s = LIMIT_FACTOR * self._slowest_ns() / 1e9 + OVERTIME_S

    def run(self, ran: Ran) -> list[CodeRun]:
        """Run a candidate test by test, up to the first that it fails or takes too long for."""
        return self._run(ran, self._limit_s)

    def _of_level(self, level: int, seed: int, repeat: int) -> tuple[Case, ...]:
        bench = self._bench
        wanted = level_inputs(bench.problem, level, f"{seed}/{repeat}" if repeat else seed)
        made = make_inputs(bench.sandbox, bench.problem, wanted)
        sent = [pack(one.args) for one in made]
        expected = results_of(
            bench.sandbox, bench.problem, bench.problem.canonical, sent, "the reference solution"
        )
        return tuple(
            Case(number, Kind.GENERATED, one.args, packed, result, one.wanted.size, None, level)
            for number, (one, packed, result) in enumerate(zip(made, sent, expected, strict=True))
        )

    def _run(self, ran: Ran, limit_s: float | None) -> list[CodeRun]:
        runs: list[CodeRun] = []
        seen: set[Packed] = set()
        for level, repeats in enumerate(self._cases):
            for test in zip(*repeats, strict=True):
                for repeat, case in enumerate(test):
                    place = {"level": level, "case": case.number, "pair": repeat, "size": case.size}
                    run = self._bench.run(
                        ran,
                        [case],
                        Purpose.LEVEL,
                        cpu_limit_s=limit_s,
                        rehearsal=self._cases[0][0][-1],
                        **place,
                    )
                    runs.append(replace(run, flags=(*run.flags, SEEN_INPUT)) if case.sent in seen else run)
                    seen.add(case.sent)
                    if not runs[-1].correct or _is_over(runs[-1], limit_s):
                        return runs
        return runs

    def _slowest_ns(self) -> int:
        """Return the reference's longest time on levels that count: some inputs are harder than others.

        It only says when a run is ended; the score has a limit of its own.
        """
        times = [run.cpu_ns for run in self.reference_runs if self._weights[run.level or 0]]
        return max((time for time in times if time is not None), default=0)


def _is_over(run: CodeRun, limit_s: float | None) -> bool:
    """Whether a call that came to its end took too long, and its end only came before anybody looked."""
    return limit_s is not None and run.cpu_ns is not None and run.cpu_ns > limit_s * 1e9
