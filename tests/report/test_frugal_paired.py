"""What is said of A against B, and of a ranking."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest
from rich.console import Console

from joulemark.frugal.paired.decision import Decider, PairedTest
from joulemark.frugal.paired.pairing import Paired
from joulemark.frugal.paired.ranking import rank
from joulemark.frugal.paired.streamed import Streamed
from joulemark.report.frugal_paired import print_streamed, sentences, standing_line
from joulemark.report.frugal_paired_ranking import print_ranking, ranking_json


def streamed(
    x: list[float],
    n_items: int | None = None,
    *,
    growing: bool = False,
    left_out: tuple[int, int] = (0, 0),
    **of: float,
) -> Streamed:
    decider = Decider(n_items or len(x), PairedTest(**of))  # type: ignore[arg-type]
    decider.feed(np.array(x))
    return Streamed.of(
        decider, names=("a", "b"), metric="accuracy", left_out=left_out, growing=growing, order="asked"
    )


def test_a_winner_and_what_the_rest_says() -> None:
    lead, evidence, too_large, rest = sentences(streamed([1.0] * 12 + [0.0] * 88))
    assert lead == "B is right more often: known after 7 of 100 questions (7.0%)."
    assert evidence.startswith("B - A is +100.00 pp (95% interval +")
    assert "e-value 26.8, 20 name a winner" in evidence
    assert "rather too large" in too_large
    assert rest.startswith("B stays ahead with the other 93 questions: with them B - A is +12.00 pp")
    assert rest.endswith("it is enough that the e-value was reached once.")


def test_what_the_rest_turns_round_is_said_loudly() -> None:
    rest = sentences(streamed([1.0] * 8 + [-1.0] * 30))[-1]
    assert "TURN THE ANSWER ROUND: with them B - A is -57.89 pp" in rest


def test_a_tie() -> None:
    said = sentences(streamed([0.0] * 500, epsilon=0.03))
    assert said[0].startswith("On these questions A and B are a tie within 3 pp: known after ")
    assert "+0.00 pp" in said[1]


def test_undecided_while_growing_and_at_the_end() -> None:
    growing = sentences(streamed([1.0, -1.0], 100, growing=True, left_out=(0, 2)))
    assert growing[0] == "Not decided yet after 2 of 100 questions (2.0%)."
    assert "0 in A, 2 in B" in growing[-1]
    ended = sentences(streamed([1.0, 1.0, 0.0]))
    assert ended[0] == "Not decided by 3 of 3 questions (100.0%)."
    assert "on these the difference is exact" in ended[-1]
    decided = sentences(streamed([1.0] * 9, 100, growing=True))
    assert "may be ended now" in decided[-1]
    assert standing_line(streamed([1.0, -1.0], 100, growing=True)).startswith("2 questions in both: +0.00 pp")


def test_an_interval_that_is_clear_of_0_without_a_winner_is_explained() -> None:
    """Four ahead of four, 46 alike, two left: who is ahead on the 52 is known, of the kind it is not."""
    said = sentences(streamed([-1.0] * 4 + [0.0] * 46, 52))
    assert said[0].startswith("Not decided by 50 of 52 questions")
    assert said[-1] == (
        "The interval is clear of 0, as few of these 52 questions are left: on them A is ahead. "
        "Whether it is on other questions of this kind is not decided."
    )


def test_questions_that_a_list_named_are_told_before_the_winner() -> None:
    def printed(listed: tuple[bool, bool]) -> str:
        console = Console(file=io.StringIO(), width=200)
        print_streamed(dataclasses.replace(streamed([1.0] * 12 + [0.0] * 88), listed=listed), console)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    told = printed((True, False))
    assert told.index("! The questions of A were named by a list (`--items`)") < told.index(
        "On these questions B"
    )
    assert "a list" not in printed((False, False))
    exact = sentences(dataclasses.replace(streamed([1.0, 1.0, 0.0]), listed=(True, True)))
    assert exact[-1] == "All questions were read, so on these the difference is exact."


def test_a_simulation_against_a_measurement_is_told() -> None:
    told = dataclasses.replace(streamed([1.0] * 9), models=("tiny", "a\x1b[31m"), simulated=(True, False))
    assert any(one.startswith("A is a SIMULATION and the other is not") for one in sentences(told))
    out = io.StringIO()
    print_streamed(told, Console(file=out, width=80))
    assert out.getvalue().startswith("A  a  tiny  simulated\nB  b  a")
    assert "\x1b" not in out.getvalue()


def test_nothing_read_has_no_difference() -> None:
    told = streamed([], 10, growing=True)
    assert "B - A is unknown" in sentences(told)[1]
    assert told.to_json()["difference"] is None
    assert told.to_json()["reasons"] == {"difference": "no item was read"}


def test_an_e_value_beyond_all_numbers() -> None:
    told = streamed([1.0] * 2000)
    assert told.all_read is not None
    json = told.to_json()["all_read"]
    assert isinstance(json, dict)
    assert json["e_value"] is None
    assert json["log10_e_value"] == pytest.approx(600, abs=3)
    assert "e-value 10^6" in sentences(told)[-1]


def test_a_ranking_in_60_columns() -> None:
    rng = np.random.default_rng(1)
    values = (rng.random((3, 600)) < np.array([[0.2], [0.8], [0.5]])).astype(np.float64)
    names = ("[bold]low\x1b[31m", "high", "middle")
    both = Paired(
        names,
        "accuracy",
        tuple(map(str, range(600))),
        values,
        1.0,
        True,
        (0, 0, 2),
        (2, 2, 0),
        n_items=600,
        listed=("middle",),
    )
    out = io.StringIO()
    print_ranking(both, ("partial",), rank(values), Console(file=out, width=60))
    text = " ".join(out.getvalue().split())
    assert "\x1b" not in text
    assert text.index("high") < text.index("middle") < text.index("[bold]low")
    assert (
        "3 told apart, 0 ties within 1 pp, 0 open. All of these are right with a chance of at least 95%"
        in text
    )
    assert "The items of middle were named by a list" in text
    assert "600 items have an outcome of every model" in text
    assert "Left out for items that they lack: partial (name them" in text
    json = ranking_json(both, (), rank(values))
    assert [model["rank_best"] for model in json["models"]] == [1, 2, 3]  # type: ignore[index,union-attr,call-overload]


def test_a_streamed_comparison_is_printed_as_plain_text() -> None:
    out = io.StringIO()
    print_streamed(streamed([1.0] * 9), Console(file=out, width=80))
    assert out.getvalue().startswith("A  a\nB  b\n\nB is right more often")


def test_an_order_and_a_tie_are_explained_where_the_means_of_all_seem_to_contradict_them() -> None:
    """62.2 % stood above 62.5 %, with nothing to say why."""
    rng = np.random.default_rng(1)
    values = (rng.random((3, 600)) < np.array([[0.2], [0.8], [0.8]])).astype(np.float64)
    values[2] = values[1]
    none = (0, 0, 0)
    ids = tuple(map(str, range(600)))
    both = Paired(("low", "high", "same"), "accuracy", ids, values, 1.0, True, none, none, n_items=600)
    out = io.StringIO()
    print_ranking(both, (), rank(values), Console(file=out, width=80))
    text = " ".join(out.getvalue().split())
    assert "Mean of all is that of all 600 items: it need not fall from line to line" in text
    assert "A tie speaks of these 600 questions alone, not of others of the kind." in text
    assert "(each pair is tested at 0.017, its part of 5%)" in text
