"""A processor package in the powercap tree under each fault."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from doubles.faults import Fault, NowS, Truth
from doubles.powercap import RANGE_UJ, FakePowercap
from joulemark.meters.rapl.finding import find_rapl
from joulemark.meters.rapl.powercap import ROOT_VARIABLE
from joulemark.meters.sysfs import SYS_VARIABLE

from . import Rigged, rig

_ZONES = ("intel-rapl:0", "intel-rapl-mmio:0")
_BASE_J, _FALL_J = 20_000.0, 500.0
_UPDATE_S = 0.001


def counter_j(fault: Fault, truth: Truth, t_s: float) -> float:
    """What a free-running counter of this fault shows, before any wrap (joules)."""
    updated_s = t_s - t_s % _UPDATE_S
    middle_s = truth.middle_s
    if fault in (Fault.FREEZE, Fault.STALE):
        updated_s = min(updated_s, middle_s)
    past = updated_s >= middle_s
    if fault is Fault.RESET and past:
        return truth.energy_j(updated_s) - truth.energy_j(middle_s)
    base_j = RANGE_UJ * 1e-6 - truth.energy_j(middle_s) if fault is Fault.WRAP else _BASE_J
    if fault is Fault.BACKWARDS and past:
        base_j -= _FALL_J
    gain = 1000.0 if fault is Fault.WRONG_UNIT else 1.0
    return base_j + gain * truth.energy_j(updated_s)


@contextlib.contextmanager
def bare_metal(**environment: str) -> Iterator[None]:
    """Set variables; and let the machine that runs the tests, which may be virtual, be none."""
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch("joulemark.meters.rapl.source.is_virtual", return_value=False),
    ):
        yield


@contextlib.contextmanager
def _package(fault: Fault, truth: Truth, now_s: NowS, *, range_readable: bool) -> Iterator[Rigged]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        twice = fault is Fault.DUPLICATE_SCOPE
        tree = FakePowercap(directory, core=False, dram=False, mmio=twice)
        zones = _ZONES if twice else _ZONES[:1]
        if not range_readable:
            for zone in zones:
                (tree.root / zone / "max_energy_range_uj").unlink()

        def show(zone: str) -> None:
            t_s = now_s()
            if fault is Fault.LOST and t_s >= truth.middle_s:
                raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
            if fault is Fault.SHORT_GAP and 0 <= t_s - truth.middle_s < truth.gap_s:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            tree.set_energy_uj(zone, counter_j(fault, truth, t_s) * 1e6)

        if fault is Fault.NOT_SUPPORTED:
            (tree.root / _ZONES[0] / "energy_uj").unlink()
            following: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        else:
            following = tree.following(show)
        places = {ROOT_VARIABLE: str(tree.root), SYS_VARIABLE: str(directory / "sys")}
        with following, bare_metal(**places):
            yield Rigged(find_rapl)


@rig("rapl package (range readable)", has_counter=True, has_gauge=False)
@contextlib.contextmanager
def range_readable(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """The usual tree: the kernel says where the counter wraps."""
    with _package(fault, truth, now_s, range_readable=True) as rigged:
        yield rigged


@rig(
    "rapl package (range unreadable)",
    has_counter=True,
    has_gauge=False,
    withheld={Fault.WRAP: "counter_wrap_unknown", Fault.RESET: "counter_wrap_unknown"},
)
@contextlib.contextmanager
def range_unreadable(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A tree that does not say where the counter wraps: a wrap is withheld."""
    with _package(fault, truth, now_s, range_readable=False) as rigged:
        yield rigged
