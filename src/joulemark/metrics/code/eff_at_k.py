"""eff@k: how efficient the best of k answers is expected to be, with times that a limit cut off.

From the definition in R. Qiu et al., How Efficient is LLM-Generated Code? A Rigorous & High-Standard
Benchmark (ICLR 2025, "ENAMEL").
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.level_draw import draw_of, of_draw
from joulemark.metrics.code.level_time import Clock, level_clock
from joulemark.metrics.code.over_tasks import mean_of
from joulemark.metrics.code.pass_at_k import chance_of_pass
from joulemark.metrics.code.sample import passed_level, references, samples_of
from joulemark.metrics.code.seen_input import Test, excess_s, tests_of, times_by_repeat
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun, Purpose
from joulemark.record.reason import Reason

LIMIT_FACTOR = 2.0
OVERTIME_S = 0.01  # what a call may take beyond the limit before it is ended; it scores nothing
LEVEL_WEIGHTS: Mapping[int, float] = {1: 3.0, 2: 3.0, 3: 4.0}  # level 0 is for right and wrong only
Weights = Mapping[str, Mapping[int, float]]
"""Weights of levels by problem; `LEVEL_WEIGHTS`, the published ones, for problems that are not in it."""
_NO_LEVEL = "No answer and its reference were run on tests of the levels."
_SOURCE = "R. Qiu et al., How Efficient is LLM-Generated Code? (ICLR 2025)"

EFF_AT_K = MetricDefinition(
    "eff_at_k",
    "eff@k",
    "1",
    r"\frac{1}{P} \sum_p \sum_{r=k}^{n} \frac{(r-1)!\,(n-k)!\,k}{(r-k)!\,n!}\, e_{(r)}",
    ("code.level", "code.case", "code.cpu_ns", "code.outcome", "code.correct"),
    ("no answer was run on tests of levels", "a problem has fewer than k answers"),
    f"{_SOURCE}: e is the mean of the levels' scores by the problem's weights (theirs: 3, 3, 4); a level's"
    " score is max(0, T - t) / (T - t_ref) with the largest time of its tests and T = 2 times the "
    "reference's largest time; 0 from the level on at which a limit ended it or it took over T + 10 ms, 0"
    " throughout for a wrong answer. It exceeds 1 for what is faster than the reference. Times: CPU in "
    "the process, by the clock outside where that contradicts it; of six fresh processes a test, each on "
    "an input of its own (other ones for each answer, on all of which the reference runs too), the largest "
    "of each round of all tests and the least of the rounds (theirs: wall, Hodges and Lehmann's estimator of "
    "six on one input). Where a generator has one input only, the "
    "median of the six, but the first where that is slower than the later ones by over 20 %, 0.3 ms and what "
    "the reference's is",
)
LEVEL_PASS_AT_K = MetricDefinition(
    "level_pass_at_k",
    "pass@k of the levels",
    "1",
    r"\frac{1}{P} \sum_p 1 - \frac{(n_p - c_p)!\,(n_p - k)!}{(n_p - c_p - k)!\,n_p!}",
    ("code.level", "code.outcome", "code.correct"),
    ("no answer was run on tests of levels", "a problem has fewer than k answers"),
    f"{_SOURCE}: an answer passes that is nowhere wrong and that no limit ended on the first level",
)
DEFINITIONS = (EFF_AT_K, LEVEL_PASS_AT_K)


def expected_best(scores: Sequence[float], k: int) -> float:
    """Return the expected largest of k of the n ``scores``, drawn without replacement; 1 <= k <= n.

    The r-th smallest is the largest of k with chance C(r - 1, k - 1) / C(n, k).
    """
    n = len(scores)
    if not 1 <= k <= n:
        raise ValueError(f"the best of {k} of {n} answers is not defined")
    # integers divided once: exact weights, no overflow
    every = math.comb(n, k)
    return math.fsum(
        math.comb(rank - 1, k - 1) / every * score
        for rank, score in enumerate(sorted(scores), 1)
        if rank >= k
    )


def level_scores(
    reference_s: Mapping[int, float],
    longest_s: Mapping[int, float | None],
    *,
    factor: float = LIMIT_FACTOR,
    weights: Mapping[int, float] = LEVEL_WEIGHTS,
) -> dict[int, float]:
    """Return the score of each counted level from the longest times on its tests.

    ``reference_s`` and ``longest_s`` by level; null or absent: a limit ended it, or it was not reached.
    From there on every score is 0.
    """
    counted = sorted(level for level in reference_s if weights.get(level, 0.0) > 0)
    limit_s = factor * max(reference_s[level] for level in counted)
    scores: dict[int, float] = {}
    ended = any(time is None and level < counted[0] for level, time in longest_s.items())
    for level in counted:
        time_s = longest_s.get(level)
        ended = ended or time_s is None
        scores[level] = 0.0
        if not ended and time_s is not None:
            scores[level] = max(0.0, limit_s - time_s) / (limit_s - reference_s[level])
    return scores


def answer_scores(
    runs: Sequence[CodeRun],
    *,
    factor: float = LIMIT_FACTOR,
    weights: Weights | None = None,
    clock: Clock | None = None,
) -> dict[str, dict[int, tuple[bool, float]]]:
    """Return whether each answer passed and its score, by problem and number of the sample.

    ``clock`` reads the time of a run, null: `level_clock`. Problems whose reference has no time on a counted
    level are left out; of the others every answer counts, one that was wrong before the levels as failed.
    """
    runs = charged(runs)
    read = clock or level_clock(runs)
    by_reference = references(runs, Purpose.LEVEL)
    found: dict[str, dict[int, tuple[bool, float]]] = {}
    for sample in samples_of(runs):
        mine = sample.of(Purpose.LEVEL)
        weigh = (weights or {}).get(sample.problem, LEVEL_WEIGHTS)
        theirs = of_draw(by_reference.get(sample.problem, ()), draw_of(mine))
        reference_s = {
            level: time
            for level, time in longest_times(theirs, read).items()
            if time is not None and weigh.get(level, 0.0) > 0
        }
        if not reference_s or (not mine and sample.passed is not False):
            continue
        usual = excess_s(theirs, read)
        seen_s = {
            level: time if _n_of(mine, level) >= _n_of(theirs, level) else None
            for level, time in longest_times(mine, read, usual).items()
        }
        longest = _in_time(seen_s, factor * max(reference_s.values()) + OVERTIME_S)
        passed = bool(mine) and _passed(mine) and longest.get(0, 0.0) is not None
        score = 0.0
        if passed:
            scores = level_scores(reference_s, longest, factor=factor, weights=weigh)
            total = math.fsum(weigh[level] for level in scores)
            score = math.fsum(weigh[level] * value for level, value in scores.items()) / total
        found.setdefault(sample.problem, {})[sample.number] = (passed, score)
    return found


def longest_times(
    runs: Sequence[CodeRun], clock: Clock, excess: Mapping[Test, float] | None = None
) -> dict[int, float | None]:
    """Return the longest time of each level's tests, of its repeats the least: noise only adds.

    Each repeat has inputs of its own. Null where a limit ended a run of the level. ``excess``: by test, by
    how much the reference's first run on an input is slower than later ones on it (`seen_input`).
    """
    by_level: dict[int, list[list[float] | None]] = {}
    for test, mine in sorted(tests_of(runs).items(), key=lambda item: item[0][0]):
        by_level.setdefault(test[0], []).append(times_by_repeat(mine, clock, (excess or {}).get(test, 0.0)))
    found: dict[int, float | None] = {}
    for level, tests in by_level.items():
        known = [times for times in tests if times is not None]
        found[level] = min(map(max, zip(*known, strict=False))) if len(known) == len(tests) else None
    return found


def eff_at_k(
    runs: Sequence[CodeRun], k: int = 1, *, weights: Weights | None = None, clock: Clock | None = None
) -> Value:
    """Return eff@k over problems; see `EFF_AT_K`."""
    scored = {
        problem: [score for _, score in mine.values()]
        for problem, mine in answer_scores(runs, weights=weights, clock=clock).items()
    }
    if none := _none(scored, k):
        return none
    return mean_of({problem: expected_best(scores, k) for problem, scores in scored.items()}, "1")


def level_pass_at_k(
    runs: Sequence[CodeRun], k: int = 1, *, weights: Weights | None = None, clock: Clock | None = None
) -> Value:
    """Return pass@k by the rule of the levels; see `LEVEL_PASS_AT_K`."""
    judged = {
        problem: [float(passed) for passed, _ in mine.values()]
        for problem, mine in answer_scores(runs, weights=weights, clock=clock).items()
    }
    if none := _none(judged, k):
        return none
    chances = {p: chance_of_pass(len(mine), round(sum(mine)), k) for p, mine in judged.items()}
    return mean_of(chances, "1")


def _in_time(longest_s: Mapping[int, float | None], limit_s: float) -> dict[int, float | None]:
    """Return times by level, null for those above a limit: whether somebody looked in time is chance."""
    return {level: None if time is None or time > limit_s else time for level, time in longest_s.items()}


def _n_of(runs: Sequence[CodeRun], level: int) -> int:
    """Return how many runs a level has; with fewer than the reference has it was ended in the middle."""
    return sum((run.level or 0) == level for run in runs)


def _passed(runs: Sequence[CodeRun]) -> bool:
    verdicts = [(passed_level(run), run.level or 0) for run in runs]
    return all(passed or (passed is None and level > 0) for passed, level in verdicts)


def _none(by_problem: Mapping[str, Sequence[float]], k: int) -> Value | None:
    if not by_problem:
        return withheld("1", Reason.NOT_MEASURED, detail=_NO_LEVEL, n=0)
    short = sum(len(mine) < k for mine in by_problem.values())
    if short:
        detail = f"{short} of {len(by_problem)} problems have fewer than {k} answers."
        return withheld("1", Reason.NOT_APPLICABLE, detail=detail, n=len(by_problem))
    return None
