"""One problem with the programs that answer it: what a worker does, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.make import make_cases, results_of
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.grading.grade import Grade, grade
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.plain import Plain, encode
from joulemark.code.measuring.baseline import run_baseline
from joulemark.code.measuring.growth import run_growth
from joulemark.code.measuring.levels import Levels
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import Scaled, reference, scale
from joulemark.code.measuring.whole import run_whole
from joulemark.code.problems.problem import Problem
from joulemark.metrics.code.pair_ratio import pair_ratio
from joulemark.metrics.code.pairs import pairs_of
from joulemark.record.code_run import CodeRun, Purpose
from joulemark.record.errors import InputError

_OPEN_PAIRS = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """A program that answers a problem: ``sample`` numbers a model's samples; null source: no program."""

    sample: int
    source: str | None


@dataclass(frozen=True, slots=True)
class Job:
    """A problem, the answers to be graded, and whether its reference is measured against itself as well."""

    problem: Problem
    answers: tuple[Answer, ...]
    settings: Settings
    same: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a job: rows of the record. ``failure``: why the problem itself could not be used."""

    problem_id: str
    runs: tuple[CodeRun, ...]
    failure: str | None = None


def work(sandbox: Sandbox, job: Job) -> Done:
    """Grade and measure the answers of one problem."""
    problem = job.problem
    try:
        cases = make_cases(sandbox, problem, job.settings.n_tests, job.settings.seed)
        with Judge(sandbox, problem) as judge:
            return Done(problem.problem_id, tuple(_Work(Bench(sandbox, problem, judge), job, cases).runs()))
    except InputError as error:
        return Done(problem.problem_id, (), f"{error.what}: {error.why}")


class _Work:
    """One job under way. The scaled input is looked for when the first right answer wants it."""

    def __init__(self, bench: Bench, job: Job, cases: Sequence[Case]) -> None:
        self._bench, self._job, self._cases = bench, job, tuple(cases)
        self._scaled: Scaled | None = None
        self._is_scaled = False
        self._reference_done = False
        self._levels: Levels | None = None

    def runs(self) -> list[CodeRun]:
        """Return every run of every answer."""
        problem, settings = self._job.problem, self._job.settings
        found: list[CodeRun] = []
        if settings.measure and self._job.same:
            found += run_baseline(self._bench.sandbox)
        if settings.wants(FigureSet.ENAMEL) and problem.is_scored_by_levels:
            # whether or not an answer is right: the score counts every answer of such a problem
            self._levels = Levels(self._bench, reference(problem), settings.seed)
            found += self._levels.reference_runs
        for answer in self._job.answers:
            ran = Ran(problem.problem_id, answer.source or "", answer.sample)
            graded = grade(self._bench.sandbox, problem, self._cases, ran)
            found += graded.runs
            if graded.is_correct and settings.measure:
                found += self._measured(ran, graded)
        return found

    def _measured(self, ran: Ran, graded: Grade) -> list[CodeRun]:
        settings, bench = self._job.settings, self._bench
        cases: tuple[Case, ...] = ()
        if settings.wants(FigureSet.PAPER):
            cases = self._cases or self._seen(graded.inputs)
        found: list[CodeRun] = []
        scaled = self._scale() if settings.wants(FigureSet.CORRECTED) else None
        if not self._reference_done:
            self._reference_done = True
            found += self._of_reference(cases, scaled)
        if cases:
            found += [run_whole(bench, ran, cases, repeat) for repeat in range(settings.whole_repeats)]
        if self._levels is not None:
            found += self._levels.run(ran)
        if scaled is not None:
            plan = PairPlan(settings.min_pairs, settings.max_pairs, narrow_enough(settings.target_half_width))
            pairs = run_pairs(bench, ran, scaled, plan)
            found += pairs
            if settings.growth and all(run.correct for run in pairs):
                found += run_growth(bench, ran, scaled)
        return found

    def _of_reference(self, cases: Sequence[Case], scaled: Scaled | None) -> list[CodeRun]:
        settings, bench = self._job.settings, self._bench
        canonical = reference(self._job.problem)
        found: list[CodeRun] = []
        if cases:
            found += [run_whole(bench, canonical, cases, repeat) for repeat in range(settings.whole_repeats)]
        if scaled is not None and self._job.same and settings.same_pairs:
            control = Ran(canonical.problem, canonical.program, 0)
            plan = PairPlan(settings.same_pairs, settings.same_pairs)
            found += run_pairs(bench, control, scaled, plan, Purpose.SAME)
        return found

    def _scale(self) -> Scaled | None:
        if not self._is_scaled:
            self._scaled, self._is_scaled = scale(self._bench), True
        return self._scaled

    def _seen(self, inputs: Sequence[tuple[Plain, ...]]) -> tuple[Case, ...]:
        """Return the inputs of a test script as cases, with what the canonical solution returns for them."""
        if not inputs:
            return ()
        problem = self._job.problem
        expected = results_of(
            self._bench.sandbox, problem, problem.canonical, inputs, "the canonical solution"
        )
        return tuple(
            Case(number, Kind.GIVEN, args, encode(args), result)
            for number, (args, result) in enumerate(zip(inputs, expected, strict=True))
        )


def narrow_enough(half_width: float) -> Callable[[Sequence[CodeRun]], bool]:
    """Return a rule that ends pairs when the ratio's interval is within ``half_width`` of it, as a share."""

    def is_enough(runs: Sequence[CodeRun]) -> bool:
        if len(runs) % (2 * _OPEN_PAIRS):
            return False  # looked at now and then: a look at every pair would stop at lucky ones
        ratio = pair_ratio(next(iter(pairs_of(runs).values()), ())).ratio
        if ratio.value is None or ratio.lo is None or ratio.hi is None:
            return False
        return (ratio.hi - ratio.lo) / 2 <= half_width * ratio.value

    return is_enough
