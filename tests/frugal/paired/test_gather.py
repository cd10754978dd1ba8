"""The models of a ranking, from files of several kinds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from doubles.growing_runs import IDS, answer, finished
from joulemark.frugal.paired.decision import PairedTest
from joulemark.frugal.paired.gather import read_models
from joulemark.frugal.paired.ranking import rank
from joulemark.frugal.paired.ranks import Settled
from joulemark.frugal.paired.stream import stream
from joulemark.record.errors import InputError
from joulemark.report.frugal_paired_ranking import sentences

RIGHT = [k % 3 > 0 for k in range(30)]


def archive(path: Path) -> Path:
    correct = np.array([RIGHT, [not one for one in RIGHT], RIGHT], np.int8)
    correct[2, 4] = -2  # no answer at all
    ids = np.array([f"q{k}" for k in range(30)])
    np.savez(path, models=np.array(["one", "other", "partial"]), correct=correct, item_ids=ids)
    return path


def test_an_archive_gives_the_models_with_every_item(tmp_path: Path) -> None:
    both, without = read_models([archive(tmp_path / "all.npz")])
    assert both.names == ("one", "other")
    assert without == ("partial",)
    assert both.values.shape == (2, 30)


def test_models_that_are_named_are_taken_with_what_they_share(tmp_path: Path) -> None:
    both, without = read_models([archive(tmp_path / "all.npz")], models=["one", "partial"])
    assert both.names == ("one", "partial")
    assert without == ()
    assert both.values.shape == (2, 29)
    assert both.left_out == (1, 0)


def test_runs_tables_and_archives_together(tmp_path: Path) -> None:
    run = finished(tmp_path / "run", [answer(k, one) for k, one in enumerate(RIGHT)], n_items=30)
    table = tmp_path / "table.csv"
    rows = [f"{IDS[k]},{name},{int(one)}" for name in ("x", "y") for k, one in enumerate(RIGHT)]
    table.write_text("\n".join(["item_id,model,correct", *rows]))
    both, _ = read_models([run, table], models=["x", "y"])
    assert both.names[1:] == ("x", "y")
    assert (both.values == both.values[0]).all()
    twice, _ = read_models(
        [run, finished(tmp_path / "again", [answer(k, False) for k in range(30)], n_items=30)]
    )
    assert twice.names == (str(run), str(tmp_path / "again"))  # both runs are of one model


def test_runs_that_were_asked_a_part_speak_of_the_task(tmp_path: Path) -> None:
    """As `compare --stream` has it: on 200 of 2,000 questions two equal models are no tie yet."""
    same = [answer(k, k % 3 > 0) for k in range(200)]
    runs = [finished(tmp_path / name, same, n_items=1200) for name in ("a", "b")]
    both, _ = read_models(runs)
    assert both.n_items == 1200
    assert len(both.in_part) == 2
    question = PairedTest(epsilon=0.03)
    found = rank(both.values, question, drawn_from=both.n_items)
    assert found.kind[0] == Settled.OPEN
    assert rank(both.values, question).kind[0] == Settled.TIE  # of the 200 themselves
    (told,) = list(stream(*runs, epsilon=0.03))
    assert (told.decision.kind, told.decision.n_items) == ("undecided", 1200)
    said = " ".join(sentences(both, (), found))
    assert "the 200 items are a random part of 1,200, which a tie speaks of" in said


def test_a_tie_as_wide_as_the_range_is_refused(tmp_path: Path) -> None:
    runs = [finished(tmp_path / name, [answer(0, True)], n_items=1) for name in ("a", "b")]
    files = [tmp_path / f"{name}.csv" for name in ("a", "b")]
    for file in files:
        file.write_text("item_id,score\na,0.5\nb,0.1\n")
    for two, words in ((runs, "a tie of 100pp"), (files, "a tie of 1 asks for nothing")):
        with pytest.raises(InputError, match=words):
            list(stream(*two, epsilon=1.0))


def test_a_file_of_several_models_is_ranked_and_not_followed(tmp_path: Path) -> None:
    path = archive(tmp_path / "all.npz")
    with pytest.raises(InputError, match="which one") as error:
        list(stream(path, path))
    assert error.value.fix.startswith("joulemark frugal rank")


def test_one_model_is_no_ranking(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 model is no ranking"):
        read_models([archive(tmp_path / "all.npz")], models=["one"])
