"""What a device may write, and what is made of it."""

from __future__ import annotations

import contextlib
import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.meters.http.answer import Answer
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.plugs.payload import json_object, json_value, member, number, number_in, plain


def body(text: str | bytes) -> Answer:
    return Answer(200, {}, text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize(
    "text",
    [
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": -Infinity}',
        '{"a": ' + "9" * 40 + "}",
        '{"a": 0.' + "1" * 40 + "}",
        '{"a": 1e999999999999}',
        '{"a": 1e-400}',
        "[" * 60_000,
        '{"a":' * 30 + "1" + "}" * 30,
        "<html>no</html>",
        "",
        b"\xff\xfe",
        '{"a": 1',
    ],
)
def test_what_is_no_reading_is_refused(text: str | bytes) -> None:
    with pytest.raises(Unanswered, match="not_json"):
        json_object(body(text))


def test_only_an_object_is_an_object() -> None:
    assert json_value(body("[1]")) == [1]
    with pytest.raises(Unanswered, match="not_json"):
        json_object(body("[1]"))


def test_brackets_in_texts_are_no_depth() -> None:
    assert json_object(body('{"a": "' + "[" * 100 + '\\"{"}')) == {"a": "[" * 100 + '"{'}


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    with contextlib.suppress(Unanswered):  # nothing else may come out
        json_value(body(data))


def test_the_written_digits_are_kept() -> None:
    value = number(json_object(body('{"Total": 3.700}'))["Total"])
    assert str(value) == "3.700"


@pytest.mark.parametrize("value", ["3.7", None, True, False, [1], {"a": 1}, 10**15, -(10**16), 1.5])
def test_only_a_json_number_of_a_meters_size_is_a_number(value: object) -> None:
    assert number(value) is None


@pytest.mark.parametrize(
    "text", ["", "unavailable", "nan", "inf", "1_000", "0x10", "1,5", "١٢", "12 W", "1e99", "9" * 40, "--1"]
)
def test_text_that_is_no_plain_number_is_none(text: str) -> None:
    assert number_in(text) is None


def test_text_that_is_a_number_is_one() -> None:
    assert number_in(" 12.50 ") == Decimal("12.50")
    assert number_in("-3e2") == -300


@settings(deadline=None)
@given(st.text(max_size=50))
def test_any_text_is_a_finite_number_or_none(text: str) -> None:
    value = number_in(text)
    assert value is None or (math.isfinite(value) and abs(value) < 10**15)


def test_members_of_what_is_no_object_are_null() -> None:
    assert member({"a": {"b": 1}}, "a", "b") == 1
    for content in ({"a": 1}, {"a": None}, {}, [], None, "a"):
        assert member(content, "a", "b") is None


def test_a_device_may_name_its_model_and_nothing_else() -> None:
    assert plain("SNPL-00112EU") == "SNPL-00112EU"
    for text in ("a\nb", "\x1b[31m", "x" * 41, "", 7, None, "Küche"):
        assert plain(text) is None
