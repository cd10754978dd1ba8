"""A series of an exporter's page: what is found, what is said where it cannot be, and what is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from doubles.prometheus import EPOCH_S, PageServer, Reply, unused_port
from joulemark.meters.address import MeterAddress
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.notes import has_note
from joulemark.meters.prometheus.finding import find_prometheus
from joulemark.meters.prometheus.metric import SECOND_HAND
from joulemark.meters.prometheus.scrape import TOKEN_VARIABLE
from joulemark.meters.prometheus.unit import UNITS, unit_of_name
from joulemark.meters.source import Finding, SourceLost, SourceSpec
from joulemark.record.clock import VirtualClock
from joulemark.record.errors import InputError
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope

RAPL = """\
# HELP node_rapl_package_joules_total Current RAPL package value in joules
# TYPE node_rapl_package_joules_total counter
node_rapl_package_joules_total{index="0",path="/sys/class/powercap/intel-rapl:0"} 135077.5
node_rapl_package_joules_total{index="1",path="/sys/class/powercap/intel-rapl:1"} 98000.25
# TYPE node_package_watts gauge
node_package_watts 118
"""


@contextmanager
def serving(page: str | Callable[[], Reply]) -> Iterator[PageServer]:
    def answer(path: str, query: str) -> Reply:
        if path != "/metrics":
            return Reply("404 page not found", 404)
        return Reply(page) if isinstance(page, str) else page()

    with PageServer(answer) as server:
        yield server


def find(server: PageServer, rest: str, path: str = "/metrics", *, says_interval: bool = True) -> Finding:
    """What discovery says of a series; that its exporter renews it every second is said with it."""
    if says_interval and "interval_s=" not in rest:
        rest += f"{'&' if '?' in rest else '?'}interval_s=1"
    (finding,) = find_prometheus(MeterAddress.parse(f"prometheus:{server.url}{path}{rest}"))
    return finding


def spec_and_info(finding: Finding) -> tuple[SourceSpec, SourceInfo]:
    assert finding.spec is not None, finding
    assert finding.info is not None
    return finding.spec, finding.info


def test_a_counter_and_the_power_beside_it() -> None:
    with serving(RAPL) as server:
        rest = (
            '#node_rapl_package_joules_total{index="1"}?power=node_package_watts'
            "&scope=wall/psu/psys/package:1&wraps_at=262143.32885&max_w=250"
        )
        finding = find(server, rest)
        spec, info = spec_and_info(finding)
        assert info.scope == Scope.package(1)
        assert info.quantities == ("energy_j", "power_w")
        assert info.counter_modulus_j == 262143.32885
        assert info.counter_wraps
        assert info.power_max_w == 250
        assert not info.is_register
        assert info.read_period_s
        assert has_note(info, SECOND_HAND)
        assert json.loads(json.dumps(spec.args)) == spec.args
        clock = VirtualClock(5)
        source = open_source(spec, clock)
        reading = source.read(3)
        assert source.info == info
        assert (reading.segment, reading.t_ns, reading.source, reading.scope) == (
            3,
            5,
            info.name,
            info.scope.path,
        )
        assert reading.values == {"energy_j": 98000.25, "power_w": 118}
        assert reading.flags == ()
        source.close()


def test_a_counter_that_its_exporter_passes_on_wraps_though_nobody_said_where() -> None:
    with serving(RAPL) as server:
        _, info = spec_and_info(find(server, '#node_rapl_package_joules_total{index="0"}'))
        assert info.counter_wraps
        assert info.counter_modulus_j is None


def test_the_path_of_the_page_may_be_left_out() -> None:
    with serving("board_watts 5\n") as server:
        assert find(server, "#board_watts", path="").spec is not None


def test_names_and_scopes_hold_no_host_and_differ_by_labels() -> None:
    with serving('a_watts{host="node-7.lab"} 1\na_watts{host="node-8.lab"} 2\n') as server:
        one = spec_and_info(find(server, '#a_watts{host="node-7.lab"}'))[1]
        other = spec_and_info(find(server, '#a_watts{host="node-8.lab"}'))[1]
    for info in (one, other):
        for text in (info.name, info.scope.path, *info.notes):
            assert "node-" not in text
            assert "127.0.0.1" not in text
    assert one.scope != other.scope
    assert one.scope.path.startswith("wall/psu/sensor:a_watts")
    assert one.device_id != other.device_id


BOARDS = """# TYPE board_joules_total counter
board_joules_total{gpu="0",host="node-7"} 800
board_joules_total{gpu="1",host="node-7"} 300
# TYPE board_watts gauge
board_watts{gpu="0",host="node-7"} 80
"""


def series(server: PageServer, labels: str, gpu: int, host: str = "127.0.0.1") -> str:
    scope = f"scope=wall/psu/gpu:{gpu}"
    return f"prometheus:http://{host}:{server.port}/metrics#{labels}?{scope}&interval_s=1"


@pytest.mark.parametrize(
    ("labels", "host"),
    [
        ('board_joules_total{gpu="0"}', "127.0.0.1"),
        ('board_joules_total{gpu="0"}', "localhost"),
        ('board_joules_total{host="node-7",gpu="0"}', "127.0.0.1"),
    ],
)
def test_a_series_is_no_two_boards(labels: str, host: str) -> None:
    with serving(BOARDS) as server:
        named = series(server, 'board_joules_total{gpu="0"}', 0)
        with pytest.raises(InputError, match="for two places"):
            discover([named, series(server, labels, 1, host)])
        found = discover([named, series(server, labels, 0, host)])
        assert [bool(one.spec) for one in found] == [True, False][: len(found)]
        assert all("same device" in one.why for one in found[1:])


def test_a_page_with_several_boards_is_several_meters() -> None:
    with serving(BOARDS) as server:
        wanted = [series(server, f'board_joules_total{{gpu="{n}"}}', n) for n in range(2)]
        assert all(one.spec for one in discover(wanted))


def test_the_power_beside_an_energy_is_no_board_of_its_own() -> None:
    with serving(BOARDS) as server:
        both = series(server, 'board_joules_total{gpu="0"}', 0) + '&power=board_watts{gpu="0"}'
        with pytest.raises(InputError, match="for two places"):
            discover([both, series(server, "board_watts", 1)])


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("a_joules_total", None, {"energy_j": 7200.0}),
        ("a_millijoules_total", None, {"energy_j": 7.2}),
        ("scaph_host_energy_microjoules", None, {"energy_j": 0.0072}),
        ("node_hwmon_energy_joule_total", None, {"energy_j": 7200.0}),
        ("plug_watt_hours", None, {"energy_j": 7200.0 * 3600}),
        ("plug_kwh_total", None, {"energy_j": 7200.0 * 3.6e6}),
        ("a_watts", None, {"power_w": 7200.0}),
        ("scaph_host_power_microwatts", None, {"power_w": 0.0072}),
        ("a_milliwatts", None, {"power_w": 7.2}),
        ("node_hwmon_power_average_watt", None, {"power_w": 7200.0}),
        ("energy", "Wh", {"energy_j": 7200.0 * 3600}),
        ("draw", "kW", {"power_w": 7.2e6}),
        ("misnamed_joules_total", "mJ", {"energy_j": 7.2}),
    ],
)
def test_units(name: str, unit: str | None, expected: dict[str, float]) -> None:
    with serving(f"{name} 7200\n") as server:
        spec, _ = spec_and_info(find(server, f"#{name}" + (f"?unit={unit}" if unit else "")))
        values = open_source(spec).read(0).values
    assert values == pytest.approx(expected)


def test_every_unit_has_its_suffix_and_no_name_is_guessed_at() -> None:
    suffixes = {
        unit.name
        for name in (
            "x_joules",
            "x_kilojoules",
            "x_millijoules",
            "x_microjoules",
            "x_watt_hours",
            "x_kwh",
            "x_watts",
            "x_kilowatts",
            "x_milliwatts",
            "x_microwatts",
        )
        if (unit := unit_of_name(name))
    }
    assert suffixes == set(UNITS)
    for name in ("power", "energy_total", "kilowattage", "nojoules", "watts_total_ratio", "growth"):
        assert unit_of_name(name) is None, name


def test_what_households_count_in_is_a_register_with_the_step_that_shows() -> None:
    page = "# TYPE plug_kwh_total counter\nplug_kwh_total 12.345\nplug_joules_total 5\n"
    with serving(page) as server:
        _, info = spec_and_info(find(server, "#plug_kwh_total?scope=wall"))
        assert info.is_register
        assert info.counter_quantum_j == pytest.approx(3600.0)
        _, info = spec_and_info(find(server, "#plug_kwh_total?scope=wall&step=0.01"))
        assert info.counter_quantum_j == pytest.approx(36_000.0)
        _, info = spec_and_info(find(server, "#plug_joules_total?step=10"))
        assert info.is_register
        assert info.counter_quantum_j == 10


@pytest.mark.parametrize(
    ("written", "step_kwh"),
    [
        ("12.345", 1e-3),
        ("12.339999999999998", 0.01),
        ("0.30000000000000004", 0.1),
        ("1.234e+06", 1e3),
        ("5e-07", 1e-7),
        ("0", 1.0),
        ("0.00", 0.01),
        ("0e400", 1.0),
    ],
)
def test_the_step_that_shows_is_no_noise_of_a_binary_float(written: str, step_kwh: float) -> None:
    with serving(f"plug_kwh_total {written}\n") as server:
        _, info = spec_and_info(find(server, "#plug_kwh_total"))
    assert info.counter_quantum_j == pytest.approx(step_kwh * 3.6e6)


@pytest.mark.parametrize(
    ("page", "rest", "why", "fix"),
    [
        ("power 5\n", "#power", "does not say its unit", "unit="),
        ("a_watts 5\n", "#a_wats", "no series a_wats; similar: a_watts", "curl"),
        ("a_watts 5\n", '#a_watts{zone="x"}', "has these labels", "labels"),
        ('a_watts{z="1",h="n"} 5\na_watts{z="2",h="n"} 6\n', "#a_watts", '{z="1"} {z="2"}', "choose one"),
        ("a_watts NaN\n", "#a_watts", "has the value NaN", "logs"),
        ("a_watts +Inf\n", "#a_watts", "has the value +Inf", "logs"),
        ("# TYPE a_joules gauge\na_joules 5\n", "#a_joules", "calls a_joules a gauge", "type=counter"),
        ("# TYPE a_watts counter\na_watts 5\n", "#a_watts", "calls a_watts a counter", "another"),
        ("<!DOCTYPE html><title>x</title>", "#a_watts", "web page for people", "/metrics"),
        ('{"a": 1}\n', "#a_watts", "it is JSON", "curl"),
        ("a_watts 0e400\nb_kwh 1e308\n", "#b_kwh", "has the value 1e308", "logs"),
        ("a_watts five\n", "#a_watts", "line 1", "exporter"),
        ("a_joules_total 5\nb 1\n", "#a_joules_total?power=b", "unit of the power", "power_unit"),
        ("a_joules_total 5\n", "#a_joules_total?power=b_watts", "no series b_watts", "curl"),
    ],
)
def test_what_cannot_be_used_says_why_and_what_to_do(page: str, rest: str, why: str, fix: str) -> None:
    with serving(page) as server:
        finding = find(server, rest)
    assert finding.spec is None
    assert finding.info is None
    assert why in finding.why
    assert fix in finding.fix


@pytest.mark.parametrize(
    ("reply", "why", "fix"),
    [
        (Reply("", 401), "wants a token", TOKEN_VARIABLE),
        (Reply("", 403), "does not allow", TOKEN_VARIABLE),
        (Reply("", 404), "no such page", "/metrics"),
        (Reply("", 500), "http_500", "curl"),
        (Reply("", 301), "elsewhere", "location"),
        (Reply("hello", kind="text/html; charset=utf-8"), "web page", "/metrics"),
        (Reply(gone=True), "hung up without an answer", "curl"),
    ],
)
def test_a_server_that_refuses_says_why_and_what_to_do(reply: Reply, why: str, fix: str) -> None:
    with serving(lambda: reply) as server:
        finding = find(server, "#a_watts")
    assert finding.spec is None
    assert why in finding.why
    assert fix in finding.fix


def test_nobody_there_is_a_finding_and_no_error() -> None:
    (finding,) = discover([f"prometheus:http://127.0.0.1:{unused_port()}/metrics#a_watts"])
    assert finding.spec is None
    assert "nothing listens" in finding.why


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "#",
        "#a_watts?unit=furlong",
        "#a_watts?colour=red",
        "#a_watts?interval_s=often",
        "#a_watts?max_w=-5",
        "#a_watts?max_w=nan",
        "#a_watts?type=histogram",
        "#a_watts?type=counter",
        "#a_watts?power=b_watts",
        "#a_joules?power=b_joules",
        "#a_watts?power_unit=W",
        "#a_watts?scope=//",
        "#a_watts?query=b",
        "#a watts",
        '#a{b="c',
        '#a{b=~"c"}',
    ],
)
def test_what_was_typed_wrongly_is_refused_before_anybody_is_asked(rest: str) -> None:
    with pytest.raises(InputError) as caught:
        find_prometheus(MeterAddress.parse(f"prometheus:http://127.0.0.1:9/metrics{rest}"))
    assert caught.value.fix


def test_the_token_is_sent_and_stands_in_no_specification(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving("a_watts 5\n") as server:
        monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
        spec, info = spec_and_info(find(server, "#a_watts"))
        open_source(spec).read(0)
        assert [headers.get("authorization") for _, headers in server.requests] == ["Bearer s3cret"] * 2
        assert "s3cret" not in json.dumps(spec.args)
        assert "s3cret" not in repr(info)


class Changing:
    """A page that a test changes between reads."""

    def __init__(self, text: str) -> None:
        self.reply = Reply(text)

    def __call__(self) -> Reply:
        return self.reply


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("a_joules_total NaN\nb_watts 5\n", "energy_j:not_finite"),
        ("b_watts 5\n", "energy_j:unavailable"),
        ('a_joules_total{z="1"} 1\na_joules_total{z="2"} 2\nb_watts 5\n', "energy_j:ambiguous"),
        (f"a_joules_total 1 {round((EPOCH_S - 60) * 1e3)}\nb_watts 5\n", "energy_j:stale"),
        ("a_joules_total -1\nb_watts 5\n", "energy_j:negative"),
    ],
)
def test_a_value_that_cannot_be_believed_is_left_out_with_its_reason(text: str, flag: str) -> None:
    page = Changing("a_joules_total 1\nb_watts 5\n")
    with serving(page) as server:
        spec, _ = spec_and_info(find(server, "#a_joules_total?power=b_watts"))
        source = open_source(spec)
        page.reply = Reply(text)
        reading = source.read(0)
    assert reading.values == {"power_w": 5}
    assert reading.flags == (flag,)


def test_a_power_that_flows_back_is_no_consumption() -> None:
    page = Changing("a_joules_total 1\nb_watts 5\n")
    with serving(page) as server:
        spec, _ = spec_and_info(find(server, "#a_joules_total?power=b_watts"))
        source = open_source(spec)
        page.reply = Reply("a_joules_total 2\nb_watts -200.5\n")
        reading = source.read(0)
    assert reading.values == {"energy_j": 2}
    assert reading.flags == ("power_w:negative",)


def test_a_value_beyond_all_floats_is_absent() -> None:
    page = Changing("a_kwh_total 1\n")
    with serving(page) as server:
        spec, _ = spec_and_info(find(server, "#a_kwh_total"))
        source = open_source(spec)
        page.reply = Reply("a_kwh_total 1e305\n")
        reading = source.read(0)
    assert (reading.values, reading.flags) == ({}, ("energy_j:not_finite",))


@pytest.mark.parametrize("stamp", ["9" * 400, "1e18", "nan", "inf", "-5"])
def test_a_stamp_of_no_clock_is_a_malformed_page(stamp: str) -> None:
    with serving(f"a_watts 1 {stamp}\n") as server:
        assert "malformed" in find(server, "#a_watts").why


def test_a_fresh_stamp_is_the_drivers() -> None:
    page = Changing(f"b_watts 5 {round((EPOCH_S - 2) * 1e3)}\n")
    with serving(page) as server:
        spec, _ = spec_and_info(find(server, "#b_watts"))
        assert open_source(spec).read(0).t_driver_ns == round((EPOCH_S - 2) * 1e9)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("other 1\n"), "series_absent"),
        (Reply("", 503), "http_503"),
        (Reply(gone=True), "closed"),
        (Reply("<html>"), "not_metrics"),
        (Reply("b_watts five\n"), "malformed_page"),
    ],
)
def test_a_page_that_is_gone_is_a_lost_source(reply: Reply, reason: str) -> None:
    page = Changing("b_watts 5\n")
    with serving(page) as server:
        spec, _ = spec_and_info(find(server, "#b_watts"))
        source = open_source(spec)
        page.reply = reply
        with pytest.raises(SourceLost, match=reason):
            source.read(0)
        page.reply = Reply("b_watts 6\n")
        assert source.read(0).values == {"power_w": 6}


def test_an_exporter_that_renews_rarely_says_how_old_its_values_may_be() -> None:
    with serving("b_watts 5\nkepler_node_cpu_watts 7\nscaph_host_power_microwatts 7\n") as server:
        assert spec_and_info(find(server, "#b_watts"))[1].value_age_s == 1
        assert spec_and_info(find(server, "#b_watts?interval_s=15"))[1].value_age_s == 15
        _, info = spec_and_info(find(server, "#kepler_node_cpu_watts", says_interval=False))
        assert (info.value_age_s, info.power_window_s) == (5, 5)
        _, info = spec_and_info(find(server, "#kepler_node_cpu_watts?interval_s=10"))
        assert (info.value_age_s, info.power_window_s) == (10, 10)
        _, info = spec_and_info(find(server, "#b_watts?window_s=4&interval_s=0"))
        assert (info.value_age_s, info.power_window_s) == (0, 4)


def test_how_often_an_unknown_exporter_renews_is_not_guessed() -> None:
    page = (
        "homeassistant_sensor_energy_kwh 5\nb_watts 5\nkepler_node_cpu_joules_total 7\n"
        "node_rapl_package_joules_total 8\n"
    )
    with serving(page) as server:
        for rest in (
            "#homeassistant_sensor_energy_kwh?type=counter&scope=wall",
            "#b_watts",
            "#kepler_node_cpu_joules_total?power=b_watts",
        ):
            finding = find(server, rest, says_interval=False)
            assert finding.spec is None
            assert "how old a value may be" in finding.why
            assert "interval_s=" in finding.fix
        assert find(server, "#node_rapl_package_joules_total", says_interval=False).spec is not None


def test_label_values_may_hold_signs_of_the_grammar() -> None:
    with serving('b_watts{path="/a?b=c&d"} 5\n') as server:
        assert find(server, '#b_watts{path="/a%3Fb=c&d"}').spec is not None
