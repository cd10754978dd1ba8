"""The picture of a load: phases that never overlap, counts that are the client's and the engine's own."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

from doubles import loaded_views, run_views
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.report.buckets import MAX_POINTS
from joulemark.report.course_rows import Placement
from joulemark.report.loaded_course import course_notes, loaded_course_chart
from joulemark.report.loaded_course_rows import (
    DRAIN,
    IN_FLIGHT,
    LEAD,
    RAMP,
    RUNNING,
    SETTLING,
    STEADY,
    count_rows,
    memory_rows,
    power_limit,
    stretches,
)
from joulemark.report.theme import NARROW_PX, WIDE_PX

S = 1_000_000_000


def with_load(view, **changes):
    load = view.manifest.load.model_copy(update=changes)
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update={"load": load}))


def layers(picture, panel):
    return picture.chart.to_dict()["vconcat"][panel]["layer"]


def test_the_phases_follow_one_another_and_the_steady_one_is_the_window():
    view = loaded_views.closed()
    found = stretches(view)
    assert [one.phase for one in found] == [LEAD, SETTLING, STEADY, DRAIN]
    assert all(a.t1 == b.t0 for a, b in pairwise(found))
    steady = found[2]
    assert (steady.segment, steady.t0, steady.t1) == tuple(view.steady.window.part)
    assert found[3].t1 == max(item.t_end for item in view.items)


def test_without_a_steady_state_there_is_no_steady_stretch():
    found = [one.phase for one in stretches(loaded_views.refused())]
    assert STEADY not in found
    assert found == [LEAD, SETTLING, DRAIN]
    text = loaded_course_chart(loaded_views.refused(), WIDE_PX).data["bands"]
    assert "measured, never steady" in {row["what"] for row in text}


def test_a_ramp_is_a_phase_of_its_own():
    first = stretches(with_load(loaded_views.closed(), ramp_s=0.05))[0]
    assert (first.phase, first.t1 - first.t0) == (RAMP, 0.05 * S)


def test_counts_are_the_clients_and_the_engines():
    view = loaded_views.closed()
    rows = count_rows(view, Placement(view))
    by = {who: [row["n"] for row in rows if row["who"] == who] for who in {row["who"] for row in rows}}
    assert max(by[IN_FLIGHT]) == loaded_views.CONCURRENCY
    assert max(by[RUNNING]) == loaded_views.MAX_BATCH
    assert set(by) == {IN_FLIGHT, RUNNING}
    bare = dataclasses.replace(view, engine_gauges=())
    assert {row["who"] for row in count_rows(bare, Placement(bare))} == {IN_FLIGHT}


def test_a_long_run_is_thinned_and_keeps_its_peak():
    view = loaded_views.closed()
    t0 = min(item.t_sent for item in view.items)
    t1 = max(item.t_end for item in view.items)
    t_ns = np.linspace(t0, t1, 50_000).astype(np.int64)
    value = np.full(len(t_ns), 3.0)
    value[31_234] = 99.0
    gauge = EngineGauge("requests_waiting", 0, t_ns, value)
    busy = dataclasses.replace(view, engine_gauges=(*view.engine_gauges, gauge))
    rows = count_rows(busy, Placement(busy))
    assert len(rows) <= MAX_POINTS
    assert max(row["n"] for row in rows) == 99.0
    load = SegmentLoad.of(0, view.items, {})
    assert len(load.in_flight.t_ns) > 100


def test_the_share_of_the_limit_is_a_scale_only_where_one_limit_is_known():
    view = loaded_views.closed()
    assert power_limit(view).power_w == loaded_views.LIMIT_W
    rule = layers(loaded_course_chart(view, WIDE_PX), 1)[-1]
    low, high = rule["encoding"]["y"]["scale"]["domain"]
    watts = layers(loaded_course_chart(view, WIDE_PX), 1)[1]["encoding"]["y"]["scale"]["domain"]
    assert low == 0
    assert high == pytest.approx(100 * watts[1] / loaded_views.LIMIT_W)
    assert any("power limit of gpu:0, 700 W" in note for note in course_notes(view))

    def limited(*limits):
        devices = [run_views.device(k, power_limit_w=limit) for k, limit in enumerate(limits)]
        lines = [dataclasses.replace(view.timelines[0], scope=f"gpu:{k}") for k in range(len(limits))]
        manifest = view.manifest.model_copy(update={"devices": devices})
        return dataclasses.replace(view, manifest=manifest, timelines=tuple(lines))

    assert power_limit(limited(None)) is None
    assert power_limit(limited(700, 350)) is None
    assert power_limit(limited(350, 350)).scope == "gpu:0 and gpu:1"
    panel = layers(loaded_course_chart(limited(None), WIDE_PX), 1)
    assert not any(layer["encoding"].get("y", {}).get("field") == "share" for layer in panel)


def test_memory_and_the_rest_add_up_to_the_board():
    view = loaded_views.with_memory()
    rows = memory_rows(view, Placement(view))
    memory = {row["s"]: row for row in rows if row["of"] == "memory"}
    rest = {row["s"]: row for row in rows if row["of"] == "the rest"}
    board = dict(zip(view.timelines[0].t_ns.tolist(), view.timelines[0].power_w.tolist(), strict=True))
    assert memory
    assert memory.keys() == rest.keys()
    tops = sorted(row["hi"] for row in rest.values())
    assert set(tops) <= set(board.values())
    for s, row in memory.items():
        assert row["lo"] == 0
        assert row["hi"] == rest[s]["lo"] == pytest.approx(0.2 * rest[s]["hi"])


def test_nothing_is_parted_without_a_meter_of_the_memory():
    view = loaded_views.closed()
    assert memory_rows(view, Placement(view)) == []
    other = loaded_views.with_memory()
    elsewhere = [
        m if m.source.name == "nvml:0" else m.model_copy(update={"scope": "wall/psu/gpu:1/memory"})
        for m in other.manifest.meters
    ]
    manifest = other.manifest.model_copy(update={"meters": elsewhere})
    foreign = dataclasses.replace(other, manifest=manifest)
    assert memory_rows(foreign, Placement(foreign)) == []


def test_memory_is_not_read_off_across_a_hole():
    view = loaded_views.with_memory()
    board, memory = view.timelines
    gap = (memory.t_ns < memory.t_ns[20]) | (memory.t_ns > memory.t_ns[20] + 4 * S)
    holed = dataclasses.replace(memory, t_ns=memory.t_ns[gap], power_w=memory.power_w[gap])
    view = dataclasses.replace(view, timelines=(board, holed))
    place = Placement(view)
    begin, end = (place.seconds(0, int(t)) for t in (memory.t_ns[20], memory.t_ns[20] + 4 * S))
    assert not any(begin <= row["s"] <= end for row in memory_rows(view, place))


@pytest.mark.parametrize("px", [WIDE_PX, NARROW_PX])
@pytest.mark.parametrize(
    "make", [loaded_views.closed, loaded_views.refused, loaded_views.with_memory, loaded_views.poisson]
)
def test_the_picture_keeps_the_grammar(make, px):
    assert loaded_course_chart(make(), px).chart.to_dict()


def test_without_power_the_requests_are_drawn_alone():
    view = dataclasses.replace(loaded_views.closed(), timelines=())
    assert len(loaded_course_chart(view, WIDE_PX).chart.to_dict()["vconcat"]) == 2
