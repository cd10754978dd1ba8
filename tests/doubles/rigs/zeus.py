"""The sources that exist only through Zeus, doubled at its API, under each fault."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from doubles.faults import Fault, NowS, Truth
from doubles.rigs import Rigged, rig
from doubles.zeus_world import FakeGpu, World, zeus_in_place
from joulemark.meters.source import Finding
from joulemark.meters.zeus_backed import find_zeus

_NO_WRAP = {Fault.WRAP: "Zeus hands on a 64-bit sum of the driver, which has no range to run over"}


@rig("zeus amd gpu", has_counter=True, has_gauge=True, impossible=_NO_WRAP, at_api_of="zeus")
@contextlib.contextmanager
def zeus_amd_gpu(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    gpus = [FakeGpu()] * (2 if fault is Fault.DUPLICATE_SCOPE else 1)
    with zeus_in_place(World(now_s, truth, fault, gpus=gpus), "amd"):
        yield Rigged(findings=find_zeus)


@rig("zeus apple soc", has_counter=True, has_gauge=False, impossible=_NO_WRAP, at_api_of="zeus")
@contextlib.contextmanager
def zeus_apple_soc(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    with zeus_in_place(World(now_s, truth, fault), "apple"):
        yield Rigged(findings=lambda: _shown(fault))


@rig("zeus jetson", has_counter=True, has_gauge=False, impossible=_NO_WRAP, at_api_of="zeus")
@contextlib.contextmanager
def zeus_jetson(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    with zeus_in_place(World(now_s, truth, fault), "jetson"):
        yield Rigged(findings=lambda: _shown(fault))


@rig("zeus windows emi", has_counter=True, has_gauge=False, impossible=_NO_WRAP, at_api_of="zeus")
@contextlib.contextmanager
def zeus_windows_emi(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    with zeus_in_place(World(now_s, truth, fault), "emi"):
        yield Rigged(findings=lambda: _shown(fault))


def _shown(fault: Fault) -> list[Finding]:
    """What is found; everything twice where the same device is shown twice."""
    return find_zeus() * (2 if fault is Fault.DUPLICATE_SCOPE else 1)
