"""Models compared by a score that the user names: whose range has to be known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from joulemark.frugal.paired.decision import PairedTest
from joulemark.frugal.paired.gather import read_models
from joulemark.frugal.paired.ranking import rank
from joulemark.frugal.paired.stream import stream
from joulemark.frugal.paired.streamed import Streamed
from joulemark.record.errors import InputError

N = 1500


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three models: as often right as each other, and better and better by a score."""
    chance, made = np.random.default_rng(7), []
    right = chance.permutation(N) < 900
    hard = chance.normal(0, 0.15, N)
    for place, name in enumerate("abc"):
        score = np.clip(0.4 + 0.08 * place + hard + chance.normal(0, 0.1, N), 0, 1)
        rows = [
            f"q{k},{int(right[k])},{score[k]:.4f},{100 * score[k]:.2f},{1 + place}.{k % 7}" for k in range(N)
        ]
        path = tmp_path / f"{name}.csv"
        path.write_text("id,correct,bleurt,percent,latency_s\n" + "\n".join(rows) + "\n")
        made.append(path)
    return made


def last(a: Path, b: Path, metric: str | None) -> Streamed:
    *_, told = stream(a, b, metric=metric)
    return told


def test_a_score_decides_what_right_and_wrong_does_not(files: list[Path]) -> None:
    told = last(files[0], files[1], "bleurt")
    assert (told.decision.kind, told.decision.winner) == ("winner", "B")
    assert told.decision.n < N / 3
    lo, hi = told.interval
    assert 0 <= lo < 0.08 < hi
    assert last(files[0], files[1], None).decision.winner is None


def test_a_ranking_goes_by_it_too(files: list[Path]) -> None:
    both, _ = read_models(files, metric="bleurt")
    assert (both.metric, both.span, both.binary) == ("score", 1.0, False)
    ranking = rank(both.values, PairedTest(real=True))
    assert [both.names[k] for k in ranking.order()] == ["c", "b", "a"]
    assert all(len(group) == 1 for group in ranking.groups())


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("latency_s", "a cost has none"),
        ("energy_j", "a cost has none"),
        ("percent", "0 … 1"),
        ("rouge", "no column"),
    ],
)
def test_what_has_no_known_range_is_refused(files: list[Path], metric: str, says: str) -> None:
    for ask in (lambda: last(files[0], files[1], metric), lambda: read_models(files, metric=metric)):
        with pytest.raises(InputError) as error:
            ask()
        assert says in f"{error.value.what} {error.value.why} {error.value.fix}"


def test_an_archive_has_the_one_figure_that_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "models.npz"
    np.savez(path, correct=np.tile([1, 0, 1, 1], (2, 5)), models=np.array(["a", "b"]))
    assert read_models([path], metric="accuracy")[0].binary
    with pytest.raises(InputError, match="no 'bleurt'"):
        read_models([path], metric="bleurt")
