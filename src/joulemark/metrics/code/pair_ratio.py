"""How much more CPU time a candidate takes than the reference, from runs made next to each other.

The estimator is the median of the paired ratios, for any number of pairs. It was chosen by simulation
(`tests/metrics/code/test_pair_ratio.py` holds the noise model) and on 420 fresh processes of one program on
a shared two-core machine, whose CPU time went from 18.5 to 40 ms: a neighbour on the core makes a machine
run at two speeds for seconds at a time, and single runs have a heavy tail. 95th percentile of |ratio - 1| of
a program with itself on that machine, in the order A B B A:

    pairs  median of ratios  ratio of minima  ratio of sums  ratio of medians
       6       14.8 %             29.9 %          17.0 %          24.6 %
      10        9.8 %             25.3 %          13.9 %          18.9 %
      20        4.8 %             15.9 %           8.8 %          15.3 %
      40        2.9 %             14.3 %           5.6 %          14.3 %

These are overlapping windows of less than a minute of one machine: they rank estimators, no more.
Minima are right only where both sides meet the fast speed. They won in one setting of the simulation, a
machine that changes its speed every four runs: 9 % against 16 % at ten pairs, 7 % against 9 % at fourteen.
Trimmed means, Hodges and Lehmann's estimator, Tukey's biweight and medians of the fastest pairs were no
better over all.

The interval is that of the median by order statistics (`pair_interval`): it needs only that either run of a
pair is as likely to be the disturbed one, and is so wide that it holds the truth in 95 % of cases although
pairs end as soon as it is narrow enough. Percentiles of resampled pairs covered 86 to 97 %, 90 to 95 %
mostly, of a number of pairs that was fixed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from joulemark.metrics.bootstrap import SEED
from joulemark.metrics.code.baseline import Baseline, call_ns
from joulemark.metrics.code.median_interval import MIN_FOR_INTERVAL
from joulemark.metrics.code.outside_call import work_outside_ns
from joulemark.metrics.code.pair_interval import pair_interval
from joulemark.metrics.code.pairs import Pair
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun, Outcome
from joulemark.record.reason import Reason

BAND_QUANTILE = 0.95
MIN_CONTROL_PROBLEMS = 3
MIN_CONTROL_PAIRS = 10
_DRAWS = 2_000
CENSORED = "A limit ended the candidate: only that it takes longer is known."
NO_PAIR = "No run of the candidate beside one of the reference ended."
FAILED = "The candidate failed on the scaled input."
REFERENCE_FAILED = "The reference itself did not end on the scaled input."

CPU_RATIO = MetricDefinition(
    "cpu_ratio",
    "CPU time over the reference's",
    "1",
    r"\mathrm{median}_p\ t_{\mathrm{candidate},p} / t_{\mathrm{reference},p}",
    (
        "code.cpu_ns",
        "code.cpu_around_ns",
        "code.cpu_before_ns",
        "code.cpu_after_ns",
        "code.pair",
        "code_baseline_cpu_s",
    ),
    (
        "a limit of time or memory ended the candidate (then only a lower bound is known, and told as one)",
        "the candidate or the reference failed on the scaled input",
    ),
    "median of the ratios of runs next to each other in fresh processes, order A B B A; CPU time that a "
    "program spends reading its input and giving its result counts as far as it differs from the "
    "reference's (from 0.3 ms on), that of loading as far as it is more in the middle of the pairs (from "
    "0.3 ms and a tenth of the reference's on); interval: order statistics (T. Hettmansperger and "
    "S. Sheather, 1986) of 97 %, below seven pairs Student's t (below six "
    "of 98 %, of three, which are never looked at, of 95 %), none below three: so that it holds the truth in "
    "95 % of cases although pairs end once it is narrow enough",
)
AA_BAND = MetricDefinition(
    "aa_band",
    "A/A band: what a program differs by from itself",
    "1",
    r"q_{0.95}(|r - 1|)",
    ("code.cpu_ns", "code.pair"),
    ("fewer than 3 problems or 10 pairs of a program with itself were measured",),
    "95th percentile of how far the ratio of a program with itself is from 1, over problems, or of as many "
    "pairs drawn from all of them (either order being as likely) where that is more; inside it is a tie",
)
INSTRUCTION_RATIO = MetricDefinition(
    "instruction_ratio",
    "Instructions over the reference's",
    "1",
    r"\mathrm{median}_p\ n_{\mathrm{candidate},p} / n_{\mathrm{reference},p}",
    ("code.instructions", "code.pair"),
    (
        "the processor's counters cannot be read, as in most virtual machines and containers",
        "a limit ended the candidate, or a side failed on the scaled input",
    ),
    "this project: retired in user space during the call, by perf_event_open from outside, threads included; "
    "median of the paired ratios as for CPU time; instructions are not time, and work outside the call is "
    "not in them",
)
DEFINITIONS = (CPU_RATIO, AA_BAND, INSTRUCTION_RATIO)
NO_INSTRUCTIONS = "The processor's counters cannot be read here."


Cost = Callable[[CodeRun], float | None]


class Comparison(StrEnum):
    """What a ratio says of a candidate: `TIE` is not told apart from the reference."""

    FASTER = "faster"
    TIE = "tie"
    SLOWER = "slower"


@dataclass(frozen=True, slots=True)
class PairRatio:
    """The ratio candidate / reference of ``n_pairs``; ``n_censored`` were ended by a limit of time or memory.

    ``at_least``: where the candidate hit a limit, how many times the reference's time it takes at least;
    then ``ratio`` is withheld.
    """

    ratio: Value
    n_pairs: int
    n_censored: int = 0
    at_least: float | None = None

    def against(self, band: float | None) -> Comparison | None:
        """Compare with the reference, null where nothing is known: without a band nobody knows what a tie is.

        A tie: the ratio lies within ``band`` of 1, its interval holds 1, or it has no interval.
        """
        if band is None:
            return None
        if self.at_least is not None:
            return Comparison.SLOWER if self.at_least > 1 + band else None
        value = self.ratio
        if value.value is None:
            return None
        if value.lo is None or value.hi is None or abs(value.value - 1) <= band:
            return Comparison.TIE
        if value.lo <= 1 <= value.hi:
            return Comparison.TIE
        return Comparison.FASTER if value.value < 1 else Comparison.SLOWER


def pair_ratio(pairs: Sequence[Pair], baseline: Baseline | None = None) -> PairRatio:
    """Return the ratio of CPU times (see this module): above the baseline, with work outside the call."""
    taken_off, extra_ns = baseline or Baseline(), work_outside_ns(pairs)
    return _ratio(pairs, lambda run: call_ns(run, taken_off), extra_ns)


def instruction_ratio(pairs: Sequence[Pair]) -> PairRatio:
    """Return the ratio of retired instructions, where the machine counts them."""
    found = _ratio(pairs, lambda run: None if run.instructions is None else float(run.instructions))
    if found.n_pairs == 0 and pairs and found.ratio.detail == NO_PAIR:
        none = withheld("1", Reason.NOT_MEASURED, detail=NO_INSTRUCTIONS, n=0)
        return dataclasses.replace(found, ratio=none)
    return found


def is_limited(run: CodeRun) -> bool:
    """Tell whether a limit of time or memory ended a run: it takes at least what was seen of it."""
    return run.outcome.is_censored or run.outcome is Outcome.OVER_MEMORY


def _ratio(pairs: Sequence[Pair], cost: Cost, extra: float = 0.0) -> PairRatio:
    """Return the ratio of a positive cost; ``extra`` is added to each of the candidate's."""
    usable = [pair for pair in pairs if pair.reference.outcome is Outcome.RETURNED]
    if not usable:
        return _none(len(pairs), REFERENCE_FAILED if pairs else NO_PAIR)
    censored = [pair for pair in usable if is_limited(pair.candidate)]
    ended = [pair for pair in usable if pair.candidate.outcome is Outcome.RETURNED]
    if len(censored) + len(ended) < len(usable) or any(pair.candidate.correct is False for pair in ended):
        return _none(len(usable), FAILED)
    logs = [log for pair in ended if (log := _log_ratio(pair, cost, extra)) is not None]
    if not censored:
        return PairRatio(ratio_value(logs), len(logs))
    bounds = [log for pair in censored if (log := _log_bound(pair, cost)) is not None]
    ratio = withheld("1", Reason.NOT_APPLICABLE, detail=CENSORED, n=len(usable))
    at_least = math.exp(float(np.median(bounds))) if bounds else None
    return PairRatio(ratio, len(usable), len(censored), at_least)


def ratio_value(logs: Sequence[float]) -> Value:
    """Return the figure of logarithms of paired ratios."""
    if not logs:
        return withheld("1", Reason.NOT_MEASURED, detail=NO_PAIR)
    point = math.exp(float(np.median(np.asarray(logs, np.float64))))
    ends = pair_interval(logs)
    if ends is None:
        detail = f"{MIN_FOR_INTERVAL} pairs are needed."
        return Value(point, "1", n=len(logs), interval_reason=Reason.TOO_FEW_ITEMS, detail=detail)
    return Value(point, "1", math.exp(ends[0]), math.exp(ends[1]), "ci95", n=len(logs))


def aa_band(
    controls: Mapping[str, Sequence[Pair]], baseline: Baseline | None = None, *, n_pairs: int | None = None
) -> Value:
    """Return how far from 1 the ratio of a program with itself lies in 95 % of cases.

    ``controls``: pairs of the reference with itself by problem. ``n_pairs``: of how many pairs a candidate's
    ratio is made; null: as many as a problem's control has in the middle. The larger of two: the 95th
    percentile over problems, and that of ratios of ``n_pairs`` drawn from all of them, each turned round
    half the time. Few problems alone would not show their tail. ``n``: problems.
    """
    taken_off = baseline or Baseline()
    by_problem = [
        logs
        for pairs in controls.values()
        if (logs := list(_logs(pairs, lambda run: call_ns(run, taken_off))))
    ]
    pool = np.array([log for logs in by_problem for log in logs], np.float64)
    if len(by_problem) < MIN_CONTROL_PROBLEMS or len(pool) < MIN_CONTROL_PAIRS:
        detail = "No program was measured against itself on enough problems."
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=len(by_problem))
    size = n_pairs or int(np.median([len(logs) for logs in by_problem]))
    own = np.quantile([abs(math.expm1(float(np.median(logs)))) for logs in by_problem], BAND_QUANTILE)
    # the raw stream of the generator is what NumPy keeps: the same band on every platform
    words = np.random.PCG64(SEED).random_raw(_DRAWS * size).reshape(_DRAWS, size)
    rows = ((words >> np.uint64(32)) * np.uint64(len(pool))) >> np.uint64(32)
    turned = np.where(words & np.uint64(1), -1.0, 1.0)
    of_drawn = np.quantile(
        np.abs(np.expm1(np.median(pool[rows.astype(np.intp)] * turned, axis=1))), BAND_QUANTILE
    )
    return Value(float(max(own, of_drawn)), "1", n=len(by_problem))


def _logs(pairs: Iterable[Pair], cost: Cost) -> Iterable[float]:
    for pair in pairs:
        both = pair.reference.outcome is Outcome.RETURNED and pair.candidate.outcome is Outcome.RETURNED
        if both and (log := _log_ratio(pair, cost)) is not None:
            yield log


def _log_ratio(pair: Pair, cost: Cost, extra: float = 0.0) -> float | None:
    return _log(cost(pair.candidate), cost(pair.reference), extra)


def _log_bound(pair: Pair, cost: Cost) -> float | None:
    """Return the logarithm of how many times the reference's cost a run took before a limit ended it.

    What was seen of it, and a limit of CPU time at least; of a limit of wall time that over the reference's
    wall time where it is more: a program that waits has no CPU time to speak of.
    """
    run, bounds = pair.candidate, []
    if run.outcome is Outcome.OVER_CPU and run.limit_ns:
        run = dataclasses.replace(run, cpu_ns=max(run.cpu_ns or 0, run.limit_ns))
    if (seen := _log(cost(run), cost(pair.reference))) is not None:
        bounds.append(seen)
    if run.outcome is Outcome.TIMED_OUT and run.limit_ns and pair.reference.wall_ns:
        bounds.append(math.log(run.limit_ns / pair.reference.wall_ns))
    return max(bounds, default=None)


def _log(top: float | None, bottom: float | None, extra: float = 0.0) -> float | None:
    if bottom is None or top is None or not (bottom > 0 and top > 0):
        return None
    return math.log((top + extra) / bottom)


def _none(n_pairs: int, detail: str) -> PairRatio:
    return PairRatio(withheld("1", Reason.NOT_MEASURED, detail=detail, n=n_pairs), n_pairs)
