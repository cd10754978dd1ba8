"""Limits for usual uses, for those who have none of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.limits import Limit
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.record.published import Unit


@dataclass(frozen=True, slots=True)
class Preset:
    """A use: ``limit`` is what its users put up with, ``why`` where the limit is from. It asks for ``unit``.

    Published tables hold several kinds of task, told by their names: those with one of ``words`` in it, and
    none of ``unlike``, are of this use; without words every one is.
    """

    name: str
    unit: Unit
    words: tuple[str, ...]
    limit: Limit
    why: str
    unlike: tuple[str, ...] = ()

    def of(self, points: Sequence[OperatingPoint]) -> list[OperatingPoint]:
        """Return the points that its limit is for: of its unit, and of what was published its tasks alone.

        A run's task is what its user chose to measure for this use, whatever it is called.
        """
        return [
            point
            for point in points
            if point.unit == self.unit and (point.kind != "published" or self._named(point.task))
        ]

    def limits(self, given: Sequence[Limit]) -> tuple[Limit, ...]:
        """Return the limits that count: those that were given, and its own unless one on a latency was."""
        return tuple(given) if any(limit.of_latency for limit in given) else (self.limit, *given)

    def _named(self, task: str) -> bool:
        name = task.casefold()
        own = not self.words or any(word in name for word in self.words)
        return own and not any(word in name for word in self.unlike)


PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "chat",
            "request",
            ("chat",),
            Limit("tpot_mean", 0.1),
            "100 ms a token, about as fast as people read: the example of arXiv 2505.06371",
            ("visual", "image", "video", "audio"),
        ),
        Preset(
            "code",
            "request",
            ("code", "fim", "human-eval", "humaneval"),
            Limit("e2el_mean", 10.0),
            "10 s for the whole answer, which is what its users wait for: a choice of ours",
        ),
        Preset(
            "image",
            "image",
            (),
            Limit("e2el_mean", 5.0),
            "5 s for an image: the example of arXiv 2505.06371",
        ),
        Preset("video", "video", (), Limit("e2el_mean", 60.0), "60 s for a video: a choice of ours"),
    )
}
