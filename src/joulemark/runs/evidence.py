"""What the record says of one segment's meters: which were believed, and which of them are the headline."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.live.device import Headline, choose_headline
from joulemark.live.unanswered import no_meter
from joulemark.meters.discovery import NONE
from joulemark.record.manifest import Manifest
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_kind


@dataclass(frozen=True, slots=True)
class Evidence:
    """The sources of one segment as they were tested for it, and the choice of the headline among them."""

    segment: int
    sources: tuple[QualifiedSource, ...]
    headline: Headline

    @property
    def chosen(self) -> tuple[QualifiedSource, ...]:
        """The headline's sources; none where there is no headline."""
        return tuple(source for source in self.sources if source.info.name in self.headline.sources)


def evidence_of(manifest: Manifest, segment: int) -> Evidence:
    """Judge one segment by what was recorded of it, and by nothing that was recorded of another."""
    sources = tuple(meter.qualified for meter in manifest.meters if meter.segment == segment)
    facts = next(s for s in manifest.segments if s.index == segment)
    devices = [device for device in manifest.devices if device.segment == segment]
    headline = choose_headline(
        sources,
        engine_local=facts.engine_local,
        on_board={device.scope: device.engine_on_device for device in devices},
        simulated=is_simulated_kind(manifest.engine.kind),
        on_processor=manifest.engine.flags.get("devices") == "CPU",
        declared=frozenset(device.scope for device in devices if device.declared),
    )
    silent = [(one.name, one.why) for one in manifest.silent_meters if one.segment == segment]
    if headline.reason is Reason.NO_METER and not headline.detail:
        found = no_meter(silent, asked_for=manifest.meters_requested != [NONE])
        headline = Headline((), found.reason, detail=found.detail)
    return Evidence(segment, sources, headline)
