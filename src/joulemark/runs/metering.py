"""The meters of a segment: found, tested, sampled by a process of their own, and watched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from joulemark.calibration.on_file import RunFacts, baselines_for
from joulemark.live.engine_place import MeteredBoard, metered_boards, require_boards
from joulemark.live.source_test import ACCOUNTS, find_tested
from joulemark.meters.address import without_address
from joulemark.meters.discovery import AUTO, NONE, discover
from joulemark.meters.duplicates import is_another_board
from joulemark.meters.engine_gauges import ENGINE_SOURCE
from joulemark.meters.privacy import hashed, load_salt
from joulemark.meters.source import SourceSpec
from joulemark.meters.thermal import Advice, ThermalGuard
from joulemark.metrics.run_view import RunView
from joulemark.record.clock import Clock
from joulemark.record.errors import InputError, JoulemarkError
from joulemark.record.item import Item
from joulemark.record.manifest import Device, Manifest, Meter, Segment, SilentMeter
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason
from joulemark.runs.engine_gauges import find_gauges, sampled, why_lost, why_unread
from joulemark.runs.evidence import evidence_of
from joulemark.runs.plan import RunPlan
from joulemark.runs.so_far import view_so_far
from joulemark.telemetry.supervisor import Sampler

_FIRST_READING_S = 10.0


def require_meters(wanted: Sequence[str], declared_boards: Sequence[int] = ()) -> None:
    """Raise `InputError` for a meter or board that was asked for by name and is not there."""
    require_boards(declared_boards, measured=NONE not in wanted)
    findings = discover(wanted)
    for meter in wanted:
        kind = meter.partition(":")[0]
        alike = [f for f in findings if f.kind == kind]
        missing = next((f for f in alike if f.meter == meter and is_another_board(f)), None)
        if meter in (AUTO, NONE) or (missing is None and any(f.spec for f in alike)):
            continue
        missing = missing or next(iter(alike), None)
        raise InputError(
            f"the meter {meter} cannot be read",
            why=missing.why if missing else "nothing of the kind is on this machine",
            fix=missing.fix if missing and missing.fix else "`joulemark doctor` lists what there is",
        )


class Metering:
    """Prepares, reads and judges the meters of one segment. Its failures degrade a run, they never end it."""

    def __init__(
        self,
        plan: RunPlan,
        manifest: Manifest,
        journal_path: Path,
        segment: Segment,
        clock: Clock,
    ) -> None:
        self._plan, self._manifest = plan, manifest
        self._journal_path, self._segment, self._clock = journal_path, segment.index, clock
        self._engine_pid = segment.engine_pid
        self._sources: list[tuple[SourceSpec, QualifiedSource]] = []
        self._gauges: list[tuple[SourceSpec, QualifiedSource]] = []  # the engine's own: no meter
        self._sampler: Sampler | None = None
        self._guard = ThermalGuard(limit_c=plan.temperature_limit_c)
        self._fed_ns: dict[str, int] = {}

    async def prepare(self) -> None:
        """Find the meters, test them side by side, and enter them in the manifest."""
        self._sources, absent = await asyncio.to_thread(
            find_tested, self._plan.meters, engine_pid=self._engine_pid, clock=self._clock
        )
        # what was looked for and is not there at all, `doctor` tells
        self._note(
            *(f"meter {one.name}: {one.why}" for one in absent if one.spec is not None and not one.meter)
        )
        self._manifest.silent_meters += [
            SilentMeter(segment=self._segment, name=one.name, why=without_address(one.why, one.meter))
            for one in absent
            if one.meter is not None
        ]
        self._manifest.meters += [
            Meter.of(_private(source), self._segment)
            for _, source in self._sources
            if source.info.kind not in ACCOUNTS
        ]
        await self._find_gauges()

    async def _find_gauges(self) -> None:
        """Find the page on which the engine shows what it was asked, by this client and by others."""
        found = await asyncio.to_thread(find_gauges, self._plan.engine)
        self._gauges = sampled(found)
        self._note(*filter(None, [why_unread(found)]))

    def start(self) -> None:
        """Start the sampler; without any source there is none."""
        sources = [*self._sources, *self._gauges]
        if not sources:
            return
        try:
            self._sampler = Sampler.start(sources, self._journal_path, self._segment)
        except JoulemarkError as error:
            self._note(f"no telemetry: {error}")

    async def first_readings(self) -> None:
        """Wait until each slow meter was read once, so that what is measured begins inside its timeline.

        One that does not answer is waited for no longer than `_FIRST_READING_S`.
        """
        slow = {tested.info.name for _, tested in self._sources if tested.info.read_period_s is not None}
        begun_ns = self._clock.now_ns()
        while (sampler := self._sampler) is not None and not slow <= sampler.latest().keys():
            if self._clock.now_ns() - begun_ns > _FIRST_READING_S * 1e9:
                return
            await asyncio.sleep(0.05)

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
        self._manifest.devices += [self._device(metered) for metered in self._boards()]
        self._note_headline()
        self._note_baselines()

    def _note_headline(self) -> None:
        manifest = self._manifest
        evidence = evidence_of(manifest, self._segment)
        manifest.headline_scope = [str(source.info.scope) for source in evidence.chosen] or None
        manifest.reasons.pop("headline_scope", None)
        if evidence.headline.reason is not None:
            manifest.reasons["headline_scope"] = evidence.headline.reason.value
        self._note(*evidence.headline.notes)

    def _note_baselines(self) -> None:
        """Take what is on file for this machine and model, once a run: an earlier segment's stays."""
        manifest = self._manifest
        if manifest.baselines.scope is not None:
            return
        chosen = evidence_of(manifest, self._segment).chosen
        found = baselines_for(RunFacts.of(manifest, self._segment, chosen))
        manifest.baselines = found.baselines
        self._note(*found.notes)

    def check_engine_again(self) -> None:
        """Look once more at the end: who came to a board meanwhile, and whether the engine is still there."""
        places = {metered.scope.path: metered.place for metered in self._boards()}
        for device in self._manifest.devices:
            now = places.get(device.scope) if device.segment == self._segment else None
            if now is None:
                continue
            device.other_processes += [name for name in now.others if name not in device.other_processes]
            if device.engine_on_device and now.engine_on_device is False:
                device.engine_on_device = False
                device.why = "it was seen on the board at the start of the segment and not at its end"
        self._note_headline()

    def so_far(self, items: Sequence[Item], in_flight: Sequence[Item]) -> Callable[[], RunView]:
        """Return what makes the run as it is metered by then; it may be called on another thread."""
        manifest = self._manifest.model_copy(deep=True)
        return lambda: view_so_far(manifest, self._journal_path, items, in_flight)

    async def stop(self) -> None:
        """Take the last edge and end the sampler; what went wrong with it is noted."""
        sampler, self._sampler = self._sampler, None
        if sampler is None:
            return
        await sampler.aedge()
        health = await asyncio.to_thread(sampler.stop)
        lost = why_lost(sampler.latest().get(ENGINE_SOURCE))
        self._note(*health.notes, *filter(None, [lost]))

    def _note(self, *notes: str) -> None:
        self._manifest.notes.extend(note for note in notes if note not in self._manifest.notes)

    def _boards(self) -> list[MeteredBoard]:
        return metered_boards((source.info for _, source in self._sources), self._engine_pid)

    def _device(self, metered: MeteredBoard) -> Device:
        board, place = metered.board, metered.place
        reasons = dict.fromkeys(board.reasons, Reason.NOT_REPORTED.value)
        if place.engine_on_device is None:
            reasons["engine_on_device"] = Reason.ENGINE_NOT_VISIBLE.value
        return Device(
            segment=self._segment,
            uuid_hash=hashed(board.uuid, load_salt()),
            name=board.name,
            vram_mib=board.vram_mib,
            driver=board.driver,
            power_limit_w=board.power_limit_w,
            scope=metered.scope.path,
            engine_on_device=place.engine_on_device,
            declared=board.index in self._plan.boards,
            other_processes=list(place.others),
            why=place.why,
            reasons=reasons,
        )


def _private(source: QualifiedSource) -> QualifiedSource:
    """Return the source with the identity of its device hashed."""
    identity = source.info.device_id
    if identity is None:
        return source
    return replace(source, info=replace(source.info, device_id=hashed(identity, load_salt())))
