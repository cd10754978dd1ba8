"""When more load is no use any more."""

from __future__ import annotations

import pytest

from doubles.points import point
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason
from joulemark.sweeps.saturation import flat_step, is_saturated


def at(tokens_per_s: float | Reason, e2el_s: float | None) -> OperatingPoint:
    rate = (
        withheld("tokens/s", tokens_per_s)
        if isinstance(tokens_per_s, Reason)
        else Value(tokens_per_s, "tokens/s")
    )
    waits = {} if e2el_s is None else {"e2el_mean": e2el_s}
    return point(latencies=waits, tokens_per_second=rate)


@pytest.mark.parametrize(
    ("after", "flat"),
    [
        (at(101.9, 1.1), True),
        (at(102.1, 1.1), False),  # it brought 2 %
        (at(90.0, 2.0), True),
        (at(101.0, 0.9), False),  # the waits are no longer
        (at(101.0, 1.0), False),
        (at(Reason.OVERLOADED, None), True),
        (at(Reason.CLIENT_INVALID, 2.0), None),
        (at(101.0, None), None),
    ],
)
def test_a_step_is_flat_where_it_brings_nothing_and_costs_time(
    after: OperatingPoint, flat: bool | None
) -> None:
    assert flat_step(at(100.0, 1.0), after) is flat


def test_two_flat_steps_in_a_row_are_wanted() -> None:
    rising, flat, flatter = at(100, 1.0), at(101, 2.0), at(101, 4.0)
    assert not is_saturated([rising])
    assert not is_saturated([rising, flat])
    assert is_saturated([rising, flat, flatter])
    assert is_saturated([at(50, 0.5), rising, flat, flatter])
    # one that brings more between them begins the count anew
    assert not is_saturated([rising, flat, at(150, 3.0), at(151, 6.0)])
    # nothing is concluded over a point of which nothing is known
    assert not is_saturated([rising, at(Reason.NOT_STEADY, None), flatter])
