"""Nobody wins by refusing: not in a ranking, not side by side, not as what a run is decided against."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from doubles.growing_runs import IDS, N, answer, finished
from joulemark.frugal.outcomes.outcome_file import read_outcomes
from joulemark.frugal.paired.decided_against import DecidedAgainst
from joulemark.frugal.paired.decision import PairedTest
from joulemark.frugal.paired.gather import read_models
from joulemark.frugal.paired.pairing import Paired
from joulemark.frugal.paired.ranking import rank
from joulemark.frugal.paired.ranks import Ranking, Settled
from joulemark.frugal.paired.reference import read_reference
from joulemark.frugal.paired.refusals import refusals_of_two
from joulemark.frugal.paired.stream import stream
from joulemark.report.frugal_paired import sentences
from joulemark.report.frugal_paired_ranking import ranking_json
from joulemark.report.frugal_paired_ranking import sentences as ranking_sentences
from joulemark.runs.finished import Finished

RNG = np.random.default_rng(7)
FATE = RNG.random(2000)
B_RIGHT = (RNG.random(2000) < 0.75).astype(int).tolist()
"""A is right on 60 %, wrong on 10 %, and has no answer to 30 %; B is right on 75 %."""


def cells(refusal: str) -> list[str]:
    return ["1" if u < 0.6 else "0" if u < 0.7 else refusal for u in FATE]


def file_of(path: Path, column: Sequence[object], *, dropped: bool = False) -> Path:
    rows = [f"{IDS[k % len(IDS)]}-{k},{one}" for k, one in enumerate(column) if one != "" or not dropped]
    path.write_text("\n".join(["item_id,correct", *rows]))
    return path


def ranked(a: Path, b: Path) -> tuple[Paired, Ranking]:
    both, _ = read_models([a, b])
    return both, rank(both.values, PairedTest(), drawn_from=both.n_items, refusals=both.refusals)


@pytest.mark.parametrize("word", ["refused", "Truncated", "unparsed", "failed", "error", "timeout"])
def test_a_word_for_no_answer_is_not_right(tmp_path: Path, word: str) -> None:
    a = read_outcomes(file_of(tmp_path / "a.csv", cells(word)))
    assert len(a) == 2000
    assert a.values.mean() == pytest.approx(0.6, abs=0.03)
    assert a.graded == "right or wrong"
    assert "were refused, cut off or failed count as not right" in a.notes[0]
    both, found = ranked(file_of(tmp_path / "a.csv", cells(word)), file_of(tmp_path / "b.csv", B_RIGHT))
    assert [both.names[k] for k in found.order()] == ["b", "a"]
    assert found.kind[0] == Settled.ORDER


@pytest.mark.parametrize("dropped", [False, True])
def test_a_file_that_says_nothing_of_them_is_no_winner(tmp_path: Path, dropped: bool) -> None:
    a = file_of(tmp_path / "a.csv", cells(""), dropped=dropped)
    b = file_of(tmp_path / "b.csv", B_RIGHT)
    both, found = ranked(a, b)
    assert found.kind[0] == Settled.OPEN
    assert found.withheld[0]
    assert not found.better.any()
    said = " ".join(ranking_sentences(both, (), found))
    assert "nobody wins by refusing" in said
    assert "Nothing is claimed of them" in said
    assert "95%" not in said
    told = ranking_json(both, (), found)
    assert told["chance_holds"] is False
    streamed = list(stream(a, b))[-1]
    assert (streamed.decision.kind, streamed.decision.winner) == ("undecided", None)
    assert streamed.withheld is not None
    assert streamed.withheld.winner == "A"
    assert streamed.lacks == ((FATE >= 0.7).sum(), 0)
    assert "A is ahead, but A has none of" in " ".join(sentences(streamed))
    # the one that has all of them may be named still
    worse = file_of(tmp_path / "worse.csv", [one if one == "" else "0" for one in cells("")], dropped=dropped)
    both, found = ranked(worse, b)
    assert found.kind[0] == Settled.ORDER
    assert "No chance is given" in ranking_sentences(both, (), found)[0]
    assert list(stream(worse, b))[-1].decision.winner == "B"


def test_a_sample_that_ended_in_an_error_is_not_right(tmp_path: Path) -> None:
    def log(name: str, grades: list[str]) -> Path:
        samples = [
            {"id": f"q{k}", "epoch": 1, "scores": None, "error": {"message": "APITimeoutError"}}
            if grade == ""
            else {"id": f"q{k}", "epoch": 1, "scores": {"match": {"value": "C" if grade == "1" else "I"}}}
            for k, grade in enumerate(grades)
        ]
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"eval": {"task": "t", "model": name}, "samples": samples}))
        return path

    a = log("a", cells(""))
    found = read_outcomes(a)
    assert len(found) == 2000
    assert any("ended in an error count as not right" in note for note in found.notes)
    both, ranking = ranked(a, log("b", list(map(str, B_RIGHT))))
    assert [both.names[k] for k in ranking.order()] == ["b", "a"]


def test_an_epoch_without_a_grade_makes_no_mean_of_the_others(tmp_path: Path) -> None:
    samples = [
        {"id": "q", "epoch": 1, "scores": {"match": {"value": "C"}}},
        {"id": "q", "epoch": 2, "scores": None, "error": {"message": "x"}},
        {"id": "r", "epoch": 1, "scores": {"match": {"value": "C"}}},
        {"id": "r", "epoch": 2, "scores": {"match": {"value": None}}},
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"eval": {"task": "t", "model": "m"}, "samples": samples}))
    found = read_outcomes(path)
    assert (found.values.tolist(), found.item_ids, found.unanswered) == ([0.5], ("q",), ("r",))


def test_a_row_whose_verdict_says_failed_is_not_right(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("item_id,correct,verdict\na,1,correct\nb,,refused\nc,0,wrong\nd,,\n")
    found = read_outcomes(path)
    assert found.values.tolist() == [1, 0, 0]
    assert found.unanswered == ("d",)


def test_failures_of_a_scored_run_do_not_lift_it(tmp_path: Path) -> None:
    """B scores .9 where A scores .5, and fails on two questions of three."""
    a = finished(tmp_path / "a", [answer(k, True, score=0.5) for k in range(N)], score_range=(0.0, 1.0))
    half = [answer(k, True, score=0.9) if k % 3 == 0 else answer(k, None, score=None) for k in range(N)]
    b = finished(tmp_path / "b", half, score_range=(0.0, 1.0))
    told = list(stream(a, b))[-1]
    assert (told.decision.kind, told.decision.winner) == ("undecided", None)
    assert told.withheld is not None
    assert told.lacks == (0, sum(k % 3 > 0 for k in range(N)))


def test_a_reference_does_not_win_by_refusing(tmp_path: Path) -> None:
    """A reference that is right wherever it says anything, and a run that is right on more of them all."""
    rng = np.random.default_rng(2)
    known = rng.random(N) < 0.5
    ours = [answer(k, bool(right)) for k, right in enumerate(rng.random(N) < 0.8)]
    path = tmp_path / "reference.csv"
    path.write_text(
        "\n".join(["item_id,correct", *(f"{IDS[k]},{'1' if known[k] else ''}" for k in range(N))])
    )
    rule = DecidedAgainst(read_reference(path))
    assert rule.decide(Finished([(one,) for one in ours], N, lambda _n: None)) is None
    assert "it hangs on" in rule.told()[0]
    path.write_text("\n".join(["item_id,correct", *(f"{IDS[k]},1" for k in range(N) if known[k])]))
    rule = DecidedAgainst(read_reference(path))  # what a file does not list it may not have been asked
    assert rule.decide(Finished([(one,) for one in ours], N, lambda _n: None)) is not None


def test_who_leads_by_what_the_other_lacks_leads() -> None:
    assert refusals_of_two(5.0, 10, (0, 0), (0.0, 0.0)) is None
    found = refusals_of_two(5.0, 10, (10, 2), (9.0, 1.0))  # B is ahead by 5
    assert found is not None
    assert found.holds_order(1, 0)
    assert not found.holds_order(0, 1)
    assert not found.holds_tie(0, 1, 0.3)
    even = refusals_of_two(0.0, 90, (10, 0), (1.0, 0.0))
    assert even is not None
    assert even.lead[0, 1] == pytest.approx(-0.01)
    assert even.holds_tie(0, 1, 0.02)
    assert not even.holds_tie(0, 1, 0.005)


def test_rows_without_ids_pair_by_their_place_although_some_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("correct,e2el_s\n,1\n1,1\n0,1\n1,1\n")
    (tmp_path / "b.csv").write_text("correct,e2el_s\n1,1\n1,1\n0,1\n,1\n")
    both, _ = read_models([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert set(both.item_ids) == {"1", "2"}
    assert (both.values[0] == both.values[1]).all()
    assert both.missing == (1, 1)
