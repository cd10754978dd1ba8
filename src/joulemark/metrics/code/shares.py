"""How many tasks are faster than the reference, slower, not told apart, or fail on the scaled input."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.code.baseline import Baseline
from joulemark.metrics.code.over_tasks import share_of
from joulemark.metrics.code.pair_ratio import Comparison, aa_band
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.pairs import Pair
from joulemark.metrics.code.sample import Sample
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import Purpose
from joulemark.record.reason import Reason

NO_BAND = "No program was measured against itself on enough problems, so what a tie is is not known."
_FAILED = "failed"
_SCALED = (Purpose.PAIRED, Purpose.GROWTH)
_NONE = (
    "no right program was measured beside the reference on the scaled input",
    "no program that does nothing was measured",
)
_NONE_OR_NO_BAND = (*_NONE, "no A/A band was measured")


def _share(name: str, title: str, latex: str, source: str) -> MetricDefinition:
    return MetricDefinition(name, title, "1", latex, ("cpu_ratio", "aa_band"), _NONE_OR_NO_BAND, source)


DEFINITIONS = (
    _share(
        "faster_share",
        "Share of tasks faster than the reference",
        r"N(r_i < 1 \text{ beyond the A/A band and the interval}) / N",
        "this project: a ratio inside the A/A band of as many pairs as it is made of, or whose interval "
        "holds 1, is a tie; a task with several right answers counts by the share of them; one that fails "
        "on the scaled input is in N and in none of the three; interval: Wilson's",
    ),
    _share(
        "tied_share",
        "Share of tasks not told apart from the reference",
        r"N(r_i \text{ inside the A/A band, or 1 inside its interval}) / N",
        "this project: see the share of faster tasks",
    ),
    _share(
        "slower_share",
        "Share of tasks slower than the reference",
        r"N(r_i > 1 \text{ beyond the A/A band and the interval}) / N",
        "this project: see the share of faster tasks; a program that a limit ended is slower where the time "
        "until then says so",
    ),
    MetricDefinition(
        "failed_scaled_share",
        "Share of tasks whose programs pass the tests and fail on the scaled input",
        "1",
        r"N(\text{failed}) / N",
        ("code.outcome", "code.correct"),
        _NONE,
        "this project: right on the tests, and on the scaled input a wrong result (or at a size of growth), "
        "an exception or a crash (no limit of time or memory: such programs have a lower bound). None has a "
        "ratio. What ends without a result counts as above 5 and withholds the means; what is wrong there is "
        "in no mean, as all wrong code, so that this share has to be read beside them; what is wrong in "
        "another run alone (all tests in one process, levels) is in no N here. Interval: Wilson's",
    ),
)


@dataclass(frozen=True, slots=True)
class Told:
    """What can be said of one right sample beside the reference; ``band`` of as many pairs as it has.

    ``against`` is null where the sample failed on the scaled input, or where nothing can be said.
    """

    sample: PairedSample
    band: float | None
    against: Comparison | None


def told_apart(
    found: Sequence[PairedSample], controls: Mapping[str, Sequence[Pair]], baseline: Baseline
) -> tuple[Told, ...]:
    """Compare each sample with the reference; ``controls``: pairs of that with itself, by problem.

    Each ratio is held against the band of as many pairs as it has: few pairs scatter more.
    """
    bands: dict[int, float | None] = {}
    told = []
    for one in found:
        n_pairs = max(1, one.ratio.n_pairs)
        if n_pairs not in bands:
            bands[n_pairs] = aa_band(controls, baseline, n_pairs=n_pairs).value
        band = bands[n_pairs]
        told.append(Told(one, band, None if one.has_failed else one.ratio.against(band)))
    return tuple(told)


def shares(found: Sequence[Told], samples: Sequence[Sample], *, detail: str) -> dict[str, Value]:
    """Return the figures of `DEFINITIONS`; ``detail`` says why there are none."""
    by_task: dict[str, list[str]] = {}
    for one in found:
        said = _FAILED if one.sample.has_failed else one.against
        if said is not None:
            by_task.setdefault(one.sample.problem, []).append(said)

    def share(what: str) -> Value:
        hits = math.fsum(mine.count(what) / len(mine) for mine in by_task.values())
        return share_of(hits, len(by_task), detail=detail)

    failed = _failed_share([one.sample for one in found], samples, detail)
    if found and all(one.band is None for one in found):
        none = withheld("1", Reason.NOT_MEASURED, detail=NO_BAND, n=0)
        return {**dict.fromkeys(("faster_share", "tied_share", "slower_share"), none), **failed}
    return {
        "faster_share": share(Comparison.FASTER),
        "tied_share": share(Comparison.TIE),
        "slower_share": share(Comparison.SLOWER),
        **failed,
    }


def _failed_share(found: Sequence[PairedSample], samples: Sequence[Sample], detail: str) -> dict[str, Value]:
    by_task: dict[str, list[bool]] = {}
    for one in found:
        by_task.setdefault(one.problem, []).append(one.has_failed)
    for sample in samples:
        if sample.is_wrong_on(*_SCALED):
            by_task.setdefault(sample.problem, []).append(True)
    hits = math.fsum(sum(mine) / len(mine) for mine in by_task.values())
    return {"failed_scaled_share": share_of(hits, len(by_task), detail=detail)}
