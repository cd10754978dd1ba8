"""Ranks are ranges, and what a brute force finds."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doubles.standing_rows import figure, row, snapshot_of
from joulemark.board.standing.ranks import rank_ranges, ranks_of, why_no_rank

JPC = "joules_per_correct_answer"


@st.composite
def intervals(draw: st.DrawFn) -> tuple[float, float, float]:
    if draw(st.integers(0, 5)) == 0:
        return math.nan, math.nan, math.nan
    ends = sorted(float(x) for x in draw(st.tuples(*[st.integers(0, 12)] * 3)))
    return (ends[1], math.nan, math.nan) if draw(st.integers(0, 3)) == 0 else (ends[1], ends[0], ends[2])


@given(st.lists(intervals(), max_size=25), st.booleans())
def test_ranges_are_those_of_every_pair_compared(
    rows: list[tuple[float, float, float]], larger: bool
) -> None:
    value, lo, hi = (np.array([one[k] for one in rows], dtype=float) for k in range(3))
    best, worst = rank_ranges(value, lo, hi, larger=larger)
    ends = [
        None if math.isnan(v) else (v if math.isnan(a) else a, v if math.isnan(b) else b) for v, a, b in rows
    ]
    known = [one for one in ends if one is not None]
    for place, one in enumerate(ends):
        if one is None:
            assert (best[place], worst[place]) == (0, 0)
            continue
        below = sum(other[1] < one[0] for other in known)
        above = sum(other[0] > one[1] for other in known)
        ahead, behind = (above, below) if larger else (below, above)
        assert (best[place], worst[place]) == (1 + ahead, len(known) - behind)
        assert 1 <= best[place] <= worst[place] <= len(known)


def test_rows_whose_intervals_meet_share_a_range() -> None:
    made = [row("a", 10, 1), row("b", 20, 3), row("c", 24, 3), row("d", 40, 2)]
    found = snapshot_of(made)
    ranks = ranks_of(found, made[0].table, JPC)
    told = {found.rows[place].model[-1]: str(rank) for place, rank in ranks.items()}
    assert told == {"a": "1", "b": "2–3", "c": "2–3", "d": "4"}


def test_what_is_not_ranked_takes_no_place_and_says_why() -> None:
    canary = row("x", 1, 0.1, is_canary=True, is_ranked=False, why_not_ranked="A canary.")
    silent = row("y", None)
    found = snapshot_of([row("a", 10, 1), canary, silent])
    ranks = ranks_of(found, canary.table, JPC)
    assert {found.rows[place].model: str(rank) for place, rank in ranks.items()} == {"org/model-a": "1"}
    assert why_no_rank(found, found.rows.index(canary), JPC) == "A canary."
    assert "No meter" in why_no_rank(found, found.rows.index(silent), JPC)


def test_more_accuracy_is_ahead_and_dollars_are_no_rank() -> None:
    dollars = {"usd_per_correct_answer": figure(0.1, None, "USD")}
    made = [
        row(name, figures={"accuracy": figure(share, 0.01, "1"), **dollars})
        for name, share in (("a", 0.2), ("b", 0.9))
    ]
    found = snapshot_of(made)
    ranks = ranks_of(found, made[0].table, "accuracy")
    assert {found.rows[place].model[-1]: rank.best for place, rank in ranks.items()} == {"b": 1, "a": 2}
    assert not ranks_of(found, made[0].table, "usd_per_correct_answer")
    assert why_no_rank(found, 0, "usd_per_correct_answer")


def test_tiers_have_tables_of_their_own() -> None:
    found = snapshot_of([row("a", 10, 1, tier="B"), row("b", 20, 1, tier="C"), row("c", 30, 1, tier="C")])
    assert sorted(len(places) for places in found.tables().values()) == [1, 2]
    for table, places in found.tables().items():
        assert {rank.best for rank in ranks_of(found, table, JPC).values()} == set(range(1, len(places) + 1))
