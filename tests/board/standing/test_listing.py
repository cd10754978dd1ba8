"""Filters, order, limits: what is asked for, and the same every time."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.standing_rows import figure, row, snapshot_of
from joulemark.board.refusal import Refused
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.leaderboard_page import MOST_OTHERS, leaderboard_values
from joulemark.board.standing.listing import Query, choices, matching, tables
from joulemark.board.standing.query_parameters import query_of

SQL = "'; DROP TABLE configurations; --"


def rows(n: int = 120) -> list[BoardRow]:
    return [
        row(
            f"{k:03d}",
            None if k % 7 == 0 else 10.0 + (k * 37) % 50,
            1.0,
            task=("gsm8k", "mmlu_redux", "ifeval")[k % 3],
            tier=("A", "B", "C", None)[k % 4],
            engine=("vllm", "llama.cpp")[k % 2],
            quantization=(None, "Q4_1")[k % 2],
            hardware=("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB", None)[k % 3],
            rung=k % 7,
            kind="simulated" if k % 10 == 9 else "measured",
        )
        for k in range(n)
    ]


FOUND = snapshot_of(rows())


def test_many_small_tables_keep_no_large_one_from_being_seen() -> None:
    """Who makes up questions of his own has a table for each of them, and most stand before a real one."""
    junk = [row(f"junk-{k}", 1.0, task="aqua", questions=f"{k:012x}") for k in range(300)]
    real = [row(f"real-{k}", 50.0 + k, task="quick") for k in range(30)]
    others = [row(f"other-{k}", 9.0, task="zz", kind="published") for k in range(40)]
    found = snapshot_of([*junk, *real, *others])
    made = tables(found, Query(), 50, each=10)
    shown = {table.like.task: len(table.rows) for table in made if table.rows and table.n_rows > 1}
    assert shown == {"quick": 10}, "and what is measured before what others published"
    assert sum(len(table.rows) for table in made) == 50
    page = leaderboard_values(found, Query(), 1)
    assert len(page["others"]) == MOST_OTHERS
    assert len(page["sections"]) + len(page["others"]) + page["n_unlisted"] == len(made) == 302
    assert page["others"][-1][0] == 40, "the largest are among those that are named"


_queries = st.builds(
    Query,
    task=st.sampled_from([None, "gsm8k", SQL]),
    hardware=st.sampled_from([None, "h100", "A100", "%"]),
    tier=st.sampled_from([None, "A", "none"]),
    engine=st.sampled_from([None, "vllm"]),
    quantization=st.sampled_from([None, "Q4_1"]),
    kind=st.sampled_from([None, "measured", "simulated"]),
    rung=st.sampled_from([None, 0, 3]),
    model=st.sampled_from([None, "MODEL-00", "_", SQL]),
    sort=st.sampled_from([None, "accuracy", "net_joules", "joules_per_correct_answer"]),
    order=st.sampled_from([None, "asc", "desc"]),
)


def _is_wanted(one: BoardRow, query: Query) -> bool:
    return (
        (query.task is None or one.task == query.task)
        and (query.hardware is None or query.hardware.lower() in (one.hardware or "").lower())
        and (query.tier is None or one.tier == (None if query.tier == "none" else query.tier))
        and (query.engine is None or one.engine == query.engine)
        and (query.quantization is None or one.quantization == query.quantization)
        and (query.kind is None or one.kind == query.kind)
        and (query.rung is None or one.rung >= query.rung)
        and (query.model is None or query.model.lower() in one.model.lower())
    )


@given(_queries)
def test_a_filter_finds_what_it_says(query: Query) -> None:
    found = {FOUND.rows[place].id for place in matching(FOUND, query)}
    assert found == {one.id for one in FOUND.rows if _is_wanted(one, query)}


@given(_queries, st.integers(1, 40))
def test_pages_of_any_size_are_the_whole_once(query: Query, size: int) -> None:
    whole = [one.row.id for table in tables(FOUND, query, 1000) for one in table.rows]
    assert len(whole) == len(set(whole)) == len(matching(FOUND, query))
    paged = []
    for offset in range(0, len(whole) + size, size):
        page = [one.row.id for table in tables(FOUND, query, size, offset) for one in table.rows]
        assert len(page) <= size
        paged += page
    assert paged == whole


@given(_queries)
def test_rows_are_in_order_with_the_unknown_last(query: Query) -> None:
    for table in tables(FOUND, query, 1000):
        values = [one.row.figures.get(table.figure) for one in table.rows]
        known = [one.value for one in values if one is not None and one.value is not None]
        unknown = [one is None or one.value is None for one in values]
        assert unknown == sorted(unknown)
        larger = table.figure == "accuracy"
        descending = (query.order or ("desc" if larger else "asc")) == "desc"
        assert known == sorted(known, reverse=descending)
        assert len({one.row.table for one in table.rows}) <= 1


def test_a_rank_stays_when_others_are_filtered_away() -> None:
    made = [row("a", 10, 1), row("b", 20, 1, engine="vllm")]
    found = snapshot_of(made)
    (table,) = tables(found, Query(engine="vllm"))
    assert str(table.rows[0].rank) == "2"
    assert (table.n_rows, table.n_ranked) == (1, 2)


def test_several_tables_share_a_page() -> None:
    made = tables(FOUND, Query(), 50, each=10)
    assert len(made) > 5
    assert max(len(table.rows) for table in made) <= 10
    assert sum(len(table.rows) for table in made) == 50
    assert sum(table.n_rows for table in made) == 120
    (one,) = tables(FOUND, Query(table=made[0].name), 50, each=10)
    assert len(one.rows) == one.n_rows


def test_measured_tables_come_before_simulated_ones_and_tiers_of_a_task_stand_together() -> None:
    order = [(t.like.kind, t.like.task, t.like.tier) for t in tables(FOUND, Query())]
    assert order == sorted(order, key=lambda one: (one[0] != "measured", one[1], one[2] or "Z"))


def test_a_table_without_correct_answers_is_led_by_energy() -> None:
    made = [row("a", None, unit="image", figures={"energy_j": figure(9.0)})]
    (table,) = tables(snapshot_of(made), Query())
    assert table.figure == "energy_j"
    assert table.rows[0].rank is not None


def test_a_table_without_joules_is_led_by_accuracy() -> None:
    (table,) = tables(snapshot_of([row("a", None, tier=None, scope=None)]), Query())
    assert table.figure == "accuracy"
    assert table.n_ranked == 1


def test_choices_are_those_of_the_rows() -> None:
    assert choices(FOUND)["task"] == ("gsm8k", "ifeval", "mmlu_redux")
    assert choices(FOUND)["tier"] == ("A", "B", "C", "none")


def test_what_cannot_be_sorted_by_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        query_of(sort=SQL)
    assert SQL not in str(refused.value.to_json())
    assert query_of(tier="", kind="", rung="", order="", model=" ") == Query()
    assert math.isclose(query_of(rung="3").rung or 0, 3)
