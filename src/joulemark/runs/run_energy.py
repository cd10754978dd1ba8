"""The headline's energy in any stretch of a run, each segment judged by its own evidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from joulemark.live.contradictions import without_contradictions
from joulemark.live.device import PROCESSORS
from joulemark.meters.duplicates import BY_UUID
from joulemark.metrics.attribution import scope_label
from joulemark.record.energy import MeasuredOrWithheld, Method, Withheld
from joulemark.record.manifest import Manifest
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_board
from joulemark.record.span import Span
from joulemark.runs.evidence import Evidence, evidence_of
from joulemark.runs.renewal import renewal_s
from joulemark.runs.spans import best_method, measured_spans, span_energies, total_energy
from joulemark.telemetry.timeline import Timeline


class RunEnergy:
    """Energies of one recorded run.

    ``windows`` are its measured spans. ``method`` is one for the whole run: energies of two methods do not
    add. ``withheld`` says why there is no headline, null when there is one.
    """

    def __init__(self, timeline: Timeline, manifest: Manifest) -> None:
        self._timeline = timeline
        self.windows = measured_spans(manifest)
        measured = sorted({window.segment for window in self.windows})
        self.evidence = {segment: evidence_of(manifest, segment) for segment in measured}
        self.withheld = _why_none(list(self.evidence.values()), manifest)
        chosen = [evidence.chosen for evidence in self.evidence.values()]
        methods = {best_method(sources) for sources in chosen}
        self.method = methods.pop() if len(methods) == 1 else Method.INTEGRATED

    @property
    def scope(self) -> str | None:
        """The short name of the headline's scopes; null where there is no headline."""
        if self.withheld is not None or not self.evidence:
            return None
        return scope_label(source.info.scope for source in self._first.chosen)

    @cached_property
    def renewal_s(self) -> float:
        """How long the slowest of the headline's sources takes to tell something new, in seconds."""
        return renewal_s(self._timeline, self.evidence, self.method)

    def of(self, spans: Sequence[Span], method: Method | None = None) -> list[MeasuredOrWithheld]:
        """Return the headline's energy in each span."""
        if self.withheld is not None:
            return [self.withheld] * len(spans)
        energies: list[MeasuredOrWithheld] = [Withheld(Reason.OUTSIDE_TIMELINE)] * len(spans)
        for segment, evidence in self.evidence.items():
            places = [place for place, span in enumerate(spans) if span.segment == segment]
            here = [spans[place] for place in places]
            found = span_energies(self._timeline, evidence.chosen, here, method or self.method)
            for place, energy in zip(places, found, strict=True):
                energies[place] = energy
        return energies

    def total(self) -> MeasuredOrWithheld:
        """Return the headline's energy of all measured windows."""
        return self.withheld or total_energy(self.of(self.windows))

    def integrated(self) -> MeasuredOrWithheld:
        """Return the integral that stands beside a counter headline."""
        if self.withheld is not None:
            return self.withheld
        if self.method is Method.INTEGRATED:
            return Withheld(Reason.NOT_APPLICABLE)
        return total_energy(self.of(self.windows, Method.INTEGRATED))

    def others(self) -> dict[str, MeasuredOrWithheld]:
        """Return what each believed source that is no headline saw of the same windows, by source · scope."""
        found: dict[str, list[MeasuredOrWithheld]] = {}
        for segment, evidence in self.evidence.items():
            here = [window for window in self.windows if window.segment == segment]
            for source in evidence.sources:
                chosen = self.withheld is None and source in evidence.chosen
                if not chosen and source.qualification.trust is not Trust.ABSENT:
                    scope = source.info.scope.label
                    if self._disbelieved(source, evidence):
                        energies = self.of(here)  # what it said of itself stands in the reason
                    else:
                        energies = span_energies(self._timeline, [source], here, best_method([source]))
                    found.setdefault(f"{source.info.name} · {scope}", []).extend(energies)
                    if source.info.is_register and source.info.power_quantity is not None:
                        # the power beside a register, for a run shorter than the register's step
                        energies = span_energies(self._timeline, [source], here, Method.INTEGRATED)
                        found.setdefault(f"{source.info.name} (power) · {scope}", []).extend(energies)
        totals = {
            name: total_energy(energies)
            if len(energies) == len(self.windows)
            else Withheld(Reason.NO_SAMPLES)
            for name, energies in found.items()
        }
        sources = [source for evidence in self.evidence.values() for source in evidence.sources]
        simulated = {source.info.name for source in sources if is_simulated_board(source.info)}
        return without_contradictions(totals, self.total(), simulated)

    def _disbelieved(self, source: QualifiedSource, evidence: Evidence) -> bool:
        withheld = self.withheld
        doubted = withheld is not None and withheld.reason is Reason.METER_CONTRADICTED
        return doubted and source in evidence.chosen

    @property
    def on_processors(self) -> bool:
        """Whether the headline is the processors' energy."""
        chosen = [source for evidence in self.evidence.values() for source in evidence.chosen]
        return bool(chosen) and all(source.info.scope.kind in PROCESSORS for source in chosen)

    @property
    def _first(self) -> Evidence:
        return next(iter(self.evidence.values()))


def _why_none(evidence: Sequence[Evidence], manifest: Manifest) -> Withheld | None:
    if not evidence:
        return Withheld(Reason.NO_SAMPLES)
    for one in evidence:
        if not one.chosen:
            return Withheld(one.headline.reason or Reason.NO_METER, one.headline.detail)
    # The same scope on another board (a card exchanged, another index) is another device, and so is the same
    # path on another machine: UUIDs alone are unique.
    hosts = {segment.index: segment.host_hash for segment in manifest.segments}
    parts = {
        frozenset(
            (info.scope, info.device_id, "" if info.kind in BY_UUID else hosts[one.segment])
            for info in (source.info for source in one.chosen)
        )
        for one in evidence
    }
    if len(parts) > 1:
        return Withheld(Reason.SCOPES_DIFFER)
    return None
