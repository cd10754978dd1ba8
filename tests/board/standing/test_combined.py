"""Several runs of a configuration: which stands for it, and spreads of two or more."""

from __future__ import annotations

import statistics
from dataclasses import replace
from itertools import permutations

import pytest

from doubles.standing_rows import figure, row
from joulemark.board.standing.combined import KeptRun, row_of_runs


def kept(
    digest: str,
    joules: float | None,
    *,
    rung: int = 2,
    n_items: int = 40,
    at: str = "2026-01-01",
    signer: str = "s",
):  # type: ignore[no-untyped-def]
    own = row("same", joules, 1.0, figures={"usd_per_correct_answer": figure(joules, None, "USD")})
    return KeptRun(digest * 64, own, signer, rung, n_items, at, at)


def test_one_run_has_no_spread() -> None:
    made = row_of_runs([kept("a", 100.0)])
    assert made.spreads == {}
    assert (made.n_runs, made.n_signers, made.stands_for) == (1, 1, "a" * 64)


def test_the_spread_is_that_of_a_sample_over_what_is_known() -> None:
    made = row_of_runs([kept("a", 100.0), kept("b", 110.0, signer="t"), kept("c", None)])
    spread = made.spreads["joules_per_correct_answer"]
    assert (spread.mean, spread.n) == (105.0, 2)
    assert spread.sd == pytest.approx(statistics.stdev([100.0, 110.0]))
    assert made.spreads["accuracy"].n == 3
    assert "usd_per_correct_answer" not in made.spreads, "others' prices make no spread"
    assert (made.n_runs, made.n_signers) == (3, 2)


def test_the_most_trusted_run_stands_for_it_then_the_largest_then_the_latest() -> None:
    runs = [
        kept("a", 1.0, rung=3, n_items=10),
        kept("b", 2.0, rung=3, n_items=20, at="2026-01-01"),
        kept("c", 3.0, rung=3, n_items=20, at="2026-02-01"),
        kept("d", 4.0, rung=2, n_items=99, at="2026-03-01"),
    ]
    made = [row_of_runs(order) for order in permutations(runs)]
    assert all(one == made[0] for one in made), "the order in which they came does not show"
    assert made[0].stands_for == "c" * 64
    assert made[0].figures["joules_per_correct_answer"].value == 3.0
    assert made[0].rung == 3
    assert made[0].runs[0] == "d" * 64, "the latest first"


def test_of_several_signers_the_one_in_the_middle_is_shown_however_often_one_submits() -> None:
    honest = [kept(name, 100.0 + n, at=f"2026-01-0{n}", signer=name) for n, name in enumerate("abc", 1)]
    often = [kept(name, 1.0, n_items=4000, at="2026-03-01", signer="z") for name in "0123456789"]
    for order in ((*honest, *often), (*often, *honest)):
        assert row_of_runs(order).stands_for == "a" * 64, "of 1, 101, 102 and 103 J the earlier middle"
    assert row_of_runs(honest).stands_for == "b" * 64
    assert row_of_runs([honest[0], often[0]]).stands_for == "a" * 64, "of two the one that was there first"
    assert row_of_runs([honest[0], honest[2], kept("d", None, signer="y")]).stands_for == "a" * 64


def test_nobody_takes_a_row_out_of_its_ranking_by_a_run_that_has_no_rank() -> None:
    mine, theirs = kept("a", 1.0), kept("b", 9.0, rung=3, n_items=99, at="2026-02-01", signer="t")
    stopped = replace(
        theirs, row=replace(theirs.row, is_ranked=False, why_not_ranked="It was stopped early.")
    )
    made = row_of_runs([mine, stopped])
    assert (made.stands_for, made.is_ranked) == (mine.digest, True)
    assert made.rung == 2, "the trust that is shown is that of the figures that are shown"
    assert made.n_runs == 2
    assert not row_of_runs([stopped]).is_ranked
