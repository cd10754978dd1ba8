"""All tests one after another in one process, with memory sampled from outside: as the paper measures.

Every answer to a problem has inputs of its own, on which the reference runs beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.code.cases.case import Case
from joulemark.code.cases.make import make_cases
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.record.code_run import SEEN_INPUT, CodeRun, Purpose

SAMPLE_S = 0.001
"""The step of the paper; what was reached is recorded with each run."""


@dataclass(frozen=True, slots=True)
class AllTests:
    """Inputs of one run of all tests; ``are_seen``: programs ran on most of them before.

    ``pair``: its number, of all that were drawn of a problem. ``accepted``: what the program returned for
    each where a test script judged it, see `Bench.judged`.
    """

    cases: tuple[Case, ...]
    are_seen: bool
    pair: int = 0
    accepted: tuple[Plain, ...] = ()


class WholeRuns:
    """The runs of all tests of one problem: of every answer beside the reference, on inputs of its own.

    ``graded``: what programs were graded on, empty where a test script alone did that. Where no other inputs
    can be made the reference runs once.
    """

    def __init__(self, bench: Bench, reference: Ran, graded: Sequence[Case], repeats: int) -> None:
        self._bench, self._reference, self._repeats = bench, reference, repeats
        self._graded = tuple(graded)
        self._seen = {case.sent for case in graded}
        self._n_drawn = 0

    def run(self, ran: Ran) -> list[CodeRun]:
        """Return the runs of one answer, and those of the reference beside it.

        Raises `InputError` where the problem's own parts fail.
        """
        if self._bench.problem.generator is None and self._n_drawn:
            return [
                run_whole(self._bench, ran, self._graded, repeat, are_seen=True)
                for repeat in range(self._repeats)
            ]
        return run_whole_beside(self._bench, self._reference, ran, self.draw())

    def run_as_judged(self, ran: Ran, cases: Sequence[Case], results: Sequence[Plain]) -> list[CodeRun]:
        """Return the runs of one answer on what a test script called it with, the reference beside it.

        ``results``: what it returned there when the script found it right. A script says no rule by which
        another result could be compared, and may call every answer with other inputs.
        """
        tests = [AllTests(tuple(cases), True, pair, tuple(results)) for pair in self._next()]
        return run_whole_beside(self._bench, self._reference, ran, tests)

    def draw(self) -> list[AllTests]:
        """Return for each repeat as many tests as programs were graded on, on inputs that are drawn anew.

        What a program could leave of its tests, or another one for it, is of no use to it here. Examples,
        edge cases and given inputs stay the same.
        """
        return [self._drawn(pair) for pair in self._next()]

    def _next(self) -> range:
        """Return the numbers of the repeats of one more answer."""
        self._n_drawn += self._repeats
        return range(self._n_drawn - self._repeats, self._n_drawn)

    def _drawn(self, pair: int) -> AllTests:
        bench = self._bench
        if bench.problem.generator is None:
            return AllTests(self._graded, True, pair)
        seed = f"{bench.seed}/whole/{pair}"
        cases = make_cases(bench.sandbox, bench.problem, len(self._graded), seed, cross_check=False)
        cases = cases or self._graded
        are_seen = 2 * sum(case.sent in self._seen for case in cases) > len(cases)
        self._seen |= {case.sent for case in cases}
        return AllTests(cases, are_seen, pair)


def run_whole(
    bench: Bench,
    ran: Ran,
    cases: Sequence[Case],
    pair: int = 0,
    *,
    are_seen: bool = False,
    accepted: Sequence[Plain] = (),
) -> CodeRun:
    """Run all tests in one go, sampling the resident memory every `SAMPLE_S`.

    ``are_seen``: the program ran on them before, which the row says. ``accepted``: see `Bench.judged`.
    """
    run = bench.run(ran, cases, Purpose.WHOLE, sample_memory_s=SAMPLE_S, accepted=accepted, pair=pair)
    return replace(run, flags=(*run.flags, SEEN_INPUT)) if are_seen else run


def run_whole_beside(bench: Bench, reference: Ran, ran: Ran, tests: Sequence[AllTests]) -> list[CodeRun]:
    """Run all tests of two programs, in the order A B B A: drift of the machine falls on both."""
    found = []
    for one in tests:
        both = ((reference, ()), (ran, one.accepted))
        found += [
            run_whole(bench, mine, one.cases, one.pair, are_seen=one.are_seen, accepted=accepted)
            for mine, accepted in (both if one.pair % 2 == 0 else reversed(both))
        ]
    return found
