"""A suspend: monotonic time stands still, and a meter on the wall counts on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from joulemark.meters.replay import replay_spec
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry import sampler_main
from joulemark.telemetry.interval import energy_between, integrated_between
from joulemark.telemetry.journal import JournalReader
from joulemark.telemetry.look_page import LookPage, page_file
from joulemark.telemetry.timeline import Timeline
from joulemark.telemetry.wire import SampledSource, SamplerConfig

S = 10**9
AWAKE_W, ASLEEP_J = 60.0, 10_000.0
SLEPT_AT = 120  # the reading, one each half second
AGE_S = 2.0


def a_plug(**facts: object) -> QualifiedSource:
    told = {
        "counter_quantum_j": 3.6,
        "power_max_w": 4000.0,
        "is_register": True,
        "value_age_s": AGE_S,
        "read_period_s": 0.5,
        "power_window_s": 1.0,
        **facts,
    }
    info = SourceInfo("plug", "shelly", Scope("wall"), ("energy_j", "power_w"), **told)  # type: ignore[arg-type]
    return QualifiedSource(info, Qualification(Trust.QUALIFIED, None, 1.0, 1.2, poll_period_s=0.5))


def readings(shown_after: int = 0, *, slept: bool = True) -> list[Reading]:
    """What the plug showed; ``shown_after`` so many readings it shows what it counted while all slept."""
    rows = []
    for i in range(240):
        joules = i * 0.5 * AWAKE_W + (ASLEEP_J if slept and i >= SLEPT_AT + shown_after else 0.0)
        values = {"energy_j": joules // 3.6 * 3.6, "power_w": AWAKE_W + i % 2}
        flags = ("slept",) if slept and i == SLEPT_AT else ()
        rows.append(Reading(0, i * S // 2 + S, "plug", "wall", values, flags=flags))
    return rows


def counted(rows: Sequence[Reading], t0_s: float, t1_s: float, **facts: object) -> MeasuredOrWithheld:
    timeline = Timeline.from_readings(rows)
    return energy_between(timeline, a_plug(**facts), 0, round(t0_s * S), round(t1_s * S))


@pytest.mark.parametrize("shown_after", [0, 1, 3])
@pytest.mark.parametrize("is_register", [True, False])
def test_what_a_meter_counted_while_the_machine_slept_is_no_windows(
    shown_after: int, is_register: bool
) -> None:
    rows = readings(shown_after)
    across, after = counted(rows, 20, 100, is_register=is_register), counted(rows, 61.2, 100)
    for energy in (across, after):
        assert isinstance(energy, Withheld), "at 61.2 s it may not have shown all"
        assert energy.reason is Reason.MACHINE_SLEPT


def test_windows_of_the_waking_hours_are_what_they_would_have_been() -> None:
    for t0_s, t1_s in [(20.0, 58.0), (66.0, 110.0)]:
        energy, plain = counted(readings(1), t0_s, t1_s), counted(readings(slept=False), t0_s, t1_s)
        assert isinstance(energy, MeasuredEnergy)
        assert isinstance(plain, MeasuredEnergy)
        assert energy.lo <= AWAKE_W * (t1_s - t0_s) <= energy.hi
        assert energy.width_j < 1.1 * plain.width_j, "its rise passes for no power of the device"


def test_a_gauge_is_not_integrated_across_a_suspend() -> None:
    timeline = Timeline.from_readings(readings())
    across, before, after = (
        integrated_between(timeline, a_plug(), 0, round(a * S), round(b * S))
        for a, b in [(20, 100), (20, 55), (70, 110)]
    )
    assert isinstance(across, Withheld)
    assert across.reason is Reason.MACHINE_SLEPT
    for energy, seconds in ((before, 35), (after, 40)):
        assert isinstance(energy, MeasuredEnergy)
        assert energy.joules == pytest.approx(seconds * (AWAKE_W + 0.5), rel=0.02)


@pytest.mark.parametrize("is_slow", [False, True])
def test_the_sampler_flags_a_suspend_for_slow_meters_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    slept = [0]
    monkeypatch.setattr(sampler_main, "_sleep_clock", lambda: lambda: slept[0])
    trace = tmp_path / "trace.csv"
    trace.write_text("# scope = wall\nt_s,energy_j,power_w\n0,0,50\n60,3000,50\n")
    spec = replay_spec(trace)
    source = SampledSource(
        spec.kind, dict(spec.args), "replay:trace", "wall", 0.05, None, is_slow=is_slow, value_age_s=0.0
    )
    config = SamplerConfig(str(tmp_path / "telemetry.jsonl"), 0, os.getppid(), (source,))
    commands_r, commands_w = os.pipe()
    others_r, others_w = os.pipe()
    try:
        with page_file() as shared:
            page = LookPage(shared.fileno())
        process = sampler_main.SamplerProcess(config, page, commands_r, others_w, others_w)
        monkeypatch.setattr(os, "getppid", lambda: config.parent_pid)
        thread = threading.Thread(target=process.run)
        thread.start()
        time.sleep(0.3)
        slept[0] = 3600 * S
        time.sleep(0.4)
        os.write(commands_w, b"stop\n")
        thread.join(10)
    finally:
        for fd in (commands_r, commands_w, others_r, others_w):
            os.close(fd)
    rows = list(JournalReader(config.journal_path))
    flags = [set(row.flags) & {"slept"} for row in rows]
    assert flags.count({"slept"}) == 1
    assert flags[0] == flags[-1] == set()
