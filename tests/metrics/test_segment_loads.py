"""The loads of a run: made once, and anew for a copy of the run that holds something else."""

from __future__ import annotations

import dataclasses

from doubles import loaded_views
from joulemark.metrics.segment_loads import SegmentLoads


def test_a_load_is_made_once_and_an_absent_segment_is_empty() -> None:
    view = loaded_views.closed()
    assert view.loads[0] is view.loads[0]
    assert len(view.loads[0].items) == len(view.items)
    assert view.loads[7].items == ()


def test_a_run_keeps_loads_that_are_its_own_alone() -> None:
    view = loaded_views.closed()
    known = SegmentLoads(view.items, view.chunks, view.engine_gauges)
    assert dataclasses.replace(view, loads=known).loads is known
    fewer = dataclasses.replace(view, items=view.items[:1])
    assert fewer.loads[0].items == view.items[:1]
    bare = dataclasses.replace(view, engine_gauges=())
    assert view.loads[0].gauges
    assert bare.loads[0].gauges == ()
