"""The language of a grid: what it computes, what it refuses, and that nothing else comes out of it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.record.errors import InputError
from joulemark.sweeps.expression import read_expression

SETTINGS = {"tensor_parallel": 4, "gpu": "A100", "prefix_cache": False, "rate": 0.5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("tensor_parallel > 2 and gpu == 'A100'", True),
        ("tensor_parallel > 2 and gpu == 'H100'", False),
        ("not prefix_cache or gpu != 'A100'", True),
        ("2 < tensor_parallel <= 4", True),
        ("2 < tensor_parallel < 4", False),
        ("gpu in ['A100', 'H100']", True),
        ("gpu not in ['A100']", False),
        ("max(60, 8 * tensor_parallel)", 60),
        ("min(60, 20 * tensor_parallel) + 1", 61),
        ("-tensor_parallel // 3", -2),
        ("tensor_parallel % 3 / 2", 0.5),
        ("round(rate * 5)", 2),
        ("prefix_cache == false", True),
        ("prefix_cache == False", True),
        ("missing == null", True),
        ("missing is_not", None),
    ],
)
def test_what_it_computes(text: str, value: object) -> None:
    if value is None:
        with pytest.raises(InputError):
            read_expression(text)
        return
    assert read_expression(text).value(SETTINGS) == value


def test_a_size_of_what_is_not_there_is_no_reason_to_skip() -> None:
    assert read_expression("missing > 2").holds(SETTINGS) is False
    assert read_expression("missing > 2 or tensor_parallel == 4").holds(SETTINGS) is True
    with pytest.raises(InputError):
        read_expression("max(60, 8 * missing)").value(SETTINGS)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "gpu.upper()",
        "[x for x in gpu]",
        "lambda: 1",
        "9 ** 9 ** 9",
        "gpu[0]",
        "open('x')",
        "print(gpu)",
        "max(gpu, key=len)",
        "f'{gpu}'",
        "1 if gpu else 2",
        "(a := 3)",
        "",
        "1 +",
        "gpu = 'A100'",
        "b'x' == gpu",
        "1j",
        "x" * 2000,
    ],
)
def test_what_is_not_in_the_language_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_expression(text)


def test_a_name_that_there_is_not_is_refused_with_the_one_that_was_meant() -> None:
    expression = read_expression("tensor_paralel > 2")
    with pytest.raises(InputError, match="did you mean tensor_parallel"):
        expression.require_names(frozenset(SETTINGS))


@pytest.mark.parametrize(
    "text", ["'a' < 1", "1 / 0", "gpu * 3", "1e300 * 1e300", "max('a', 2)", "rate in 3", "-gpu"]
)
def test_what_cannot_be_computed_is_an_error_of_ours(text: str) -> None:
    with pytest.raises(InputError):
        read_expression(text).value(SETTINGS)


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=300)
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        expression = read_expression(text)
        expression.holds(SETTINGS)
        expression.value(SETTINGS)
    except InputError:
        pass


_OPERANDS = st.sampled_from(["1", "2.5", "'a'", "gpu", "rate", "missing", "true", "[1, 2]"])


@given(
    st.recursive(
        _OPERANDS,
        lambda inner: st.tuples(
            inner, st.sampled_from(["+", "*", "-", "/", "%", "==", "<", "in", "and", "or"]), inner
        ).map(lambda three: f"({' '.join(three)})"),
        max_leaves=12,
    )
)
@settings(deadline=None, max_examples=300)
def test_any_mixture_of_its_forms_has_a_value_or_is_refused(text: str) -> None:
    expression = read_expression(text)
    for evaluate in (expression.value, expression.holds):
        with contextlib.suppress(InputError):
            evaluate(SETTINGS)
