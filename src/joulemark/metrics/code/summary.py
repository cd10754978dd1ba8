"""All figures of one evaluation of one model's code, from its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from joulemark.metrics.code.as_defined import as_defined
from joulemark.metrics.code.baseline import Baseline, baseline_cpu_s, harness_share
from joulemark.metrics.code.beyond import beyond
from joulemark.metrics.code.by_group import Extremes, Figures, Tags, by_algorithm, by_difficulty
from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.corrected import Corrected, corrected
from joulemark.metrics.code.distribution import Distribution, distribution
from joulemark.metrics.code.dps import Cluster, differential_performance
from joulemark.metrics.code.eff_at_k import Weights, eff_at_k, level_pass_at_k
from joulemark.metrics.code.efficient_at_k import efficient_at_k, faster_at_k, speedup
from joulemark.metrics.code.growth import Growth, growth_figures, growth_of
from joulemark.metrics.code.outside_call import work_at_load_ns, work_charged_ns
from joulemark.metrics.code.pair_ratio import Comparison
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.pass_at_k import pass_at_k
from joulemark.metrics.code.percentile_rank import percentile_rank
from joulemark.metrics.code.placement import placement
from joulemark.metrics.code.queued import Queued, queued_of
from joulemark.metrics.code.sample import Sample, by_problem, references, samples_of
from joulemark.metrics.code.seen_input import remembering
from joulemark.metrics.code.shares import Told
from joulemark.metrics.code.whole_profile import beside
from joulemark.metrics.code.wrong import Wrong, wrong_of
from joulemark.record.code_run import REMEMBERED, WORK_OUTSIDE_CALL, CodeRun, Purpose

KS = (1, 5, 10, 100)
QUEUED_OF = (Purpose.WHOLE, Purpose.PAIRED)  # runs whose wall time is in a figure
WRONG_ON = {
    "n_wrong_scaled": (Purpose.PAIRED, Purpose.GROWTH),
    "n_wrong_whole": (Purpose.WHOLE,),
    "n_wrong_on_levels": (Purpose.LEVEL,),
}
"""Counts of programs that pass their tests and returned a wrong result elsewhere, by where that was."""


@dataclass(frozen=True, slots=True)
class CodeSummary:
    """What one evaluation tells; ``figures`` by name, each defined in the catalogue (`definition_name`).

    ``counts``: how many problems and samples there are, and what became of them. ``paired`` and ``growth``:
    what was measured of each right sample. ``ratios``: distribution of the CPU ratios of right samples.
    ``flagged``: the samples (problem, number) of which each flag was noticed.
    ``queued``: how many runs waited for a processor. ``wrong``: the samples that do not pass.
    ``extremes``: worst and best samples by metric. ``groups`` are by algorithm class, then by difficulty.
    ``open_problems``: of the evaluation, with no row yet; they are in no figure. ``outside_s``: CPU time of a
    run outside its calls that was charged, of the samples that are flagged for it.
    """

    figures: Figures
    counts: Mapping[str, int]
    flagged: Mapping[str, tuple[tuple[str, int], ...]]
    samples: tuple[Sample, ...]
    paired: tuple[PairedSample, ...]
    growth: tuple[Growth, ...]
    ratios: Distribution
    extremes: Mapping[str, Extremes]
    by_algorithm: Mapping[str, Figures]
    by_difficulty: Mapping[str, Figures]
    queued: Mapping[Purpose, Queued]
    wrong: tuple[Wrong, ...]
    open_problems: tuple[str, ...] = ()
    outside_s: Mapping[tuple[str, int], float] = field(default_factory=dict)

    @property
    def flags(self) -> dict[str, int]:
        """Of how many samples each flag was noticed."""
        return {flag: len(noticed) for flag, noticed in self.flagged.items()}


def summarize_code(
    runs: Sequence[CodeRun],
    *,
    tags: Mapping[str, Tags] | None = None,
    known_s: Mapping[str, Sequence[float]] | None = None,
    clusters: Mapping[str, Sequence[Cluster]] | None = None,
    known: Mapping[str, Sequence[Told]] | None = None,
    scalable: Collection[str] | None = None,
    level_weights: Weights | None = None,
    open_problems: Sequence[str] = (),
) -> CodeSummary:
    """Return all figures of one model's evaluation.

    ``tags`` of problems for the groups; ``known_s``: run times of known right programs by problem, for
    Beyond; ``clusters`` of them, for DPS; ``known``: they themselves, for the percentile rank.
    ``scalable``: problems with inputs of any size, null for all.
    ``level_weights``: of the levels in the score of their origin, where they are not the published ones.
    ``open_problems``: that are still to be done.
    """
    made, runs = runs, charged(runs)
    samples = samples_of(runs)
    measured = corrected(runs, samples)
    growth = growth_of(samples, runs, measured.baseline)
    outside_ns = _work_outside_ns(made, runs, samples, measured.samples)
    found = {
        **_main(runs, samples, measured, growth),
        **_others(runs, samples, measured, known_s, clusters, scalable, level_weights),
        "percentile_rank": percentile_rank(measured.told, known or {}),
    }
    known_tags = tags or {}
    return CodeSummary(
        found,
        {**_counts(samples, measured.samples), "n_open": len(open_problems)},
        _flagged(samples, outside_ns, remembering(runs)),
        samples,
        measured.samples,
        growth,
        _ratios(measured.told),
        placement(runs, samples, measured.samples, growth, known_tags),
        by_algorithm(runs, known_tags, main_figures),
        by_difficulty(runs, known_tags, main_figures),
        queued(runs),
        wrong_of(samples),
        tuple(open_problems),
        {name: ns / 1e9 for name, ns in outside_ns.items()},
    )


def main_figures(runs: Sequence[CodeRun]) -> Figures:
    """Return pass@k, the figures as defined by the paper, the corrected ones and the growth."""
    runs = charged(runs)
    samples = samples_of(runs)
    measured = corrected(runs, samples)
    return _main(runs, samples, measured, growth_of(samples, runs, measured.baseline))


def queued(runs: Sequence[CodeRun]) -> dict[Purpose, Queued]:
    """Return how many runs waited for a processor, of those whose wall time is in a figure."""
    return {purpose: queued_of(runs, purpose) for purpose in QUEUED_OF}


def ks_of(samples: Sequence[Sample]) -> tuple[int, ...]:
    """Return for which k every problem has enough answers: of `KS`, and as many as each has; 1 always."""
    least = min((len(mine) for mine in by_problem(samples).values()), default=1)
    return tuple(sorted({1, least, *(k for k in KS if k <= least)}))


def _main(
    runs: Sequence[CodeRun], samples: Sequence[Sample], measured: Corrected, growth: Sequence[Growth]
) -> Figures:
    return {
        **{f"pass_at_{k}": pass_at_k(samples, k) for k in ks_of(samples)},
        **as_defined(runs, samples),
        **measured.figures,
        "aa_band": measured.band,
        **growth_figures(growth),
    }


def _others(
    runs: Sequence[CodeRun],
    samples: Sequence[Sample],
    measured: Corrected,
    known_s: Mapping[str, Sequence[float]] | None,
    clusters: Mapping[str, Sequence[Cluster]] | None,
    scalable: Collection[str] | None,
    level_weights: Weights | None,
) -> Figures:
    """Return what other benchmarks compute, and what the harness itself took."""
    ks, paired, baseline = ks_of(samples), measured.samples, measured.baseline
    level_ks = ks_of([sample for sample in samples if sample.of(Purpose.LEVEL)])
    return {
        **{f"eff_at_{k}": eff_at_k(runs, k, weights=level_weights) for k in level_ks},
        **{f"level_pass_at_{k}": level_pass_at_k(runs, k, weights=level_weights) for k in level_ks},
        **beyond(samples, known_s or {}),
        **{f"efficient_at_{k}": efficient_at_k(samples, paired, k, scalable=scalable) for k in ks},
        **{f"faster_at_{k}": faster_at_k(samples, measured.told, k, scalable=scalable) for k in ks},
        "speedup": speedup(paired),
        **differential_performance(paired, clusters or {}),
        **_harness(runs, baseline),
    }


def _harness(runs: Sequence[CodeRun], baseline: Baseline) -> Figures:
    return {"harness_share": harness_share(runs), "code_baseline_cpu_s": baseline_cpu_s(baseline)}


def _counts(samples: Sequence[Sample], paired: Sequence[PairedSample]) -> dict[str, int]:
    verdicts = Counter(sample.passed for sample in samples)
    n_counting = sum(sample.counts_for_cost for sample in samples)
    timed = [one for one in paired if one.ratio.ratio.value is not None]
    n_censored = sum(one.ratio.n_censored > 0 for one in paired)
    n_failed = sum(one.has_failed for one in paired)
    return {
        "n_problems": len({sample.problem for sample in samples}),
        "n_solved": len({sample.problem for sample in samples if sample.passed}),
        "n_samples": len(samples),
        "n_right": verdicts[True],
        "n_wrong": verdicts[False],
        "n_unjudged": verdicts[None],
        # these pass every test, and returned a wrong result where they were timed; one may be in several
        "n_wrong_beyond_tests": sum(sample.is_wrong_beyond_tests for sample in samples),
        **{name: sum(s.is_wrong_on(*where) for s in samples) for name, where in WRONG_ON.items()},
        "n_timed": len(timed),
        "n_censored": n_censored,
        "n_failed_scaled": n_failed,
        # of these the reference has no time to hold theirs against
        "n_without_reference": len(paired) - len(timed) - n_censored - n_failed,
        "n_not_paired": n_counting - len(paired),
    }


def _work_outside_ns(
    made: Sequence[CodeRun],
    runs: Sequence[CodeRun],
    samples: Sequence[Sample],
    paired: Sequence[PairedSample],
) -> dict[tuple[str, int], float]:
    """Return what CPU time samples spend outside their calls, of those that do; it shows by the reference.

    What changes no ratio that pairs tell is charged, and is not told here.
    """
    before = {id(run): as_made for as_made, run in zip(made, runs, strict=True)}
    loading_ns = {(one.problem, one.number): one.outside_s * 1e9 for one in paired if one.is_outside_told}
    whole = references(runs, Purpose.WHOLE)
    found = {}
    for sample in samples:
        name = (sample.problem, sample.number)
        seen = [
            loading_ns.get(name, 0.0),
            work_at_load_ns(
                sample.of(Purpose.WHOLE), beside(whole.get(sample.problem, ()), sample.of(Purpose.WHOLE))
            ),
        ]
        around_ns = work_charged_ns(sample.runs, before)
        if around_ns is not None or any(seen):
            found[name] = max(*seen, around_ns or 0.0)
    return found


def _flagged(
    samples: Sequence[Sample],
    outside_ns: Mapping[tuple[str, int], float],
    remember: AbstractSet[tuple[str, int]],
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return of which samples each flag was noticed."""
    found: dict[str, list[tuple[str, int]]] = {}
    for sample in samples:
        name = (sample.problem, sample.number)
        flags = {flag for run in sample.runs for flag in run.flags} - {WORK_OUTSIDE_CALL}
        if name in outside_ns:
            flags.add(WORK_OUTSIDE_CALL)
        if name in remember:
            flags.add(REMEMBERED)
        for flag in flags:
            found.setdefault(flag, []).append(name)
    return {flag: tuple(noticed) for flag, noticed in sorted(found.items())}


def _ratios(told: Sequence[Told]) -> Distribution:
    drawn = [one for one in told if one.sample.ratio.ratio.value is not None]
    against = [one.against for one in drawn]
    is_known = any(one.band is not None for one in drawn)
    return distribution(
        [one.sample.ratio.ratio.value or 0.0 for one in drawn],
        n_at_least=sum(one.sample.ratio.n_censored > 0 for one in told),
        n_told_faster=against.count(Comparison.FASTER) if is_known else None,
        n_told_slower=against.count(Comparison.SLOWER) if is_known else None,
    )
