"""Loads as they are made, and what does not go together."""

from __future__ import annotations

import pytest

from joulemark.load.arrivals import Arrivals
from joulemark.load.lengths import RequestLengths
from joulemark.load.shape import LoadShape
from joulemark.load.trace import Row, Trace
from joulemark.record.errors import InputError

TRACE = Trace("Azure.csv", "0123456789abcdef0123", tuple(Row(t, RequestLengths(5, 5)) for t in (0, 100, 700)))


def test_a_replay_is_the_trace_sped_up() -> None:
    shape = LoadShape.replay(TRACE, speed=2.0, cap=7, lead_requests=1)
    facts = shape.facts
    assert (facts.mode, facts.trace, facts.trace_speed) == ("trace", "Azure.csv@0123456789abcdef", 2.0)
    assert (facts.concurrency, facts.n_requests, facts.lead_requests) == (7, 2, 1)
    assert shape.offsets_ns(3).tolist() == [0, 50, 350]
    assert shape.timed


def test_a_replay_has_a_request_to_count_and_a_speed() -> None:
    with pytest.raises(InputError, match="--requests 0"):
        LoadShape.replay(TRACE, lead_requests=3)
    with pytest.raises(InputError, match="--trace-speed"):
        LoadShape.replay(TRACE, speed=0.0)


@pytest.mark.parametrize("beside", [{"ramp_s": 3.0}, {"arrivals": Arrivals("poisson", 5.0)}])
def test_a_trace_has_its_own_times(beside: dict[str, object]) -> None:
    with pytest.raises(InputError, match="own times") as refused:
        LoadShape("trace", None, trace="a@1", trace_speed=1.0, trace_ns=(0, 1), **beside)  # type: ignore[arg-type]
    assert refused.value.fix
