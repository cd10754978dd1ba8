"""An operating point survives its JSON exactly."""

from __future__ import annotations

import orjson
from hypothesis import given
from hypothesis import strategies as st

from doubles.points import point
from joulemark.board.standing import point_json
from joulemark.board.standing.row_json import row_of_json, row_to_json
from joulemark.board.standing.value_json import value_of_json, value_to_json
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

from doubles.standing_rows import figure, row  # isort: skip

_numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
_texts = st.text(max_size=20)
_settings = st.dictionaries(
    _texts, st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _numbers | _texts, max_size=4
)


@st.composite
def values(draw: st.DrawFn) -> Value:
    unit = draw(st.sampled_from(["J", "s", "1"]))
    if draw(st.booleans()):
        return withheld(
            unit, draw(st.sampled_from(Reason)), detail=draw(_texts), n=draw(st.none() | st.integers(0, 99))
        )
    ends = sorted(draw(st.tuples(_numbers, _numbers, _numbers)))
    if draw(st.booleans()):
        reason = draw(st.none() | st.sampled_from(Reason))
        return Value(ends[1], unit, interval_reason=reason, detail=draw(_texts))
    kind = draw(st.sampled_from(["bound", "ci95"]))
    return Value(
        ends[1],
        unit,
        ends[0],
        ends[2],
        kind,
        interval_method=draw(_texts),
        n=draw(st.none() | st.integers(0, 9)),
    )


@given(values())
def test_a_value_survives(value: Value) -> None:
    assert value_of_json(orjson.loads(orjson.dumps(value_to_json(value)))) == value


@given(
    values(), values(), st.dictionaries(_texts, values(), max_size=3), _settings, st.lists(_texts, max_size=3)
)
def test_a_point_survives(
    energy: Value, accuracy: Value, latencies: dict[str, Value], settings: dict[str, object], notes: list[str]
) -> None:
    made = point(
        energy,
        None,
        settings=settings,
        flags=settings,
        notes=tuple(notes),
        latencies_s=latencies,
        usd=accuracy,
        questions="0123",
        mean_completion_tokens=2.5,
    )
    assert point_json.of_json(orjson.loads(orjson.dumps(point_json.to_json(made)))) == made


@given(st.none() | _numbers, _settings, st.lists(_texts, max_size=3))
def test_a_row_survives(value: float | None, settings: dict[str, object], notes: list[str]) -> None:
    made = row(joules=value, half=None, settings=settings, notes=tuple(notes), figures={"ipj": figure(None)})
    assert row_of_json(orjson.loads(orjson.dumps(row_to_json(made)))) == made
