"""What meters are called in a bundle: their own name may be an address, an entity or a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from joulemark.bundles.submission.vocabulary import OTHER, Vocabulary, one_of
from joulemark.meters.discovery import ADDRESSED, LOCAL
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import PSU, Scope
from joulemark.telemetry.wire import MARKER_SOURCE

KINDS = frozenset((*LOCAL, *ADDRESSED, "rapl_perf", "process", "machine", "engine_gauges"))
OUR_OWN = ("process:engine", "machine", "engine", MARKER_SOURCE)
"""Sources of telemetry that are no meters."""
_PLACE = r"(?:package|dram|psys|core|uncore|gpu|cpu|ane|soc|pkg|card|die|m|\d{1,4})"
_PLAIN = re.compile(
    rf"(?:{'|'.join(sorted(KINDS, key=len, reverse=True))})(?::{_PLACE}[-\d]{{0,9}}(?:-die-\d+)?)*", re.ASCII
)
_PCI = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
LABEL = (
    r"(?:wall|psu|psys|soc|package|core|uncore|dram|gpu|pkg|tile|module|gpu_part|cpu|ane|replay)"
    rf"(?::(?:\d{{1,5}}(?:-die-\d{{1,5}})?|amd-\d{{1,5}}|{_PCI}))?|(?:sensor|rail):s\d{{1,4}}"
)
"""The names of parts of a machine, without the words of a maker."""
_SAFE_SCOPE = re.compile(rf"(?:{LABEL})(?:/(?:{LABEL})){{0,6}}")


@dataclass(slots=True)
class SourceNames:
    """Gives each source of a run its public name: its own where that is plain, else its kind and a number."""

    vocabulary: Vocabulary
    given: dict[str, str] = field(default_factory=dict)
    _scopes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Iterable[SourceInfo], vocabulary: Vocabulary) -> SourceNames:
        """Name the sources in their order."""
        names = cls(vocabulary)
        sources = list(sources)
        kept = {one.name for one in sources if _PLAIN.fullmatch(one.name)}
        for info in sources:
            if info.name in names.given:
                continue
            name, number = info.name, 1
            if name not in kept:
                kind = one_of(info.kind, KINDS)
                while (name := f"{kind}:m{number}") in kept:
                    number += 1
                kept.add(name)
            names.given[info.name] = name
        return names

    def of_track(self, source: str) -> str | None:
        """Return the public name of a source of telemetry; null for one that is no meter of the run."""
        return source if source in OUR_OWN else self.given.get(source)

    def scope(self, path: str) -> str:
        """Return a scope without the words of a maker or a user in it."""
        try:
            known = Scope.named(path).path
        except ValueError:
            known = f"{PSU}/sensor:{path}"
        if _SAFE_SCOPE.fullmatch(known):
            return known
        if known not in self._scopes:
            parent, _, label = known.partition("sensor:") if "sensor:" in known else known.partition("rail:")
            kind = "sensor:" if "sensor:" in known else "rail:"
            self._scopes[known] = f"{parent}{kind}s{len(self._scopes) + 1}" if label else known
        return self._scopes[known]


def kind_of(requested: str) -> str:
    """Return what a bundle says of a meter that was asked for by name: its kind."""
    if requested in ("auto", "none"):
        return requested
    return one_of(requested.partition(":")[0], KINDS) or OTHER
