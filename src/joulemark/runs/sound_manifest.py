"""A manifest that was edited may contradict itself: then there are no figures, and a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import TypeVar

from joulemark.record.errors import InputError
from joulemark.record.manifest import Manifest

T = TypeVar("T", bound=Hashable)


def require_sound(manifest: Manifest) -> None:
    """Raise `InputError` where something stands twice that is one, or is of a segment that there is not.

    A meter that stood twice would count its energy twice.
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
    if (meter := _twice(meters)) is not None:
        yield f"the meter {meter[1]!r} stands twice in segment {meter[0]}"
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


def _twice(those: list[T]) -> T | None:
    return next((one for one, n in Counter(those).items() if n > 1), None)
