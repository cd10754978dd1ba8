"""Pairing by item id in a keyed order."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.paired.pairing import paired
from joulemark.record.errors import InputError
from joulemark.tasks.subset import permuted


def outcomes(name: str, values: dict[str, float], **fields: object) -> Outcomes:
    made = Outcomes(name, "accuracy", np.array(list(values.values())), item_ids=tuple(values))
    return dataclasses.replace(made, **fields)  # type: ignore[arg-type]


@given(st.permutations([f"q{k}" for k in range(12)]), st.permutations([f"q{k}" for k in range(12)]))
def test_the_order_of_the_files_does_not_matter(one: list[str], other: list[str]) -> None:
    def worth(item_id: str, shift: int) -> float:
        return float((int(item_id[1:]) + shift) % 2)

    models = [
        outcomes("a", {i: worth(i, 0) for i in one}),
        outcomes("b", {i: worth(i, int(i[1:]) % 3) for i in other}),
    ]
    both = paired(models)
    assert list(both.item_ids) == permuted(one, "joulemark", lambda i: i)
    assert both.values[0].tolist() == [worth(i, 0) for i in both.item_ids]
    assert both.values[1].tolist() == [worth(i, int(i[1:]) % 3) for i in both.item_ids]
    assert both.binary


def test_items_of_one_alone_are_left_out_and_counted() -> None:
    both = paired(
        [
            outcomes("a", {"p": 1.0, "q": 0.0, "r": 1.0, "s": np.nan}),
            outcomes("b", {"q": 1.0, "r": 1.0, "s": 1.0}),
        ]
    )
    assert set(both.item_ids) == {"q", "r"}
    assert both.left_out == (1, 1)
    assert both.missing == (1, 1)


def test_without_ids_the_places_pair() -> None:
    a = outcomes("a", {"x": 1.0, "y": 0.0}, item_ids=())
    assert paired([a, a]).values.shape == (2, 2)
    with pytest.raises(InputError, match="same number of rows"):
        paired([a, outcomes("b", {"x": 1.0}, item_ids=())])
    with pytest.raises(InputError, match="no item ids"):
        paired([a, outcomes("b", {"x": 1.0, "y": 1.0})])


def test_right_or_wrong_is_not_compared_with_a_score() -> None:
    a = outcomes("a", {"x": 1.0, "y": 0.0}, graded="right or wrong")
    b = outcomes("b", {"x": 0.3, "y": 0.9}, metric="score", graded="score")
    with pytest.raises(InputError, match="different figures") as error:
        paired([a, b])
    assert error.value.why == "a has right or wrong; b has score"
    means = outcomes("b", {"x": 0.5, "y": 0.5}, metric="score", graded="right or wrong")
    assert paired([a, means]).metric == "score"
    assert paired([outcomes("a", {"x": 1.0, "y": 0.0}), b]).graded == "score"  # scores of 0 and 1


def test_what_the_items_are_a_part_of() -> None:
    ids = {f"q{k}": 1.0 for k in range(10)}
    whole, part = outcomes("w", ids), outcomes("p", ids, n_items=100, of_run=True)
    assert (paired([whole, whole]).n_items, paired([whole, whole]).in_part) == (10, ())
    assert (paired([part, part]).n_items, paired([part, part]).in_part) == (100, ("p", "p"))
    assert paired([part, whole]).n_items == 10
    lost = dataclasses.replace(part, unanswered=("z",))
    other = dataclasses.replace(part, item_ids=(*part.item_ids, "z"), values=np.append(part.values, 1.0))
    assert paired([lost, other]).n_items == 99  # one that has no outcome of both is none of those compared


def test_what_cannot_be_paired() -> None:
    a = outcomes("a", {"x": 1.0, "y": 0.0})
    with pytest.raises(InputError, match="share no item"):
        paired([a, outcomes("b", {"z": 1.0})])
    with pytest.raises(InputError, match="different figures"):
        paired([a, outcomes("b", {"x": 3.0}, metric="bleu", high=100.0)])
    with pytest.raises(InputError, match="item twice"):
        paired([a, dataclasses.replace(a, item_ids=("x", "x"))])
