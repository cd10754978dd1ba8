"""A recorded trace played back, with every fault that a meter can have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.meters.discovery import discover, open_source
from joulemark.meters.notes import REPLAYED, has_note
from joulemark.meters.replay import ReplaySource, replay_spec
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.meters.trace import load_trace
from joulemark.record.clock import VirtualClock
from joulemark.record.errors import InputError

CSV = "t_s,energy_j,power_w\n0.0,100.0,50\n0.1,105.0,50\n0.2,110.0,\n0.3,115.0,60\n"


def written(directory: Path, text: str, name: str = "trace.csv") -> Path:
    path = directory / name
    path.write_text(text)
    return path


def rows(*parts: dict[str, object]) -> str:
    return "".join(json.dumps(part) + "\n" for part in parts)


def playing(path: Path, **settings: bool) -> tuple[ReplaySource, VirtualClock]:
    clock = VirtualClock(1_000)
    source = open_source(replay_spec(path, **settings), clock)
    assert isinstance(source, ReplaySource)
    return source, clock


def test_rows_hold_until_the_next(tmp_path: Path) -> None:
    source, clock = playing(written(tmp_path, CSV))
    seen = []
    for _ in range(7):
        seen.append(source.read(0).values.get("energy_j"))
        clock.sleep_s(0.05)
    assert seen == [100.0, 100.0, 105.0, 105.0, 110.0, 110.0, 115.0]


def test_everything_it_says_is_marked(tmp_path: Path) -> None:
    source, _ = playing(written(tmp_path, CSV))
    assert has_note(source.info, REPLAYED)
    assert source.info.kind == "replay"
    assert source.info.name == "replay:trace"
    assert REPLAYED in source.read(0).flags


def test_an_empty_cell_is_a_missing_value(tmp_path: Path) -> None:
    source, clock = playing(written(tmp_path, CSV))
    clock.sleep_s(0.2)
    assert source.read(0).values == {"energy_j": 110.0}


def test_it_ends_unless_it_loops(tmp_path: Path) -> None:
    path = written(tmp_path, CSV)
    source, clock = playing(path)
    clock.sleep_s(0.31)
    with pytest.raises(SourceLost, match="ended"):
        source.read(0)
    source, clock = playing(path, loop=True)
    clock.sleep_s(0.3 * 3 + 0.15)
    assert source.read(0).values["energy_j"] == pytest.approx(100 + 3 * 15 + 5)


def test_wrap_reset_freeze_and_backwards_are_just_rows(tmp_path: Path) -> None:
    values = [90.0, 5.0, 10.0, 10.0, 7.0, 0.0]
    text = "# counter_modulus_j = 100\nt_s,energy_j\n" + "".join(f"{n},{v}\n" for n, v in enumerate(values))
    source, clock = playing(written(tmp_path, text))
    assert (source.info.counter_modulus_j, source.info.counter_wraps) == (100.0, True)
    seen = []
    for _ in values:
        seen.append(source.read(0).values["energy_j"])
        clock.sleep_s(1.0)
    assert seen == values


def test_a_loop_of_a_wrapping_counter_stays_below_its_modulus(tmp_path: Path) -> None:
    text = "# counter_modulus_j = 100\nt_s,energy_j\n0,80\n1,95\n2,10\n3,20\n"
    source, clock = playing(written(tmp_path, text), loop=True)
    last_j, total_j = source.read(0).values["energy_j"], 0.0
    for _ in range(60):
        clock.sleep_s(0.5)
        now_j = source.read(0).values["energy_j"]
        assert 0 <= now_j < 100
        total_j += (now_j - last_j) % 100
        last_j = now_j
    assert total_j == pytest.approx(10 * 40.0)


def test_gap_and_loss(tmp_path: Path) -> None:
    text = rows(
        {"info": {"scope": "wall/psu/psys/package:0", "power_max_w": 125.0}},
        {"t_ns": 0, "values": {"energy_j": 1.0}},
        {"t_ns": 10, "fault": "gap"},
        {"t_ns": 20, "values": {"energy_j": 2.0}, "flags": ["power_w:not_ready"]},
        {"t_ns": 30, "fault": "lost"},
    )
    source, clock = playing(written(tmp_path, text, "trace.jsonl"))
    assert source.info.scope.kind == "package"
    assert source.info.power_max_w == 125.0
    assert source.read(0).values == {"energy_j": 1.0}
    clock.sleep_s(1.5e-8)
    reading = source.read(0)
    assert reading.values == {}
    assert "energy_j:gap" in reading.flags
    clock.sleep_s(0.6e-8)
    assert source.read(0).flags == (REPLAYED, "power_w:not_ready")
    clock.sleep_s(1e-8)
    with pytest.raises(SourceLost, match="lost"):
        source.read(0)


def test_one_source_of_a_telemetry_journal(tmp_path: Path) -> None:
    text = rows(
        {
            "segment": 0,
            "t_ns": 100,
            "source": "nvml:0",
            "scope": "wall/psu/gpu:0",
            "values": {"power_w": 1.0},
        },
        {
            "segment": 0,
            "t_ns": 150,
            "source": "nvml:1",
            "scope": "wall/psu/gpu:1",
            "values": {"power_w": 9.0},
        },
        {
            "segment": 0,
            "t_ns": 200,
            "source": "nvml:0",
            "scope": "wall/psu/gpu:0",
            "values": {"power_w": 2.0},
        },
    )
    path = written(tmp_path, text, "telemetry.jsonl")
    assert [row.values["power_w"] for row in load_trace(path).rows] == [1.0, 2.0]
    second = load_trace(path, "nvml:1")
    assert [row.values["power_w"] for row in second.rows] == [9.0]
    assert second.info.scope == "wall/psu/gpu:1"
    with pytest.raises(InputError, match="nvml:7"):
        load_trace(path, "nvml:7")


def test_two_processes_can_share_one_time_line(tmp_path: Path) -> None:
    spec = replay_spec(written(tmp_path, CSV))
    spec = SourceSpec(spec.kind, {**spec.args, "start_ns": 0})
    assert open_source(spec, VirtualClock(250_000_000)).read(0).values["energy_j"] == 110.0


def test_discovery_says_what_it_is(tmp_path: Path) -> None:
    (finding,) = discover([f"replay:{written(tmp_path, CSV)}"])
    assert finding.spec is not None
    assert finding.info is not None
    assert "recorded earlier" in finding.measures


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "", "no row"),
        ("a.csv", "t_s,energy_j\n", "no row"),
        ("a.csv", "energy_j\n1\n", "t_s"),
        ("a.csv", "t_s,energy_j\n0,1,2\n", "line 2"),
        ("a.csv", "t_s,energy_j\n0,one\n", "'one' is no number"),
        ("a.csv", "t_s,energy_j\n0,nan\n", "not finite"),
        ("a.csv", "t_s,joules\n0,1\n", "'joules' is no quantity"),
        ("a.csv", "t_s,energy_j\n1,1\n0,2\n", "backwards"),
        ("a.csv", "# colour = red\nt_s,energy_j\n1,1\n", "colour"),
        ("a.jsonl", "{", "not JSON"),
        ("a.jsonl", "[]\n", "not a JSON object"),
        ("a.jsonl", '{"values": {}}\n', "t_ns"),
        ("a.jsonl", '{"t_ns": 1.5}\n', "t_ns"),
        ("a.jsonl", '{"t_ns": 1, "values": {"energy_j": null}}\n', "no number"),
        ("a.jsonl", '{"t_ns": 1, "values": {"energy_j": Infinity}}\n', "not finite"),
        ("a.jsonl", '{"t_ns": 1, "fault": "boredom"}\n', "boredom"),
        ("a.jsonl", '{"t_ns": 1, "scope": "/"}\n', "scope path"),
        ("a.jsonl", '{"t_ns": 1, "scope": "gpu:0"}\n', "wall > psu"),
        ("a.jsonl", '{"info": {"scope": "wall/gpu:0"}}\n', "wall > psu"),
        ("a.csv", "# scope = wall/psu/psu/gpu:0\nt_s,energy_j\n1,1\n", "wall > psu"),
        ("a.jsonl", "[" * 100_000, "not JSON"),
    ],
)
def test_a_malformed_trace_says_what_is_wrong(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        load_trace(written(tmp_path, text, name))
    assert words in f"{caught.value}"
    assert caught.value.fix


@pytest.mark.parametrize("make", [lambda p: p / "missing.csv", lambda p: p, lambda p: _binary(p)])
def test_a_trace_that_cannot_be_read(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError):
        load_trace(make(tmp_path))


def _binary(directory: Path) -> Path:
    path = directory / "trace.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    return path


@given(
    text=st.one_of(
        st.text(max_size=200),
        st.lists(
            st.dictionaries(
                st.sampled_from(["t_ns", "values", "flags", "fault", "source", "scope", "info"]),
                st.recursive(
                    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
                    lambda inner: (
                        st.lists(inner, max_size=2)
                        | st.dictionaries(st.sampled_from(["energy_j", "scope", "x"]), inner, max_size=2)
                    ),
                    max_leaves=4,
                ),
            ),
            max_size=4,
        ).map(lambda parts: "\n".join(json.dumps(part) for part in parts)),
    ),
    suffix=st.sampled_from([".csv", ".jsonl"]),
)
def test_any_text_is_a_trace_or_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, text: str, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        trace = load_trace(path)
    except InputError:
        return
    ReplaySource(trace, "fuzz", clock=VirtualClock())
