"""Types of arguments are those of the examples, as deep as these go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.drafting.agreement import disagreement, extent, holds_opaque
from joulemark.code.inside.plain import Opaque

_KNOWN = [([1, 2], "ab", {"x": [0.5]}), ([], "", {})]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (([1], "ab"), "it makes 2 arguments, and the examples have 3"),
        (((1,), "ab", {}), "argument 1 is of type tuple, and in the examples list"),
        (([1.5], "ab", {}), "an item of argument 1 is of type float"),
        (([True], "ab", {}), "an item of argument 1 is of type bool"),
        (([1], None, {}), "argument 2 is of type NoneType"),
        (([1], "ab", {3: []}), "a key of argument 3 is of type int"),
        (([1], "ab", {"x": ["y"]}), "an item of a value of argument 3 is of type str"),
    ],
)
def test_what_differs_is_named_with_its_place(made: tuple[object, ...], says: str) -> None:
    assert says in (disagreement(_KNOWN, [made]) or "")


@pytest.mark.parametrize("made", [([7], "q", {"k": [1.0, 2]}), ([], "", {}), ([1] * 5000, "x", {"y": []})])
def test_whole_numbers_are_numbers_and_empty_lists_are_lists(made: tuple[object, ...]) -> None:
    assert disagreement(_KNOWN, [made]) is None


def test_a_place_that_no_example_reaches_is_free() -> None:
    assert disagreement([([],)], [(["anything", None],)]) is None


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(_PLAIN, min_size=1, max_size=3).map(tuple))
def test_arguments_agree_with_themselves_and_grow_by_what_is_put_beside_them(
    args: tuple[object, ...],
) -> None:
    assert disagreement([args], [args]) is None
    assert holds_opaque(args) is None
    assert holds_opaque([{"deep": (args, Opaque("Thing"))}]) == "Thing"
    assert extent((*args, "abc")) == extent(args) + 4
    assert extent(10**30) == 1
