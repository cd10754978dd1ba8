"""The meters of a segment: found, tested, sampled by a process of their own, and watched."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from joulemark.meters.boards import Board, boards, placement
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.privacy import hashed, load_salt
from joulemark.meters.qualification import qualify
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.meters.thermal import Advice, ThermalGuard
from joulemark.record.clock import Clock
from joulemark.record.errors import JoulemarkError
from joulemark.record.manifest import Device, Manifest, Meter
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.record.scope import Scope
from joulemark.runs.headline import choose_headline
from joulemark.runs.plan import RunPlan
from joulemark.telemetry.supervisor import Sampler


class Metering:
    """Prepares, reads and judges the meters of one segment. Its failures degrade a run, they never end it."""

    def __init__(
        self, plan: RunPlan, manifest: Manifest, journal_path: Path, segment: int, clock: Clock
    ) -> None:
        self._plan, self._manifest = plan, manifest
        self._journal_path, self._segment, self._clock = journal_path, segment, clock
        self._sources: list[tuple[SourceSpec, QualifiedSource]] = []
        self._sampler: Sampler | None = None
        self._guard = ThermalGuard(limit_c=plan.temperature_limit_c)
        self._fed_ns: dict[str, int] = {}

    async def prepare(self) -> None:
        """Find the meters, test them side by side, and enter them in the manifest."""
        pid = self._engine_pid()
        findings = await asyncio.to_thread(discover, self._plan.meters, engine_pid=pid)
        specs = [finding.spec for finding in findings if finding.spec is not None]
        tested = await asyncio.gather(*(asyncio.to_thread(self._test, spec) for spec in specs))
        self._sources = [pair for pair in tested if pair is not None]
        self._manifest.meters = [
            Meter.of(_private(source)) for _, source in self._sources if source.info.kind != "process"
        ]

    def start(self) -> None:
        """Start the sampler; without any source there is none."""
        if not self._sources:
            return
        try:
            self._sampler = Sampler.start(self._sources, self._journal_path, self._segment)
        except JoulemarkError as error:
            self._note(f"no telemetry: {error}")

    async def edge(self) -> None:
        """Read every source now, so that what comes is told from what was."""
        if self._sampler is not None:
            await self._sampler.aedge()

    def heat(self) -> Advice:
        """Say whether the devices are cool enough to go on."""
        if self._sampler is None:
            return Advice.GO
        for reading in self._sampler.latest().values():
            # The same reading twice would look like a counter of throttled time that stands still.
            if self._fed_ns.get(reading.source) != reading.t_ns:
                self._fed_ns[reading.source] = reading.t_ns
                self._guard.feed(reading)
        return self._guard.advise(self._clock.now_ns())

    def check_engine_on_devices(self) -> None:
        """Look for the engine's process on each board, list the others there, and choose the headline."""
        manifest = self._manifest
        facts = {board.uuid: board for board in boards()}
        manifest.devices = [
            self._device(facts[source.info.device_id], source.info.scope)
            for _, source in self._sources
            if source.info.device_id in facts
        ]
        headline = choose_headline(
            [meter.qualified for meter in manifest.meters],
            engine_local=manifest.engine.local,
            on_board={device.scope: device.engine_on_device for device in manifest.devices},
        )
        scopes = {meter.source.name: meter.scope for meter in manifest.meters}
        manifest.headline_scope = [scopes[name] for name in headline.sources] or None
        manifest.reasons.pop("headline_scope", None)
        if headline.reason is not None:
            manifest.reasons["headline_scope"] = headline.reason.value
        self._note(*headline.notes)

    async def stop(self) -> None:
        """Take the last edge and end the sampler; what went wrong with it is noted."""
        sampler, self._sampler = self._sampler, None
        if sampler is None:
            return
        await sampler.aedge()
        health = await asyncio.to_thread(sampler.stop)
        self._note(*health.notes)

    def _note(self, *notes: str) -> None:
        self._manifest.notes.extend(note for note in notes if note not in self._manifest.notes)

    def _test(self, spec: SourceSpec) -> tuple[SourceSpec, QualifiedSource] | None:
        try:
            source = open_source(spec)
        except SourceLost as lost:
            self._note(f"meter {spec.kind}: {lost}")
            return None
        try:
            # Processor time is the kernel's own account: there is nothing to compare it with.
            believed = spec.kind == "process"
            test = Qualification(Trust.QUALIFIED) if believed else qualify(source, self._clock)
            return spec, QualifiedSource(source.info, test)
        finally:
            source.close()

    def _engine_pid(self) -> int | None:
        return self._plan.engine_pid or self._plan.engine.pid()

    def _device(self, board: Board, scope: Scope) -> Device:
        place = placement(board.uuid, self._engine_pid())
        reasons = dict(board.reasons)
        if place.engine_on_device is None:
            reasons["engine_on_device"] = place.why
        return Device(
            uuid_hash=hashed(board.uuid, load_salt()),
            name=board.name,
            vram_mib=board.vram_mib,
            driver=board.driver,
            power_limit_w=board.power_limit_w,
            scope=scope.path,
            engine_on_device=place.engine_on_device,
            other_processes=list(place.others),
            reasons=reasons,
        )


def _private(source: QualifiedSource) -> QualifiedSource:
    """Return the source with the identity of its device hashed."""
    identity = source.info.device_id
    if identity is None:
        return source
    return replace(source, info=replace(source.info, device_id=hashed(identity, load_salt())))
