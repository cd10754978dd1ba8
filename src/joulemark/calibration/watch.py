"""Mean power of each source over a stretch of time, and waiting for it to become steady."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from joulemark.calibration.document import SourcePower, Window
from joulemark.calibration.steady_power import Bounded, Steadiness
from joulemark.live.meter_set import MeterSet
from joulemark.live.source_energy import SourceEnergy
from joulemark.meters.privacy import hashed, load_salt
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.meter import QualifiedSource

WINDOW_S = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What the meters saw from ``t0`` to ``t1`` (monotonic ns)."""

    t0: int
    t1: int
    measured_utc: str
    energies: dict[str, SourceEnergy]

    @property
    def duration_s(self) -> float:
        """Its length in seconds."""
        return (self.t1 - self.t0) * 1e-9

    def window(self) -> Window:
        """Return it as a part of a document, without any judgement."""
        return Window(
            measured_utc=self.measured_utc,
            duration_s=self.duration_s,
            powers=self.powers(),
            reasons=self.reasons(),
        )

    def powers(self) -> list[SourcePower]:
        """Return the mean power of each source that gave an energy."""
        found = []
        for one in self.energies.values():
            best = sharpest(one)
            if isinstance(best, MeasuredEnergy):
                point, low, high = bounded_w(best, self.duration_s)
                info = one.source.info
                found.append(
                    SourcePower(
                        source=info.name,
                        kind=info.kind,
                        scope=str(info.scope),
                        device_hash=device_hash(one.source),
                        method=best.method.value,
                        mean_w=point,
                        lo_w=low,
                        hi_w=high,
                    )
                )
        return found

    def reasons(self) -> dict[str, str]:
        """Return why the other sources gave none, by their names."""
        return {
            name: " ".join(filter(None, (one.best.reason.text, one.best.detail)))
            for name, one in self.energies.items()
            if isinstance(one.best, Withheld)
        }


def sharpest(one: SourceEnergy) -> MeasuredOrWithheld:
    """Return a source's energy: its counter's if it has one; of a register and power the narrower one."""
    counter, integrated = one.counter, one.integrated
    if not (isinstance(counter, MeasuredEnergy) and isinstance(integrated, MeasuredEnergy)):
        return one.best
    sharper = one.source.info.is_register and integrated.width_j < counter.width_j
    return integrated if sharper else counter


def bounded_w(energy: MeasuredEnergy, duration_s: float) -> Bounded:
    """Return an energy as mean power with its bound (W)."""
    return energy.joules / duration_s, energy.lo / duration_s, energy.hi / duration_s


def device_hash(source: QualifiedSource) -> str | None:
    """Return the salted hash of a source's device, as runs keep it; null for a source without identity."""
    identity = source.info.device_id
    return None if identity is None else hashed(identity, load_salt())


def power_of(powers: Iterable[SourcePower], names: Sequence[str]) -> Bounded | None:
    """Return the power of several disjoint sources together; null where one of them is missing."""
    by_name = {power.source: power for power in powers}
    if not names or not set(names) <= by_name.keys():
        return None
    chosen = [by_name[name] for name in names]
    return sum(p.mean_w for p in chosen), sum(p.lo_w for p in chosen), sum(p.hi_w for p in chosen)


async def watch(meters: MeterSet, duration_s: float) -> Seen:
    """Let ``duration_s`` pass between two reads of every meter, and return what they saw."""
    t0 = await asyncio.to_thread(meters.edge)
    await asyncio.sleep(duration_s)
    t1 = await asyncio.to_thread(meters.edge)
    measured_utc = datetime.now(UTC).isoformat(timespec="seconds")
    return Seen(t0, t1, measured_utc, await asyncio.to_thread(meters.energies, t0, t1))


async def settle(meters: MeterSet, limit_s: float) -> bool:
    """Wait until power is steady (see `Steadiness`), for ``limit_s`` at most; tells whether it became so.

    Windows of a second are judged a second late, when every meter that answers by then has been read.
    """
    steadiness = Steadiness()
    stamps = [await asyncio.to_thread(meters.edge)]
    while (stamps[-1] - stamps[0]) * 1e-9 < limit_s:
        await asyncio.sleep(WINDOW_S)
        stamps.append(await asyncio.to_thread(meters.edge))
        if len(stamps) < 3:
            continue
        t0, t1 = stamps[-3], stamps[-2]
        energies = await asyncio.to_thread(_energies_now, meters, t0, t1)
        powers = {
            name: bounded_w(one.best, (t1 - t0) * 1e-9)
            for name, one in energies.items()
            if isinstance(one.best, MeasuredEnergy)
        }
        if steadiness.feed(powers):
            return True
    return False


def _energies_now(meters: MeterSet, t0: int, t1: int) -> dict[str, SourceEnergy]:
    return meters.energies(t0, t1, wait=False)
