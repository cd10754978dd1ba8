"""Rigs: one way to put a double of each kind of source under each fault, on virtual time.

::

    @rig("shelly gen2", has_counter=True, has_gauge=True, impossible={Fault.WRAP: "64-bit register"})
    @contextlib.contextmanager
    def shelly_gen2(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
        with ShellyDouble(..., fault, truth, now_s) as double:
            yield Rigged(findings=lambda: find_shelly(MeterAddress("shelly", double.address)))

A fault that cannot happen to a kind is in ``impossible`` with the reason, and the cell is left out; use it
only where the protocol excludes the fault, never where handling it is hard. ``unseen`` names faults that this
source cannot show, with why: such a cell measures, and its bound must hold all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from doubles.faults import Fault, NowS, Truth
from joulemark.meters.source import Finding


@dataclass(frozen=True)
class Rigged:
    """A double that is up. ``findings`` is what discovery says of it (before duplicates are left out)."""

    findings: Callable[[], list[Finding]]


MakeRig = Callable[[Fault, Truth, NowS], AbstractContextManager[Rigged]]


@dataclass(frozen=True)
class Rig:
    """A row of the matrix.

    ``has_counter``/``has_gauge``: what a healthy source gives. ``truth`` replaces the standard one (a
    coarse register wants a longer window). ``withheld`` names the reason code of cells that must withhold
    where others measure. ``at_api_of`` labels sources that exist only through a library and are doubled at
    its API.
    """

    name: str
    make: MakeRig
    has_counter: bool
    has_gauge: bool
    impossible: Mapping[Fault, str] = field(default_factory=dict)
    withheld: Mapping[Fault, str] = field(default_factory=dict)
    unseen: Mapping[Fault, str] = field(default_factory=dict)
    truth: Truth = field(default_factory=Truth)
    at_api_of: str | None = None


RIGS: dict[str, Rig] = {}


def rig(name: str, **facts: object) -> Callable[[MakeRig], MakeRig]:
    """Register a rig under its row's name."""

    def register(make: MakeRig) -> MakeRig:
        RIGS[name] = Rig(name, make, **facts)  # type: ignore[arg-type]
        return make

    return register
