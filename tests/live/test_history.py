"""The growing journal in columns says the same as the journal read as a whole."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joulemark.live.history import History
from joulemark.record.energy import Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.interval import energy_between
from joulemark.telemetry.journal import TelemetryJournal, encode_reading
from joulemark.telemetry.timeline import Timeline
from joulemark.telemetry.wire import MARKER_SOURCE, SAMPLER_LOST

FLAGS = ("gap", "slept", "lost:gpu_is_lost", "energy_j:stale", "power_w:not_finite")

readings = st.lists(
    st.builds(
        lambda t, name, values, flags, read: Reading(0, t, name, "wall/psu/gpu:0", values, read, flags=flags),
        st.integers(0, 10**9),
        st.sampled_from(["a", "b", MARKER_SOURCE]),
        st.dictionaries(st.sampled_from(["energy_j", "power_w", "rss_mib"]), st.floats(0, 1e6), max_size=3),
        st.lists(st.sampled_from([*FLAGS, SAMPLER_LOST]), max_size=3, unique=True).map(tuple),
        st.integers(0, 10**6),
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(readings, st.lists(st.integers(0, 40), max_size=4))
def test_read_in_pieces_or_at_once(tmp_path: Path, rows: list[Reading], cuts: list[int]) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"")
    history = History(path)
    places = sorted({0, len(rows), *(min(cut, len(rows)) for cut in cuts)})
    for a, b in pairwise(places):
        with path.open("ab") as file:
            file.writelines(map(encode_reading, rows[a:b]))
        history.refresh()
    history.close()
    mine, theirs = history.timeline(0, 10**9, {}), Timeline.from_readings(rows)
    assert mine.tracks.keys() == theirs.tracks.keys()
    assert sorted(mine.sampler_lost_ns.get(0, [])) == sorted(theirs.sampler_lost_ns.get(0, []))
    for key, track in theirs.tracks.items():
        other = mine.tracks[key]
        assert np.array_equal(other.t_ns, track.t_ns)
        assert np.array_equal(other.begin_ns, track.begin_ns)
        for name, values in track.values.items():
            assert np.array_equal(other.values[name], values, equal_nan=True)
        for place in range(len(track.t_ns)):
            assert set(other.flags_of(int(other.flag_bits[place]))) == set(
                track.flags_of(int(track.flag_bits[place]))
            )


def row(t_ns: int, energy_j: float, source: str = "a", flags: tuple[str, ...] = ()) -> Reading:
    return Reading(0, t_ns, source, "wall", {"energy_j": energy_j}, read_ns=10, flags=flags)


def test_a_line_that_is_half_there_waits_for_its_rest(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    line = encode_reading(row(100, 1.0))
    path.write_bytes(line + line[:20])
    history = History(path)
    history.refresh()
    assert len(history.timeline(0, 200, {}).tracks[0, "a"].t_ns) == 1
    with path.open("ab") as file:
        file.write(line[20:] + b"no reading\n")
    history.refresh()
    assert len(history.timeline(0, 200, {}).tracks[0, "a"].t_ns) == 2


def test_what_is_forgotten_is_gone_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(encode_reading(row(t, t / 10)) for t in range(0, 1000, 100)))
    history = History(path)
    history.refresh()
    history.forget(500)
    track = history.timeline(0, 1000, {}).tracks[0, "a"]
    assert list(track.t_ns) == [500, 600, 700, 800, 900]
    assert list(track.values["energy_j"]) == [50.0, 60.0, 70.0, 80.0, 90.0]


def test_a_margin_is_by_source(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    lines = [encode_reading(row(t, 1.0, name)) for t in range(0, 1000, 100) for name in "ab"]
    path.write_bytes(b"".join(lines))
    history = History(path)
    history.refresh()
    tracks = history.timeline(400, 500, {"a": 0, "b": 200}).tracks
    assert list(tracks[0, "a"].t_ns) == [400, 500]
    assert list(tracks[0, "b"].t_ns) == [200, 300, 400, 500, 600, 700]


def test_when_a_counter_has_moved_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(encode_reading(row(*one)) for one in [(100, 1.0), (200, 2.0), (300, 2.0)]))
    history = History(path)
    history.refresh()
    assert history.changed_after("a", "energy_j", 0)
    assert not history.changed_after("a", "energy_j", 95)  # the first of those reads had begun before
    assert not history.changed_after("a", "power_w", 0)
    assert history.last_begin_ns("a", "energy_j") == 290
    assert history.last_begin_ns("nobody", "energy_j") is None
    assert not history.lost_after("a", 0)


def test_a_lost_source_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(encode_reading(row(100, 1.0)) + encode_reading(row(200, 1.0, flags=("lost:gone",))))
    history = History(path)
    history.refresh()
    assert history.lost_after("a", 150)
    assert not history.lost_after("a", 250)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux makes holes in files this way")
def test_blocks_that_were_read_are_given_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = TelemetryJournal(path)
    journal.append(row(t, float(t)) for t in range(40_000))
    history = History(path)
    history.refresh()
    before = path.stat()
    history.give_back()
    after = path.stat()
    assert after.st_size == before.st_size
    if after.st_blocks == before.st_blocks:
        pytest.skip("this file system keeps the blocks")
    assert after.st_blocks < before.st_blocks / 10
    journal.append([row(50_000, 7.0)])
    journal.close()
    history.refresh()
    assert history.latest["a"].t_ns == 50_000
    assert len(history.timeline(0, 50_000, {}).tracks[0, "a"].t_ns) == 40_001


def test_a_journal_gives_the_same_verdict_read_live_or_as_a_whole(tmp_path: Path) -> None:
    """Everything that the arithmetic asks for is kept: here the power limit tells that a jump is one."""
    info = SourceInfo(
        "nvml:0",
        "nvml",
        Scope.module(0),
        ("energy_j", "power_w", "power_limit_w"),
        counter_quantum_j=1e-3,
        power_window_s=0.0,
    )
    source = QualifiedSource(info, Qualification(Trust.QUALIFIED, None, 0.1, 0.12, poll_period_s=0.2))
    second, rows, joules = 10**9, [], 0.0
    for i in range(300):
        joules += 60 * 0.2 + (1500 if i == 150 else 0)
        values = {"energy_j": joules, "power_w": 60.0, "power_limit_w": 300.0}
        rows.append(Reading(0, i * second // 5, info.name, info.scope.path, values))
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(map(encode_reading, rows)))
    history = History(path)
    history.refresh()
    live, whole = history.timeline(0, 60 * second, {}), Timeline.from_journal(path)
    for t0_s, t1_s in [(10, 55), (2, 28), (32, 58)]:
        energies = [energy_between(one, source, 0, t0_s * second, t1_s * second) for one in (live, whole)]
        assert energies[0] == energies[1]
    across = energy_between(live, source, 0, 10 * second, 55 * second)
    assert isinstance(across, Withheld)
    assert across.reason is Reason.COUNTER_IMPLAUSIBLE
