"""Tests by level of difficulty, run as ENAMEL's published procedure runs them, for its eff@k.

Every call is the only one of a fresh process, as there every call is of a program that was executed anew:
what a program keeps from one call is of no use to the next. There all of them run in one process, which has
imported what they import: here a copy of the program is called before, with a small input. Levels that count
are repeated, the first one is not. There the repeats have one input; here each draws its own, for a program
could leave the answer to its next run (in the kernel's caches, say). For the same reason every answer to a
problem has inputs of its own, and the reference runs on all of them: the score compares times on one input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import level_inputs, make_inputs, too_large
from joulemark.code.cases.make import results_of
from joulemark.code.inside.packed import Packed, pack
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.metrics.code.eff_at_k import LIMIT_FACTOR, OVERTIME_S
from joulemark.metrics.code.level_draw import LEVEL_REPEATS
from joulemark.record.code_run import SEEN_INPUT, CodeRun, Purpose
from joulemark.record.errors import InputError

_Tests = dict[int, list[tuple[Case, ...]]]
"""By level, then by repeat."""


class Levels:
    """The levels of one problem: the first inputs are made, and the reference runs on them, at once.

    The first candidate has these, each later one others. The level for right and wrong only is drawn by
    ``seed`` and the same for all; those that count are drawn by that of the bench, which no program could
    know. Raises `InputError` where the reference fails on them.
    """

    def __init__(self, bench: Bench, reference: Ran, seed: int = 0) -> None:
        self._bench, self._reference = bench, reference
        generator = bench.problem.generator
        assert generator is not None  # what has levels has one
        self._weights = generator.level_weights
        uncounted = [level for level, weight in enumerate(self._weights) if not weight]
        self._uncounted = self._made({level: [seed] for level in uncounted})
        self._first = {**self._uncounted, **self._counted(0)}
        self._rehearsal = self._first[0][0][-1]
        self.reference_runs = self._of_reference(self._first, 0)
        self._n_candidates = 0

    def run(self, ran: Ran) -> list[CodeRun]:
        """Run a candidate test by test, up to the first that it fails or takes too long for.

        Before its rows stand those of the reference on inputs that the first candidate has not. Raises
        `InputError` where the reference fails on these.
        """
        draw, self._n_candidates = self._n_candidates, self._n_candidates + 1
        if draw == 0:
            return self._run(ran, self._first, draw, _limit_s(self._counted_ns(self.reference_runs)))
        own = self._counted(draw)
        beside = self._of_reference(own, draw)
        mine = self._run(ran, {**self._uncounted, **own}, draw, _limit_s(self._counted_ns(beside)))
        return [*beside, *mine]

    def _counted(self, draw: int) -> _Tests:
        """Return the tests of levels that count, of one candidate."""
        pairs = range(draw * LEVEL_REPEATS, (draw + 1) * LEVEL_REPEATS)
        seeds = [f"{self._bench.seed}/level/{pair}" for pair in pairs]
        return self._made({level: seeds for level, weight in enumerate(self._weights) if weight})

    def _made(self, seeds: Mapping[int, Sequence[int | str]]) -> _Tests:
        """Return the tests of levels, a tuple for each seed; all are made in one go."""
        bench = self._bench
        wanted = [
            (level, repeat, number, one)
            for level, mine in seeds.items()
            for repeat, seed in enumerate(mine)
            for number, one in enumerate(level_inputs(bench.problem, level, seed))
        ]
        if not wanted:
            return {}
        orders = [one for *_, one in wanted]
        made = make_inputs(bench.sandbox, bench.problem, orders)
        if len(made) < len(orders):
            raise too_large(bench.problem, orders, len(orders) - len(made))
        sent = [pack(one.args) for one in made]
        expected = self._results(sent)
        found: dict[int, list[list[Case]]] = {level: [[] for _ in mine] for level, mine in seeds.items()}
        for (level, repeat, number, _), one, packed, result in zip(wanted, made, sent, expected, strict=True):
            case = Case(number, Kind.GENERATED, one.args, packed, result, one.wanted.size, None, level)
            found[level][repeat].append(case)
        return {level: [tuple(mine) for mine in repeats] for level, repeats in found.items()}

    def _results(self, sent: Sequence[Packed]) -> tuple[Plain, ...]:
        """Return what the canonical solution returns; in parts where all are too much for one process."""
        bench = self._bench
        try:
            return results_of(
                bench.sandbox, bench.problem, bench.problem.canonical, sent, "the reference solution"
            )
        except InputError:
            if len(sent) < 2:
                raise
        middle = len(sent) // 2
        return (*self._results(sent[:middle]), *self._results(sent[middle:]))

    def _of_reference(self, tests: _Tests, draw: int) -> list[CodeRun]:
        runs = self._run(self._reference, tests, draw, None)
        last = runs[-1]
        if not last.correct:
            raise InputError(
                f"{self._bench.problem.problem_id} is no sound problem: its reference fails on level "
                f"{last.level}",
                why=last.detail or last.outcome.value,
                fix="joulemark code problems --check   # says which problems are sound",
            )
        return runs

    def _run(self, ran: Ran, tests: _Tests, draw: int, limit_s: float | None) -> list[CodeRun]:
        runs: list[CodeRun] = []
        seen: set[Packed] = set()
        for level, repeats in sorted(tests.items()):
            first = draw * LEVEL_REPEATS if self._weights[level] else 0
            for test in zip(*repeats, strict=True):
                for pair, case in enumerate(test, first):
                    place = {"level": level, "case": case.number, "pair": pair, "size": case.size}
                    run = self._bench.run(
                        ran, [case], Purpose.LEVEL, cpu_limit_s=limit_s, rehearsal=self._rehearsal, **place
                    )
                    runs.append(replace(run, flags=(*run.flags, SEEN_INPUT)) if case.sent in seen else run)
                    seen.add(case.sent)
                    if not runs[-1].correct or _is_over(runs[-1], limit_s):
                        return runs
        return runs

    def _counted_ns(self, runs: Sequence[CodeRun]) -> list[int]:
        return [run.cpu_ns for run in runs if self._weights[run.level or 0] and run.cpu_ns is not None]


def _limit_s(reference_ns: Sequence[int]) -> float:
    """Return when a run is ended, by the reference's times: some inputs are harder than others.

    The score has a limit of its own.
    """
    return LIMIT_FACTOR * max(reference_ns, default=0) / 1e9 + OVERTIME_S


def _is_over(run: CodeRun, limit_s: float | None) -> bool:
    """Whether a call that came to its end took too long, and its end only came before anybody looked."""
    return limit_s is not None and run.cpu_ns is not None and run.cpu_ns > limit_s * 1e9
