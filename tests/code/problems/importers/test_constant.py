from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.inside.plain import Linked, Tree
from joulemark.code.problems.importers.constant import NotConstant, constant_of

_ATOMS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
_VALUES = st.recursive(
    _ATOMS, lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner)
)


@given(_VALUES)
def test_what_python_writes_is_read_as_python_reads_it(value: object) -> None:
    text = repr(value)
    assert constant_of(text) == ast.literal_eval(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-1", -1),
        ("2 ** 31 - 1", 2**31 - 1),
        ("3 * 19 * 3", 171),
        ("'ab' * 3 + 'c'", "abababc"),
        ("[0] * 4", [0, 0, 0, 0]),
        ("(1, 2)[:0]", ()),
        ("set()", set()),
        ("frozenset([1])", frozenset([1])),
        ("list(range(3))", [0, 1, 2]),
        ("[(a, b + 1) for a, b in ((0, 2), (0, 3))]", [(0, 3), (0, 4)]),
        ("float('inf')", math.inf),
        ("1 + 2j", 1 + 2j),
        ("ListNode(1, ListNode(2))", Linked((1, 2))),
        ("ListNode(val=1, next=None)", Linked((1,))),
        ("TreeNode(1, TreeNode(2, None, TreeNode(4)), TreeNode(3))", Tree((1, 2, 3, None, 4))),
        ("TreeNode(1, None, TreeNode(2, TreeNode(3), TreeNode(4)))", Tree((1, None, 2, 3, 4))),
        ("TreeNode(5)", Tree((5,))),
    ],
)
def test_constant_expressions_have_their_values(text: str, value: object) -> None:
    found = constant_of(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "print(1)",
        "__import__('os')",
        "(lambda: 1)()",
        "...",
        "[x for x in y]",
        "[1 for _ in range(10 ** 8)]",
        "[[0 for _ in range(2000)] for _ in range(2000)]",
        "list(range(10 ** 9))",
        "10 ** 10 ** 10",
        "2 ** 10 ** 9",
        "9 ** 9 ** 9 ** 9",
        "(10 ** 5000) * (10 ** 15000)",
        "'a' * 10 ** 9",
        "[0] * 10 ** 9",
        "[[0] * 10 ** 6] * 10 ** 6 * 10",
        "1 / 0",
        "0 ** -1",
        "{[]: 1}",
        "{[]}",
        "{**{}}",
        "f'{1}'",
        "'a' - 1",
        "-'a'",
        "[1][0]",
        "ListNode(1, 2)",
        "TreeNode(1, 2)",
        "float('ten')",
        "1 if 1 else 2",
        "(" * 150 + "1" + ",)" * 150 + "; 1",
        "[" * 210 + "]" * 210,
        "-" * 100_000 + "1",
        "1+" * 100_000 + "1",
        "9" * 5000,
        "",
        "1\x00",
        "\ud800",
    ],
)
def test_everything_else_is_refused_soon(text: str) -> None:
    with pytest.raises(NotConstant):
        constant_of(text)
