"""Our JSON is that of RFC 8785, as another implementation writes it."""

from __future__ import annotations

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from joulemark.bundles.submission.canonical import canonical, parse

_NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
_KEYS = st.text(st.characters(max_codepoint=126), max_size=6)
_JSON = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(_JSON)
def test_it_is_what_the_reference_writes(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(_NUMBERS)
def test_a_number_comes_back_as_it_was(value: float) -> None:
    assert float(parse(canonical([value]))[0]) == float(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53 + 1, {"ä": 1}, {1: 2}, b"x", "\ud800", {1}]
)
def test_what_has_no_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical(value)


@pytest.mark.parametrize(
    "data",
    [b'{"b":1,"a":2}', b"[1 ]", b"[1.0]", b"[1e2]", b"[-0]", b'{"a":1,"a":1}',
     b"[NaN]", b"[01]", b"", b"\xff",
     b"[", b'["\\u0041"]', b"[[[[[[[1]]]]]]]", b"[9007199254740993]"],
)  # fmt: skip
def test_another_spelling_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(data)
