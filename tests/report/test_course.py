import dataclasses

import pytest

from doubles import run_views
from doubles.run_views import T0, S, item
from joulemark.record.manifest import Window
from joulemark.report.course import Placement, course_chart
from joulemark.report.item_cost import item_costs


def test_segments_stand_side_by_side_and_never_mix_their_clocks():
    later = item(1, start_s=-4000.0, segment=1)
    windows = [
        Window(name="measure", segment=0, t0=T0, t1=T0 + 10 * S),
        Window(name="measure", segment=1, t0=later.t_sent, t1=later.t_sent + 5 * S),
    ]
    view = dataclasses.replace(
        run_views.without_meter(), items=(item(0), later), manifest=run_views.manifest(windows=windows)
    )
    place = Placement(view)
    assert place.seconds(0, T0) == 0.0
    assert place.seconds(0, T0 + 10 * S) == 10.0
    assert place.seconds(1, later.t_sent) == 11.0
    assert place.end_s == 16.0
    assert 2 not in place


def test_the_course_holds_every_request_and_keeps_gaps_as_gaps():
    view = run_views.with_counter()
    data = course_chart(view, 600).data
    assert len(data["requests"]) == len(view.measured_items)
    watts = [row["w"] for row in data["power"]]
    assert None in watts
    assert len(watts) <= 2000
    assert {row["what"] for row in data["bands"]} == {"warmup", "measure"}


def test_items_cost_the_best_unit_there_is():
    metered = run_views.with_counter()
    assert item_costs(metered).axis == "joules"
    assert len(item_costs(metered).points) == 60
    bare = run_views.without_meter()
    assert item_costs(bare).axis == "CPU seconds"
    timed = item_costs(dataclasses.replace(bare, item_cpu_seconds={}))
    assert timed.axis == "seconds"
    first = bare.measured_items[0]
    assert timed.points[0]["cost"] == pytest.approx((first.t_end - first.t_begin) / 1e9)


def test_items_without_energy_are_counted_not_drawn_at_zero():
    view = run_views.with_counter()
    lost = dataclasses.replace(view.attributions[0], joules=None, lo=None, hi=None)
    costs = item_costs(dataclasses.replace(view, attributions=(lost, *view.attributions[1:])))
    assert costs.n_without == 1
    assert costs.points[0]["order"] == 2
    assert min(point["cost"] for point in costs.points) > 0
