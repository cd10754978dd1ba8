"""One problem with the programs that answer it: what a worker does, wherever it runs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.make import make_cases, results_of
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.grading.grade import Grade, grade
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import pack
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.baseline import REPEATS, run_baseline
from joulemark.code.measuring.growth import run_growth
from joulemark.code.measuring.levels import Levels
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import LEAST_NS, Scaled, reference, scale, unchecked
from joulemark.code.measuring.whole import WholeRuns
from joulemark.code.problems.problem import Problem
from joulemark.metrics.code.baseline import Baseline
from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.pair_interval import is_look, is_narrow
from joulemark.metrics.code.pair_ratio import pair_ratio
from joulemark.metrics.code.pairs import pairs_of
from joulemark.record.code_run import CodeRun, Purpose
from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class Answer:
    """A program that answers a problem: ``sample`` numbers a model's samples; null source: no program."""

    sample: int
    source: str | None


@dataclass(frozen=True, slots=True)
class Job:
    """A problem and the answers to be graded; ``size``: of its scaled input, where one was found before.

    ``is_control``: no answers, but a program that does nothing, run ``baseline_runs`` times, and the
    reference measured against itself. ``baseline``: what the controls of the evaluation found, for pairs end
    by the ratio that will be reported. ``draw``: what no program could know before the evaluation; with the
    seed it says which inputs are timed.
    """

    problem: Problem
    answers: tuple[Answer, ...]
    settings: Settings
    size: int | None = None
    is_control: bool = False
    baseline_runs: int = REPEATS
    baseline: Baseline | None = None
    draw: str = ""

    @property
    def timed_seed(self) -> str:
        """The seed of inputs that are timed."""
        return f"{self.settings.seed}/{self.draw}"

    @property
    def job_id(self) -> str:
        """By what it is known as done: the problem's id, or another name for a control."""
        return f"control:{self.problem.problem_id}" if self.is_control else self.problem.problem_id


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a job: rows of the record.

    ``problem_id``: `Job.job_id`. ``failure``: why the problem itself could not be used. ``not_measured``: why
    some of what was wanted was not measured; what was graded stands. ``size`` of the scaled input.
    """

    problem_id: str
    runs: tuple[CodeRun, ...]
    failure: str | None = None
    not_measured: str | None = None
    size: int | None = None
    is_control: bool = False


def work(sandbox: Sandbox, job: Job) -> Done:
    """Grade and measure the answers of one problem, or carry out a control.

    The last row tells what CPU time this process took for it.
    """
    begin_ns = time.process_time_ns()
    done = _done(sandbox, job)
    if not done.runs:
        return done
    last = replace(done.runs[-1], cpu_parent_ns=time.process_time_ns() - begin_ns)
    return replace(done, runs=(*done.runs[:-1], last))


def _done(sandbox: Sandbox, job: Job) -> Done:
    problem = job.problem
    try:
        if job.is_control:
            return _control(sandbox, job)
        cases = make_cases(sandbox, problem, job.settings.n_tests, job.settings.seed)
        with Judge(sandbox, problem) as judge:
            return _Work(Bench(sandbox, problem, judge, job.timed_seed), job, cases).done()
    except InputError as error:
        said = _said(error)
        if job.is_control:
            return Done(job.job_id, (), not_measured=said, is_control=True)
        return Done(job.job_id, (), said)


def _control(sandbox: Sandbox, job: Job) -> Done:
    """Measure what does not depend on any answer: a program that does nothing, and one against itself."""
    problem, settings = job.problem, job.settings
    found: list[CodeRun] = run_baseline(sandbox, job.baseline_runs)
    why = None
    if settings.wants(FigureSet.CORRECTED) and settings.same_pairs and is_scalable(problem):
        with Judge(sandbox, problem) as judge:
            bench = Bench(sandbox, problem, judge, job.timed_seed)
            try:
                control = Ran(problem.problem_id, problem.canonical, 0)
                plan = PairPlan(settings.same_pairs, settings.same_pairs)
                scaled = scale(bench) if job.size is None else unchecked(job.size)
                scaled, same = _paired(bench, control, scaled, plan, Purpose.SAME)
                why = _too_short(scaled)
                found += same
            except InputError as error:
                why = _said(error)
    return Done(job.job_id, tuple(found), not_measured=why, is_control=True)


def is_scalable(problem: Problem) -> bool:
    """Tell whether a problem has inputs of any size."""
    return problem.generator is not None and problem.generator.sizes is not None


class _Work:
    """One job under way. The scaled input is looked for when the first right answer wants it.

    An error of the problem's own parts while something is measured leaves what was graded as it is.
    """

    def __init__(self, bench: Bench, job: Job, cases: Sequence[Case]) -> None:
        self._bench, self._job, self._cases = bench, job, tuple(cases)
        self._scaled: Scaled | None = None
        self._is_scaled = False
        self._whole: WholeRuns | None = None
        self._levels: Levels | None = None
        self._runs: list[CodeRun] = []
        self._why: str | None = None

    def done(self) -> Done:
        """Return every run of every answer. Raises `InputError` where the problem cannot judge."""
        problem, settings = self._job.problem, self._job.settings
        if settings.wants(FigureSet.ENAMEL) and problem.is_scored_by_levels:
            # whether or not an answer is right: the score counts every answer of such a problem
            with self._measuring():
                self._levels = Levels(self._bench, reference(problem), settings.seed)
                self._runs += self._levels.reference_runs
        for answer in self._job.answers:
            ran = Ran(problem.problem_id, answer.source or "", answer.sample)
            graded = grade(self._bench.sandbox, problem, self._cases, ran)
            self._runs += graded.runs
            if graded.is_correct and settings.measure:
                with self._measuring():
                    self._measure(ran, graded)
        size = None if self._scaled is None else self._scaled.size
        return Done(self._job.job_id, tuple(self._runs), not_measured=self._why, size=size)

    @contextlib.contextmanager
    def _measuring(self) -> Iterator[None]:
        try:
            yield
        except InputError as error:
            self._why = self._why or _said(error)

    def _measure(self, ran: Ran, graded: Grade) -> None:
        settings, bench = self._job.settings, self._bench
        if self._levels is not None:
            with self._measuring():  # what fails of the problem there leaves the rest
                self._runs += self._levels.run(ran)
        if settings.wants(FigureSet.PAPER):
            self._runs += self._run_whole(ran, graded)
        scaled = self._scale() if settings.wants(FigureSet.CORRECTED) else None
        if scaled is not None:
            is_enough = narrow_enough(settings.target_half_width, self._job.baseline)
            plan = PairPlan(settings.min_pairs, settings.max_pairs, is_enough)
            found, pairs = _paired(bench, ran, scaled, plan, Purpose.PAIRED)
            self._found(found)
            self._runs += pairs
            if settings.growth and found is not None and pairs and all(run.correct for run in pairs):
                self._runs += run_growth(bench, ran, found)

    def _run_whole(self, ran: Ran, graded: Grade) -> list[CodeRun]:
        """Return the runs of all tests in one process; none where there is nothing to run on."""
        if self._whole is None:
            repeats = self._job.settings.whole_repeats
            self._whole = WholeRuns(self._bench, reference(self._job.problem), self._cases, repeats)
        if self._cases:
            return self._whole.run(ran)
        seen = self._seen(graded.inputs)
        return self._whole.run_as_judged(ran, seen, graded.results) if seen else []

    def _scale(self) -> Scaled | None:
        """Return the input of pairs; null where the reference is too fast on every one to be timed."""
        if not self._is_scaled:
            self._is_scaled = True  # one that fails is not looked for again
            known = self._job.size
            self._found(scale(self._bench) if known is None else unchecked(known))
        return self._scaled

    def _found(self, scaled: Scaled | None) -> None:
        why = _too_short(scaled)
        self._why = self._why or why
        self._scaled = None if why else scaled

    def _seen(self, inputs: Sequence[tuple[Plain, ...]]) -> tuple[Case, ...]:
        """Return the inputs of a test script as cases, with what the canonical solution returns for them."""
        if not inputs:
            return ()
        problem = self._job.problem
        sent = [pack(args) for args in inputs]
        expected = results_of(self._bench.sandbox, problem, problem.canonical, sent, "the canonical solution")
        return tuple(
            Case(number, Kind.GIVEN, args, packed, result)
            for number, (args, packed, result) in enumerate(zip(inputs, sent, expected, strict=True))
        )


def _paired(
    bench: Bench, ran: Ran, scaled: Scaled | None, plan: PairPlan, purpose: Purpose
) -> tuple[Scaled | None, list[CodeRun]]:
    """Run pairs at a size, and return it; at another one where that of before does not do any more.

    No pairs where the reference is too fast at every size. Raises `InputError`.
    """
    if scaled is None or not scaled.is_long_enough:
        return scaled, []
    runs = run_pairs(bench, ran, scaled, plan, purpose)
    if runs or scaled.is_checked:
        return replace(scaled, is_checked=True), runs
    return _paired(bench, ran, scale(bench), plan, purpose)


def _too_short(scaled: Scaled | None) -> str | None:
    """Say why an input is none for pairs, null where it is one or where none is made."""
    if scaled is None or scaled.is_long_enough:
        return None
    took = f"{scaled.reference_ns / 1e6:.1f} ms at size {scaled.size}"
    needed = f"{LEAST_NS // 10**6} ms are needed"
    return f"no pairs and no growth: the reference takes {took}, the largest that could be made, and {needed}"


def _said(error: InputError) -> str:
    return f"{error.what}: {error.why}"


def narrow_enough(half_width: float, baseline: Baseline | None = None) -> Callable[[Sequence[CodeRun]], bool]:
    """Return a rule that ends pairs when the ratio's interval is within ``half_width`` of it, as a share.

    It judges the figure that is published: of rows that are charged, above the baseline.
    """

    def is_enough(runs: Sequence[CodeRun]) -> bool:
        if len(runs) % 2 or not is_look(len(runs) // 2):
            return False
        pairs = next(iter(pairs_of(charged(runs)).values()), ())
        return is_narrow(pair_ratio(pairs, baseline).ratio, half_width)

    return is_enough
