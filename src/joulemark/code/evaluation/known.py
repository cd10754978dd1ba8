"""What is known of other right programs to the same problems: times for Beyond, clusters for DPS."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from joulemark.code.evaluation.comparable import differing, why_not_comparable
from joulemark.code.evaluation.journal import Recorded
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.metrics.code.baseline import NS_PER_S
from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.dps import Cluster
from joulemark.metrics.code.sample import Sample, samples_of
from joulemark.metrics.code.shares import Told
from joulemark.record.code_run import CodeRun, Outcome, Purpose
from joulemark.record.errors import InputError

WIDTH = 0.2
"""Programs are of one cluster as long as the slowest takes at most so much longer than the fastest.

A chain of small gaps would put programs of very different speeds into one, and the slowest would count as
fast as all of them.
"""
_MAX_BYTES = 64 << 20
_FORM = '{"problem id": [seconds, seconds, ...], ...}'
_FIX = "joulemark code report DIR --known-times FILE   # FILE: " + _FORM


@dataclass(frozen=True, slots=True)
class Known:
    """By problem: seconds for all tests in one process, clusters of ratios to the reference, the programs."""

    times_s: Mapping[str, Sequence[float]] = field(default_factory=dict)
    clusters: Mapping[str, Sequence[Cluster]] = field(default_factory=dict)
    programs: Mapping[str, Sequence[Told]] = field(default_factory=dict)


def read_known_times(path: Path, problems: Collection[str]) -> dict[str, tuple[float, ...]]:
    """Return the times of ``problems`` in a file of JSON, an object of lists of seconds by problem.

    Raises `InputError`, also where it has none of them.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(f"{path} is too large", why="it has more than 64 MiB", fix=_FIX)
        document = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read", why=error.strerror or str(error), fix=_FIX) from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path} is no JSON", why=str(error), fix=_FIX) from error
    if not isinstance(document, dict):
        raise InputError(f"{path} holds no known times", why="it is no object of lists by problem", fix=_FIX)
    found = {}
    for problem, times in document.items():
        if not isinstance(times, list) or not times or not all(map(_is_time, times)):
            why = f"{problem!r} has no list of seconds above 0"
            raise InputError(f"{path} holds no known times", why=why, fix=_FIX)
        if problem in problems:
            found[problem] = tuple(map(float, times))
    if not found:
        why = "it names none of the problems of this evaluation"
        raise InputError(f"{path} holds no known times of these problems", why=why, fix=_FIX)
    return found


def known_of(
    record: EvaluationRecord,
    others: Sequence[tuple[str, EvaluationRecord, Recorded]],
    times_s: Mapping[str, Sequence[float]] | None = None,
) -> Known:
    """Return what evaluations of other answers tell, beside given times. Raises `InputError` for others."""
    times = {problem: list(mine) for problem, mine in (times_s or {}).items()}
    ratios: dict[str, list[float]] = {}
    programs: dict[str, list[Told]] = {}
    for label, other, recorded in others:
        if other.evaluation_id == record.evaluation_id:
            raise InputError(
                f"{label} is this evaluation itself",
                why="beside itself every program is as fast as the known ones",
                fix="name evaluations of other answers with --known",
            )
        why = why_not_comparable(record, other)
        if why is None and "n_tests" in differing(record.settings, other.settings):
            why = "other settings", "the number of tests differs"
        if why is not None:
            raise InputError(
                f"{label} is of {why[0]}",
                why=f"{why[1]}: its programs are not known ones here",
                fix="evaluate them with the same problems and options on this machine",
            )
        runs = charged(recorded.all_runs())
        for sample in samples_of(runs):
            if (time_s := _whole_s(sample)) is not None:
                times.setdefault(sample.problem, []).append(time_s)
        for told in corrected(runs).told:
            programs.setdefault(told.sample.problem, []).append(told)
            if (ratio := told.sample.ratio.ratio.value) is not None:
                ratios.setdefault(told.sample.problem, []).append(ratio)
    return Known(times, {problem: clusters_of(mine) for problem, mine in ratios.items()}, programs)


def clusters_of(ratios: Sequence[float]) -> tuple[Cluster, ...]:
    """Return programs that are about as fast together, each cluster by its slowest; at least one ratio."""
    found: list[list[float]] = []
    for ratio in sorted(ratios):
        if found and ratio <= found[-1][0] * (1 + WIDTH):
            found[-1].append(ratio)
        else:
            found.append([ratio])
    return tuple(Cluster(mine[-1], len(mine)) for mine in found)


def _whole_s(sample: Sample) -> float | None:
    """Return the least wall time of all tests in one process, null where it has none or does not count."""
    walls = [wall for run in sample.of(Purpose.WHOLE) if (wall := _wall_ns(run)) is not None]
    return min(walls) / NS_PER_S if sample.counts_for_cost and walls else None


def _wall_ns(run: CodeRun) -> int | None:
    return run.wall_ns if run.outcome is Outcome.RETURNED else None


def _is_time(value: object) -> bool:
    return (
        isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0
    )
