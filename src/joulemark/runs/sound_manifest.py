"""A manifest that was edited may contradict itself: then there are no figures, and a sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import fields
from typing import TypeVar

from joulemark.meters.duplicates import BY_UUID
from joulemark.rates.possible import impossible_in
from joulemark.record import ranges
from joulemark.record.errors import InputError
from joulemark.record.manifest import Manifest

_LAST_NS = 2**62
_LONGEST_S = 1e7  # four months: longer than any meter takes for anything
_HIGHEST = 1e18
_OF_A_TEST = ("counter_over_power", "mean_power_w")

T = TypeVar("T", bound=Hashable)


def require_sound(manifest: Manifest) -> None:
    """Raise `InputError` for a thing named twice, one of a segment that is not, a number that none can have.

    A meter that stood twice would count its energy twice; one whose values were less than new would have a
    bound that is too narrow.
    """
    why = next(_contradictions(manifest), None)
    if why is not None:
        raise InputError(
            "the manifest contradicts itself",
            why=f"{why}, which no run writes",
            fix="the manifest was edited; measure again into another directory with --out DIR",
        )


def _contradictions(manifest: Manifest) -> Iterator[str]:
    indices = [segment.index for segment in manifest.segments]
    meters = [(meter.segment, meter.source.name) for meter in manifest.meters]
    if (index := _twice(indices)) is not None:
        yield f"segment {index} stands twice"
    if (twice := _twice(meters)) is not None:
        yield f"the meter {twice[1]!r} stands twice in segment {twice[0]}"
    boards = [(m.segment, m.source.device_id) for m in manifest.meters if m.source.kind in BY_UUID]
    if (board := _twice([one for one in boards if one[1] is not None])) is not None:
        yield f"two meters of segment {board[0]} are of one board"
    yield from _impossible_numbers(manifest)
    for meter in manifest.meters:
        if meter.scope != str(meter.source.scope):
            yield f"the meter {meter.source.name!r} is of two scopes"
    parts = (
        ("window", manifest.windows),
        ("meter", manifest.meters),
        ("device", manifest.devices),
        ("silent meter", manifest.silent_meters),
        ("proof of the client", manifest.client),
    )
    for name, those in parts:
        for one in those:
            if one.segment not in indices:
                yield f"a {name} is of segment {one.segment}, and there is none"
    segments = {segment.index: segment for segment in manifest.segments}
    for window in manifest.windows:
        within = segments[window.segment]
        ends = [t for t in (window.t1, within.t1) if t is not None]
        if window.t0 < within.t0 or window.t0 > min(ends, default=window.t0):
            yield f"a window of segment {window.segment} begins outside it, or ends before it begins"
        elif window.t1 is not None and within.t1 is not None and window.t1 > within.t1:
            yield f"a window of segment {window.segment} ends after it"
    yield from _out_of_range(manifest)
    yield from _stopped_otherwise(manifest)


def _stopped_otherwise(manifest: Manifest) -> Iterator[str]:
    """Find what no rule that ended a run can have left: intervals rest on how many questions there are."""
    if any(rule.stopped is None for rule in manifest.earlier_stops):
        yield "a rule is said to have ended it earlier, and did not"
    rules = [*manifest.earlier_stops, *filter(None, (manifest.stop,))]
    for stopped in (rule.stopped for rule in rules if rule.stopped is not None):
        if not 0 < stopped.at <= stopped.asked <= stopped.of or stopped.of != manifest.task.n_items:
            yield (
                f"a rule ended it after {stopped.at} of {stopped.of} questions, with {stopped.asked} asked,"
                f" and the task has {manifest.task.n_items}"
            )


def _out_of_range(manifest: Manifest) -> Iterator[str]:
    """Find what the command line would have refused."""
    yield from impossible_in(manifest.rates)
    baselines = manifest.baselines
    low, high = ranges.IDLE_W
    for name in ("empty_idle", "loaded_idle"):
        watts, bound = getattr(baselines, f"{name}_w"), getattr(baselines, f"{name}_bound_w")
        if not all(low <= one <= high for one in (watts, *(bound or ())) if one is not None):
            yield f"{name}_w is {watts} W"
        elif bound is not None and (watts is None or not bound[0] <= watts <= bound[1]):
            yield f"{name}_w lies outside its bound"
    if manifest.repeats < 1 or manifest.task.n_items < 0 or manifest.sampling.max_tokens < 0:
        yield "repeats, questions or tokens are fewer than there can be"
    span = manifest.task.score_range
    if span is not None and not 0 < span[1] - span[0] < math.inf:
        yield f"scores lie within {span[0]} and {span[1]}"
    if manifest.task.n_whole is not None and manifest.task.n_whole < manifest.task.n_items:
        yield f"it asks {manifest.task.n_items} questions of {manifest.task.n_whole}"


def _impossible_numbers(manifest: Manifest) -> Iterator[str]:
    stamps = [t for segment in manifest.segments for t in (segment.t0, segment.t1)]
    stamps += [t for window in manifest.windows for t in (window.t0, window.t1)]
    if not all(t is None or 0 <= t <= _LAST_NS for t in stamps):
        yield "a segment or a window has a stamp that no clock shows"
    for meter in manifest.meters:
        for facts in (meter.source, meter.qualification):
            for field in fields(facts):
                value = getattr(facts, field.name)
                if isinstance(value, int | float) and not _is_possible(field.name, value):
                    yield f"{field.name} of the meter {meter.source.name!r} is {value}"


def _is_possible(name: str, value: float) -> bool:
    """Tell whether a meter can have a number: the mean of a broken gauge alone may be below 0."""
    lowest = -_HIGHEST if name in _OF_A_TEST else 0.0
    return lowest <= value <= (_LONGEST_S if name.endswith("_s") else _HIGHEST)


def _twice(those: list[T]) -> T | None:
    return next((one for one, n in Counter(those).items() if n > 1), None)
