"""Reading one channel of a device that Zeus knows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.meters.zeus_backed.amd import amd_channels
from joulemark.meters.zeus_backed.channel import Channel, LeftOut
from joulemark.meters.zeus_backed.emi import emi_channels
from joulemark.meters.zeus_backed.library import forget
from joulemark.meters.zeus_backed.parts import Part
from joulemark.meters.zeus_backed.soc import apple_channels, jetson_channels
from joulemark.record.clock import Clock
from joulemark.record.telemetry import Reading

CHANNELS: dict[Part, Callable[[], list[Channel | LeftOut]]] = {
    Part.AMD: amd_channels,
    Part.APPLE: apple_channels,
    Part.JETSON: jetson_channels,
    Part.EMI: emi_channels,
}


class ZeusSource:
    """One channel. After a loss `close` lets the device object be made anew, where that does no harm."""

    def __init__(self, part: Part, channel: Channel, name: str | None, clock: Clock | None = None) -> None:
        self.info = channel.info if name is None else replace(channel.info, name=name)
        self._part, self._channel = part, channel
        self._lost = False
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns

    def read(self, segment: int) -> Reading:
        """Ask Zeus once; raises `SourceLost` where the device is not reached."""
        begin_ns = self._now_ns()
        try:
            taken = self._channel.take(begin_ns)
        except SourceLost:
            self._lost = True
            raise
        self._lost = False
        t_ns = self._now_ns()
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            taken.values,
            read_ns=t_ns - begin_ns,
            flags=tuple(taken.flags),
        )

    def close(self) -> None:
        """Keep the device object for others, unless it was lost."""
        if self._lost:
            forget(self._part)


def open_zeus(spec: SourceSpec, clock: Clock | None = None) -> ZeusSource:
    """Open the channel that ``spec`` names; raises `SourceLost` where Zeus does not show it."""
    part, key = Part(str(spec.args["part"])), spec.args["channel"]
    for channel in CHANNELS[part]():
        if isinstance(channel, Channel) and channel.key == key:
            return ZeusSource(part, channel, spec.name, clock)
    raise SourceLost("gone")
