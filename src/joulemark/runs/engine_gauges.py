"""The engine's own account of its batch in a run: where it is read, and what was read as plain arrays."""

from __future__ import annotations

from joulemark.engines.engine import Engine
from joulemark.meters.engine_gauges import ENGINE_SOURCE, PERIOD_S, EngineAddress, find_engine_gauges
from joulemark.meters.source import Finding, SourceSpec
from joulemark.metrics.run_view import EngineGauge
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.record.simulated import SIMULATED
from joulemark.record.telemetry import Quantity, Reading
from joulemark.telemetry.row_flags import LOST
from joulemark.telemetry.timeline import Timeline

QUANTITIES = (
    Quantity.REQUESTS_RUNNING,
    Quantity.REQUESTS_WAITING,
    Quantity.KV_USED_SHARE,
    Quantity.PREEMPTIONS,
    Quantity.PROMPT_TOKENS,
    Quantity.GENERATION_TOKENS,
)
_API = "/v1"
_CHAT = "/chat/completions"


def find_gauges(engine: Engine) -> Finding | None:
    """Return the started ``engine``'s page, or why there is none; null for a kind that has no page.

    Asks the engine, so it takes a few round trips, and some seconds where it does not answer.
    """
    facts, endpoint = engine.describe(), engine.endpoint
    return find_engine_gauges(
        EngineAddress(
            facts.kind.removeprefix(SIMULATED),
            facts.model,
            endpoint.scheme,
            endpoint.host,
            endpoint.port,
            endpoint.path.removesuffix(_CHAT).removesuffix(_API).rstrip("/"),
            endpoint.headers,
        )
    )


def sampled(found: Finding | None) -> list[tuple[SourceSpec, QualifiedSource]]:
    """Return the page as a source for the sampler: it is believed as it is, for it is no meter."""
    if found is None or found.spec is None or found.info is None:
        return []
    return [(found.spec, QualifiedSource(found.info, Qualification(Trust.QUALIFIED, poll_period_s=PERIOD_S)))]


def why_unread(found: Finding | None) -> str:
    """Return a note on an engine that could show its batch and does not; empty where there is none."""
    if found is None or found.spec is not None:
        return ""
    told = f"the engine's own account of its batch is not read: {found.why}"
    return f"{told}; {found.fix}" if found.fix else told


def why_lost(latest: Reading | None) -> str:
    """Return a note where the latest reading of the engine's page failed; empty where it did not."""
    lost = [flag for flag in latest.flags if flag.startswith(f"{LOST}:")] if latest is not None else []
    if not lost:
        return ""
    return f"the engine stopped telling of its batch before the end ({lost[0].partition(':')[2]})"


def engine_gauges(timeline: Timeline) -> tuple[EngineGauge, ...]:
    """Return what the engine said of its batch, one a segment and quantity; a failed read leaves a gap."""
    found = []
    for segment in sorted({segment for segment, name in timeline.tracks if name == ENGINE_SOURCE}):
        for quantity in QUANTITIES:
            series = timeline.series(segment, ENGINE_SOURCE, quantity.value)
            if series is not None:
                found.append(EngineGauge(quantity.value, segment, series.t_ns, series.value))
    return tuple(found)
