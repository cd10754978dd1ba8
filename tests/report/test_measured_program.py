"""What a measured program took, in words: each figure with its way, its bound and what weakens it."""

from __future__ import annotations

import io

from rich.console import Console

from joulemark.live.gate import Ended
from joulemark.live.program import MeasuredProgram
from joulemark.live.source_energy import SHARED_BOARD, SourceEnergy
from joulemark.live.stretch import Stretch
from joulemark.live.used import Used
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.report.measured_program import print_program

NO_COUNTER = Withheld(Reason.NOT_APPLICABLE, "The source has no energy counter.")


def saw(
    name: str,
    scope: str,
    counter: MeasuredOrWithheld,
    integrated: MeasuredOrWithheld,
    *,
    kind: str = "nvml",
    trust: Trust = Trust.QUALIFIED,
    reason: str | None = None,
    uncertainty_pct: float | None = None,
) -> SourceEnergy:
    info = SourceInfo(name, kind, Scope(scope), ("energy_j",), uncertainty_pct=uncertainty_pct)
    return SourceEnergy(QualifiedSource(info, Qualification(trust, reason)), counter, integrated)


def energy(joules: float, name: str, scope: str, method: Method, *flags: str) -> MeasuredEnergy:
    return MeasuredEnergy(joules, joules * 0.9, joules * 1.1, name, (Scope(scope),), method, flags)


BROKEN = (("prometheus", "no [b]series\x1b"),)


def told(
    *sources: SourceEnergy,
    peak: Value | None = None,
    foreign: float = 0.01,
    absent: tuple[tuple[str, str], ...] = BROKEN,
) -> str:
    used = Used(Value(2.5, "s"), peak or Value(80.0, "MiB"), Value(foreign, "1"), Value(0.0, "1"))
    stretch = Stretch(4.0, {s.source.info.name: s for s in sources}, absent, used)
    console = Console(file=io.StringIO(), width=110)
    print_program(MeasuredProgram(("run", "me now"), Ended(0, 2.5, 80.0, 9.0), stretch), console)
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


def test_a_shared_boards_joules_are_said_to_be_everybodys() -> None:
    gpu = "wall/psu/gpu:0"
    text = told(saw("nvml:0", gpu, energy(9.0, "nvml:0", gpu, Method.COUNTER, SHARED_BOARD), NO_COUNTER))
    assert "* nvml:0: the board is shared: the joules are the whole board's" in text


def test_the_three_ways_stand_beside_each_other() -> None:
    gpu = "wall/psu/gpu:0"
    board = saw(
        "nvml:0",
        gpu,
        energy(1000.0, "nvml:0", gpu, Method.COUNTER),
        energy(1030.0, "nvml:0", gpu, Method.INTEGRATED, "gap"),
    )
    plug = saw(
        "shelly",
        "wall",
        energy(1500.0, "shelly", "wall", Method.METER),
        NO_COUNTER,
        kind="shelly",
        uncertainty_pct=1.0,
    )
    text = told(board, plug)
    assert "run 'me now' exit code 0" in text
    assert "Energy 1,000 J meter's bound 900 … 1,100 J nvml:0, energy counter, scope gpu:0. Tier B" in text
    assert "gpu:0 nvml:0 Device's counter 1,000 J 900 … 1,100 J qualified" in text
    assert "Device's power, integrated 1,030 J 927 … 1,133 J" in text
    assert "Wall meter or analyzer, its register" in text
    assert "shelly: its maker states ±1.00 %" in text
    assert "nvml:0: it was not read for a while" in text
    assert "prometheus: no [b]series" in text
    assert "\x1b" not in text
    assert "no quiet machine" not in text


def test_a_lost_meter_is_a_dash_with_its_reason_and_never_a_zero() -> None:
    lost = Withheld(Reason.METER_LOST)
    text = told(saw("nvml:0", "wall/psu/gpu:0", lost, lost), foreign=0.4)
    assert "Energy — The meter stopped answering in this window." in text
    assert "0 J" not in text
    assert "this was no quiet machine" in text


def test_a_wall_meter_alone_leads_without_a_tier() -> None:
    plug = saw("shelly", "wall", energy(50.0, "shelly", "wall", Method.METER), NO_COUNTER, kind="shelly")
    text = told(plug, peak=Value(3.0, "MiB", 3.0, 9.0, "bound"))
    assert "shelly, energy register, scope wall. No tier: a wall meter alone is not on the ladder" in text
    assert "3.000 MiB resident, as far as it was seen; at most 9 MiB" in text


def test_a_trace_is_loud() -> None:
    scope = "wall/psu/gpu:0"
    trace = saw("replay:t", scope, energy(5.0, "replay:t", scope, Method.COUNTER), NO_COUNTER, kind="replay")
    assert "REPLAYED: replay:t, energy counter, scope gpu:0. No tier" in told(trace)


def test_without_meters_the_reason_stands_in() -> None:
    peak = withheld("MiB", Reason.NO_SAMPLES, detail="It ended before it was looked at.")
    text = told(peak=peak, absent=(("nvml", "no driver"),))
    assert "Energy — No energy meter was found" in text
    assert "Peak memory —" in text
    assert "It ended before it was looked at." in text


MISSING = (("nvml", "no driver"), ("rapl", "a virtual machine"), ("shelly", "no answer"), ("hwmon", "none"))


def test_kinds_that_the_machine_lacks_are_one_line_where_another_meter_works() -> None:
    plug = saw("tasmota", "wall", energy(50.0, "tasmota", "wall", Method.METER), NO_COUNTER, kind="tasmota")
    text = told(plug, absent=MISSING)
    assert "* nvml, rapl, hwmon: none here; `joulemark doctor` says why" in text
    assert "no driver" not in text
    assert "* shelly: no answer" in text  # somebody named it


def test_they_say_why_where_no_meter_works() -> None:
    lost = Withheld(Reason.METER_LOST)
    text = told(saw("tasmota", "wall", lost, lost, kind="tasmota"), absent=MISSING)
    assert "* nvml: no driver" in text
    assert "* rapl: a virtual machine" in text


def test_a_figure_with_a_bound_wider_than_itself_is_told_as_the_most_that_it_is() -> None:
    def plug(lo: float, hi: float) -> str:
        wide = MeasuredEnergy(270.0, lo, hi, "shelly", (Scope("wall"),), Method.INTEGRATED)
        return told(saw("shelly", "wall", NO_COUNTER, wide, kind="shelly"))

    text = plug(0.0, 12_021.0)
    assert "Energy below 12,100 J shelly, integrated power" in text
    assert "270" not in text
    assert "Energy below 500.0 J meter's bound 100 … 500 J shelly" in plug(100.0, 500.0)
    assert "Energy 270 J meter's bound 140 … 400 J" in plug(140.0, 400.0)
