"""Devices whose energy is read through the library Zeus: AMD GPUs, Apple Silicon, Jetson, Windows' EMI.

``parts`` tells which of them this machine has, without Zeus; ``library`` is the only door to Zeus and hands
out device objects alone: ``zeus.monitor`` is never imported. ``amd``, ``soc`` and ``emi`` turn what such an
object gives into channels; ``source`` reads one channel.
"""

from joulemark.meters.zeus_backed.finding import find_zeus
from joulemark.meters.zeus_backed.source import open_zeus

__all__ = ["find_zeus", "open_zeus"]
