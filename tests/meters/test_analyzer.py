"""The analyzer of tier A against a simulated instrument, with the real PyVISA in between."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doubles.faults import Fault, Truth
from doubles.instrument import Instrument, Panel
from joulemark.meters.address import MeterAddress
from joulemark.meters.analyzer import find_analyzer, open_analyzer
from joulemark.meters.analyzer.accuracy import statement_of, uncertainty_pct
from joulemark.meters.analyzer.progress import Progress
from joulemark.meters.analyzer.scpi import largest_step_wh, number, step_wh, units
from joulemark.meters.qualification import qualify
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.errors import InputError
from joulemark.record.meter import Trust

Make = Callable[..., tuple[Instrument, VirtualClock]]


@pytest.fixture
def bench() -> Iterator[Make]:
    """Make an instrument on virtual time."""
    with ExitStack() as stack:

        def make(panel: Panel | None = None, fault: Fault = Fault.HEALTHY) -> tuple[Instrument, VirtualClock]:
            clock = VirtualClock()
            instrument = Instrument(lambda: clock.now_ns() * 1e-9, Truth(), fault, panel)
            return stack.enter_context(instrument), clock

        yield make


def find(instrument: Instrument, **options: str) -> Finding:
    (finding,) = find_analyzer(MeterAddress("analyzer", instrument.resource, options))
    return finding


def test_it_counts_what_is_drawn(bench: Make) -> None:
    instrument, clock = bench()
    finding = find(instrument)
    assert finding.spec is not None
    assert finding.info is not None
    source = open_analyzer(finding.spec, clock)
    clock.sleep_s(1.0)
    first = source.read(0)
    clock.sleep_s(3600.0)
    last = source.read(0)
    source.close()
    assert last.values["power_w"] == pytest.approx(120.0)
    counted_j = last.values["energy_j"] - first.values["energy_j"]
    assert counted_j == pytest.approx(3600 * 120.0, abs=finding.info.counter_quantum_j)
    assert first.flags == last.flags == ()


def test_the_self_test_believes_it_and_the_next_program_goes_on(bench: Make) -> None:
    instrument, clock = bench()
    spec = find(instrument).spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    assert qualify(source, clock).trust is Trust.QUALIFIED
    tested_j = source.read(0).values["energy_j"]
    source.close()
    assert instrument.panel.state == "STOP"
    again = open_analyzer(spec, clock)
    clock.sleep_s(1.0)
    assert again.read(0).values["energy_j"] > tested_j
    again.close()
    assert not any(":INTEG:RES" in command for command in instrument.commands)


def test_looking_changes_nothing(bench: Make) -> None:
    instrument, _ = bench()
    before = dataclasses.replace(instrument.panel, output=list(instrument.panel.output))
    find(instrument)
    assert instrument.panel == before
    assert instrument.form == "ASC"
    sent = " ".join(instrument.commands).upper()
    assert "*RST" not in sent
    assert ":INTEG:STAR" not in sent


def test_the_instrument_is_let_go_for_the_sampler(bench: Make) -> None:
    instrument, clock = bench()
    spec = find(instrument).spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    source.close()
    deadline_s = time.monotonic() + 5
    while instrument.connected and time.monotonic() < deadline_s:
        time.sleep(0.01)
    assert not instrument.connected
    assert instrument.panel.output[:3] == ["U,1", "I,1", "P,1"]
    assert instrument.panel.count == 3


def test_a_running_integration_is_left_alone(bench: Make) -> None:
    instrument, clock = bench(Panel(state="START", held_wh=5.0))
    finding = find(instrument)
    assert finding.spec is not None
    assert finding.info is not None
    assert any(note == "integration: it ran already and is left as it is" for note in finding.info.notes)
    source = open_analyzer(finding.spec, clock)
    assert source.read(0).values["energy_j"] == pytest.approx(5.0 * 3600, rel=1e-3)
    source.close()
    assert instrument.panel.state == "START"


def test_one_that_timed_up_is_reset_because_it_cannot_go_on(bench: Make) -> None:
    instrument, clock = bench(Panel(state="TIMEUP", timer="1,0,0"))
    finding = find(instrument)
    assert finding.spec is not None
    assert finding.info is not None
    assert any(note.startswith("timer: the integration ends after") for note in finding.info.notes)
    open_analyzer(finding.spec, clock).close()
    assert any(command.startswith(":INTEG:RES") for command in instrument.commands)


def test_integrate_never_leaves_power_only(bench: Make) -> None:
    instrument, clock = bench()
    finding = find(instrument, integrate="never")
    assert finding.spec is not None
    assert finding.info is not None
    assert finding.info.quantities == ("power_w",)
    source = open_analyzer(finding.spec, clock)
    assert source.read(0).values == {"power_w": 120.0}
    source.close()
    assert instrument.panel.state == "RESET"


def test_a_halt_on_the_panel_is_told_and_not_counted_as_zero(bench: Make) -> None:
    instrument, clock = bench()
    spec = find(instrument).spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    instrument.answer(":INTEG:STOP")
    reading = source.read(0)
    source.close()
    assert "energy_j" not in reading.values
    assert reading.flags == ("energy_j:integration_stop",)


def test_overload_is_absent_and_marks_the_interval(bench: Make) -> None:
    instrument, clock = bench()
    spec = find(instrument).spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    instrument.panel.condition = 1 << 8
    reading = source.read(0)
    instrument.panel.condition = 1 << 11  # element 2
    other = source.read(0)
    instrument.panel.condition, instrument.panel.power_w = 0, float("inf")
    infinite = source.read(0)
    source.close()
    assert reading.values == {}
    assert set(reading.flags) == {"power_w:overload", "energy_j:overload", "overload"}
    assert "energy_j" in other.values
    assert "power_w:overload" in infinite.flags


def test_current_leads_the_wrong_way_round_are_no_negative_power(bench: Make) -> None:
    instrument, clock = bench(Panel(power_w=-120.0))
    spec = find(instrument).spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    clock.sleep_s(10.0)
    reading = source.read(0)
    source.close()
    assert reading.values == {}
    assert set(reading.flags) == {"power_w:negative", "energy_j:negative"}


def test_a_held_display_is_stale(bench: Make) -> None:
    instrument, clock = bench(fault=Fault.STALE)
    spec = find(instrument).spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    clock.advance_to_ns(round(instrument.truth.middle_s * 1e9))
    source.read(0)
    clock.sleep_s(5.0)
    reading = source.read(0)
    source.close()
    assert reading.values == {}
    assert set(reading.flags) == {"power_w:stale", "energy_j:stale"}


def test_the_line_comes_back_and_the_gap_is_counted(bench: Make) -> None:
    instrument, clock = bench(fault=Fault.SHORT_GAP)
    spec = find(instrument).spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    clock.advance_to_ns(round((instrument.truth.middle_s - 0.5) * 1e9))
    before_j = source.read(0).values["energy_j"]
    clock.sleep_s(1.0)
    for _ in range(2):
        with pytest.raises(SourceLost, match="connection_"):
            source.read(0)
    clock.sleep_s(1.0)
    after_j = source.read(0).values["energy_j"]
    source.close()
    assert after_j - before_j == pytest.approx(2.0 * 120.0, abs=36.0)


def test_a_silent_instrument_does_not_hang(bench: Make) -> None:
    instrument, clock = bench()
    spec = find(instrument, timeout_ms="200").spec
    assert spec is not None
    source = open_analyzer(spec, clock)
    instrument.panel.silent = True
    begin_s = time.monotonic()
    with pytest.raises(SourceLost, match="timeout"):
        source.read(0)
    source.close()
    assert time.monotonic() - begin_s < 3.0
    assert "takes the connection and does not answer" in find(instrument, timeout_ms="200").why


def test_nobody_at_the_address_is_told_with_a_fix() -> None:
    (finding,) = find_analyzer(MeterAddress("analyzer", "TCPIP::127.0.0.1::9::SOCKET"))
    assert finding.spec is None
    assert finding.why
    assert "*IDN?" in finding.fix


def test_headers_and_short_answers_are_understood(bench: Make) -> None:
    instrument, clock = bench(Panel(header=True, verbose=False, auto=True))
    finding = find(instrument)
    assert finding.spec is not None
    assert finding.info is not None
    source = open_analyzer(finding.spec, clock)
    clock.sleep_s(10.0)
    assert source.read(0).values["energy_j"] == pytest.approx(1200.0, rel=1e-3)
    source.close()
    assert finding.info.read_period_s == 0.25


def test_ranges_rate_wiring_and_accuracy_are_on_record(bench: Make) -> None:
    instrument, _ = bench(Panel(rate="500MS", amperes=1.0, current_a=120 / 230))
    info = find(instrument).info
    assert info is not None
    text = "ranges: 300 V and 1 A (fixed), crest factor 3, wiring P1W2, values renewed every 0.5 s"
    assert text in info.notes
    assert info.power_window_s == 0.5
    assert info.value_age_s == 1.0
    assert info.is_register
    assert info.power_max_w == pytest.approx(1.4 * 300)
    assert info.uncertainty_pct == pytest.approx(0.1 + 0.05 * 300 / 120, rel=1e-3)


def test_a_changed_range_is_flagged(bench: Make) -> None:
    instrument, clock = bench(Panel(auto=True))
    finding = find(instrument)
    assert finding.spec is not None
    assert finding.info is not None
    assert finding.info.power_max_w is None
    assert any(note.startswith("auto_range: ") for note in finding.info.notes)
    source = open_analyzer(finding.spec, clock)
    assert source.read(0).flags == ()
    instrument.panel.amperes = 10.0
    assert source.read(0).flags == ("range_changed",)
    assert source.read(0).flags == ()
    source.close()


def test_an_unknown_model_has_no_accuracy(bench: Make) -> None:
    instrument, _ = bench(Panel(identity="YOKOGAWA,WT1803E,91K225903,F2.31"))
    info = find(instrument).info
    assert info is not None
    assert info.uncertainty_pct is None
    assert "accuracy: the accuracy of a WT1803E is not known here" in info.notes
    assert info.power_max_w is None


def test_the_serial_number_and_the_address_stay_out_of_names_and_notes(bench: Make) -> None:
    instrument, _ = bench()
    info = find(instrument).info
    assert info is not None
    public = json.dumps([info.name, info.scope.path, info.notes, info.device_name])
    assert "C3TESTER01" not in public
    assert "127.0.0.1" not in public
    assert info.device_id == "WT310E:C3TESTER01/1"


def test_from_its_limit_on_the_register_is_too_coarse_for_its_statement(bench: Make) -> None:
    instrument, clock = bench(Panel(power_w=1500.0))
    finding = find(instrument, until_kwh="1")
    assert finding.spec is not None
    assert finding.info is not None
    assert finding.info.counter_quantum_j == pytest.approx(3.6)
    source = open_analyzer(finding.spec, clock)
    clock.sleep_s(2390.0)
    assert "energy_j" in source.read(0).values
    clock.sleep_s(30.0)
    reading = source.read(0)
    source.close()
    assert reading.flags == ("energy_j:step_too_coarse",)


def test_another_maker_is_read_with_the_users_queries(bench: Make) -> None:
    instrument, clock = bench(Panel(identity="HIOKI,PW3335,123,V1.0", state="START"))
    assert "how to read it was not said" in find(instrument).why
    instrument.answer(":NUM:NORM:ITEM1 WH,1;:NUM:NORM:NUM 1")
    finding = find(instrument, energy_query=":NUM:NORM:VAL?", unit="Wh")
    assert finding.spec is not None
    assert finding.info is not None
    source = open_analyzer(finding.spec, clock)
    clock.sleep_s(60.0)
    assert source.read(0).values["energy_j"] == pytest.approx(7200.0, rel=1e-3)
    source.close()
    assert finding.info.uncertainty_pct is None
    assert finding.info.device_name == "HIOKI PW3335"


@pytest.mark.parametrize(
    ("address", "options"),
    [
        ("192.168.1.9", {}),
        ("TCPIP::192.168.1.9::INSTR", {"range": "5"}),
        ("TCPIP::192.168.1.9::INSTR", {"element": "7"}),
        ("TCPIP::192.168.1.9::INSTR", {"integrate": "always"}),
        ("TCPIP::192.168.1.9::INSTR", {"unit": "kW"}),
        ("TCPIP::192.168.1.9::INSTR", {"scope": "/wall"}),
    ],
)
def test_what_is_mistyped_is_refused(address: str, options: dict[str, str]) -> None:
    with pytest.raises(InputError):
        find_analyzer(MeterAddress("analyzer", address, options))


@pytest.mark.parametrize(
    "text", ["TCPIP::192.168.1.9::10001::SOCKET", "USB0::0x0B21::0x0025::C1::INSTR", "GPIB0::1::INSTR"]
)
def test_a_resource_name_survives_the_grammar_of_meters(text: str) -> None:
    parsed = MeterAddress.parse(f"analyzer:{text}?scope=wall&power_query=:MEAS:POW?")
    assert parsed.address == text
    assert parsed.options == {"scope": "wall", "power_query": ":MEAS:POW?"}


def test_pyvisa_is_imported_only_when_an_analyzer_is_named() -> None:
    code = "import sys, joulemark.meters.analyzer; sys.exit('pyvisa' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_pyvisa_the_fix_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyvisa", None)
    (finding,) = find_analyzer(MeterAddress("analyzer", "TCPIP::127.0.0.1::9::SOCKET"))
    assert finding.why == "the Python package pyvisa is not installed"
    assert finding.fix == "pip install 'joulemark[visa]'"


# pure parts


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1.5E+01", 15.0),
        ("NAN", "no_data"),
        ("9.91E+37", "no_data"),
        ("INF", "overload"),
        ("-INF", "overload"),
        ("9.9E+37", "overload"),
        ("", "unreadable"),
        ("----", "unreadable"),
    ],
)
def test_numbers_that_are_none_have_a_reason(text: str, meaning: float | str) -> None:
    assert number(text) == meaning


def test_headers_are_taken_off() -> None:
    assert units(":INTEGRATE:STATE START;:RATE 250MS;1.0E+00") == ["START", "250MS", "1.0E+00"]


@settings(deadline=None)
@given(st.floats(1e-6, 9.9e8), st.integers(3, 9))
@example(1000.0, 6)
@example(999.999, 6)
def test_the_step_is_one_of_the_last_digit(energy_wh: float, digits: int) -> None:
    step = step_wh(energy_wh, digits)
    assert energy_wh / step < 10**digits * (1 + 1e-9)
    assert energy_wh / step > 10 ** (digits - 1) * (1 - 1e-9)


@settings(deadline=None)
@given(st.floats(1e-3, 1.0), st.integers(1, 1000))
def test_no_value_below_the_limit_has_a_larger_step(share: float, until_kwh: int) -> None:
    limit = 1000.0 * until_kwh
    assert step_wh(share * limit * 0.999999, 6) <= largest_step_wh(limit, 6) * (1 + 1e-9)


def test_ten_kwh_are_shown_in_steps_of_ten_mwh() -> None:
    assert largest_step_wh(10_000.0, 6) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("WT310E", (0.1, 0.05, 0.1)),
        ("WT310EH", (0.1, 0.05, 0.1)),
        ("WT310", (0.1, 0.1, 0.2)),
        ("WT310HC", (0.1, 0.1, 0.2)),
    ],
)
def test_the_statement_is_that_of_the_model(model: str, parts: tuple[float, float, float]) -> None:
    statement = statement_of(model)
    assert statement is not None
    assert (statement.reading_pct, statement.range_pct, statement.reactive_pct) == parts


@pytest.mark.parametrize("model", ["WT3001E", "WT500", "WT5000", ""])
def test_other_models_have_none(model: str) -> None:
    assert statement_of(model) is None


def test_accuracy_counts_range_power_factor_and_crest_factor() -> None:
    statement = statement_of("WT310E")
    assert statement is not None
    full = uncertainty_pct(statement, power_w=1500, apparent_va=1500, range_va=1500)
    low = uncertainty_pct(statement, power_w=150, apparent_va=150, range_va=1500)
    crest = uncertainty_pct(statement, power_w=1500, apparent_va=1500, range_va=1500, crest_factor="6")
    half = uncertainty_pct(statement, power_w=750, apparent_va=1500, range_va=1500)
    assert full == pytest.approx(0.15)
    assert low == pytest.approx(0.6)
    assert crest == pytest.approx(0.2)
    assert half == pytest.approx(0.15 + 0.1 * 3**0.5)
    assert uncertainty_pct(statement, power_w=0.0, apparent_va=10, range_va=1500) is None


def test_a_restart_that_hides_itself_is_never_believed_again() -> None:
    progress = Progress(still_ns=3_000_000_000)
    assert progress.doubt(100.0, 2.0, 0, "START") is None
    assert progress.doubt(50.0, 3.0, 200_000_000_000, "START") == "restarted"
    assert progress.doubt(51.0, 3.1, 201_000_000_000, "START") == "restarted"


def test_a_restart_that_shows_is_left_to_the_arithmetic() -> None:
    progress = Progress(still_ns=3_000_000_000)
    progress.doubt(100.0, 2.0, 0, "START")
    assert progress.doubt(0.0, 0.0, 1_000_000_000, "START") is None
