"""A copy is found by its noise, and runs made apart share none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles import forged_content as forged
from doubles.board_runs import content_of, verified
from doubles.forgeries import H100
from doubles.steady_runs import closed
from joulemark.board.judging import COPY_SHARE, marks_of, share_of_marks
from joulemark.board.judging.marks import LEAST_MARKS, MOST_MARKS
from joulemark.board.judging.shingles import answer_shingles, pause_shingles, power_shingles
from joulemark.bundles.submission.content import Content
from joulemark.bundles.submission.verification import Verification
from joulemark.metrics.run_view import PowerTimeline, RunView
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100 as SIMULATED_H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B

LONG = replace(H100, n=40)


def marked(content: Content) -> tuple[int, ...]:
    return marks_of(Verification("0" * 64, (), (), view=content.view()))


@pytest.fixture(scope="module")
def content() -> Content:
    return content_of(LONG)


@pytest.fixture(scope="module")
def marks(content: Content) -> tuple[int, ...]:
    return marked(content)


def test_marks_are_few_sorted_and_fit_a_signed_word(marks: tuple[int, ...]) -> None:
    assert LEAST_MARKS <= len(marks) <= MOST_MARKS
    assert list(marks) == sorted(set(marks))
    assert all(0 <= mark < 2**63 for mark in marks)


def test_marks_depend_on_nothing_but_the_run(content: Content, marks: tuple[int, ...]) -> None:
    assert marks_of(verified(content)) == marks
    assert marks_of(verified(content)) == marks  # another key


@pytest.mark.parametrize(
    ("change", "least"),
    [
        (forged.scaled(0.5), 1.0),
        (forged.scaled(3.7), 0.95),
        (forged.replayed, 1.0),
        (forged.all_right, 1.0),
        (forged.renamed("NVIDIA GeForce RTX 4090"), 1.0),
        (forged.stretched(1.7), 0.95),
        (forged.stretched(0.31), 0.9),
        (forged.middle, 0.25),
    ],
    ids=[
        "half the joules",
        "more joules",
        "an hour later",
        "verdicts",
        "device",
        "slower",
        "faster",
        "middle half",
    ],
)
def test_a_copy_keeps_its_marks(
    change: forged.Change, least: float, content: Content, marks: tuple[int, ...]
) -> None:
    assert share_of_marks(marked(change(content)), marks) >= least > COPY_SHARE


def test_answers_and_readings_are_marked_apart(content: Content, marks: tuple[int, ...]) -> None:
    bare = replace(content, rows=tuple(replace(row, chunks=()) for row in content.rows))
    assert share_of_marks(marked(bare), marks) > COPY_SHARE
    unread = replace(content, readings=())
    assert COPY_SHARE < share_of_marks(marked(unread), marks) <= 1.0


def test_nothing_recomputed_has_no_marks() -> None:
    assert marks_of(Verification("0" * 64, (), ())) == ()


def test_steady_and_regular_power_marks_nothing(content: Content) -> None:
    view = content.view()
    t_ns = np.arange(2000) * 100_000_000 + view.timelines[0].t_ns[0]
    for watts in (
        np.full(2000, 200.0),
        200.0 + 50.0 * (np.arange(2000) % 2),
        200.0 + 50.0 * np.sin(np.arange(2000) * 2 * np.pi / 20).round(9),
        np.round(200.0 + 2 * np.random.default_rng(0).normal(size=2000)),
        200.0 + 0.01 * np.arange(2000),
    ):
        line = PowerTimeline("nvml:0", "gpu:0", 0, t_ns, watts)
        found = power_shingles(replace(view, timelines=(line,)))
        assert len(found.once()) <= 2


def test_simulated_engines_of_one_make_mark_no_copies_of_each_other() -> None:
    config = ServerConfig(gpu=SIMULATED_H100, model=LLAMA_8B, max_batch=16)
    found = []
    for seed in range(4):
        view = closed(config, draw_requests(120, 200, 120, seed), 16).view
        found.append(marks_of(Verification("0" * 64, (), (), view=view)))
    shares = [share_of_marks(a, b) for k, a in enumerate(found) for b in found[:k]]
    assert max(shares) < COPY_SHARE


def orders(values: np.ndarray, width: int) -> np.ndarray:
    """The orders of consecutive values that hold no ties, as one number each."""
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    order = np.argsort(windows, axis=1, kind="stable")
    tied = (np.diff(np.take_along_axis(windows, order, axis=1), axis=1) == 0).any(axis=1)
    return order[~tied] @ (width ** np.arange(width))


def chance_alike(runs: list[np.ndarray], width: int = 8) -> float:
    """How often two stretches of different runs have the same order, counted over all pairs of them."""
    found = [orders(values, width) for values in runs]
    together, pairs = 0.0, 0.0
    for k, one in enumerate(found):
        values, counts = np.unique(one, return_counts=True)
        for other in found[:k]:
            theirs, n = np.unique(other, return_counts=True)
            _, a, b = np.intersect1d(values, theirs, return_indices=True)
            together += float((counts[a] * n[b]).sum())
            pairs += len(one) * len(other)
    return together / pairs


def test_the_chance_of_a_false_copy_is_small() -> None:
    """Two stretches of 16 agree only where both halves of 8 do, and these agree next to independently.

    With at most 64 marks of 10⁶ stretches in either run the expected number in common is the chance of one
    pair times 10¹² times the share of stretches that are marks, (64 / 10⁶)².
    """
    views = [content_of(replace(H100, n=40), seed).view() for seed in range(12)]
    noise = np.random.default_rng(3)
    averaged = [np.convolve(noise.normal(size=4000), np.ones(10) / 10, "valid") for _ in range(12)]
    courses: dict[str, list[np.ndarray]] = {
        "power": [np.diff(view.timelines[0].power_w) for view in views],
        "power, averaged by its driver": [np.diff(one) for one in averaged],
        "gaps": [_gaps(view) for view in views],
    }
    for name, runs in courses.items():
        p8 = chance_alike(runs)
        expected = p8**2 * 64**2
        assert p8 < 4 / 40_320, name  # of 8! orders; noise has one
        assert expected < 1e-3 * COPY_SHARE * LEAST_MARKS, name


def _gaps(view: RunView) -> np.ndarray:
    parts = [np.diff([chunk.t_ns for chunk in view.chunks[item.key]]) for item in view.measured_items]
    return np.concatenate(parts).astype(float)


def test_honest_runs_of_one_make_have_no_shingle_in_common() -> None:
    views = [content_of(LONG, seed).view() for seed in range(8)]
    for shingles in (power_shingles, answer_shingles, pause_shingles):
        every = np.concatenate([shingles(view).once() for view in views])
        assert len(every) > 100
        assert len(np.unique(every)) == len(every)


@given(st.sets(st.integers(0, 2**63 - 1), max_size=64), st.sets(st.integers(0, 2**63 - 1), max_size=64))
def test_a_share_is_one_of_the_smaller_run(one: set[int], other: set[int]) -> None:
    share = share_of_marks(one, other)
    assert 0 <= share <= 1
    assert share == share_of_marks(other, one)
    assert share_of_marks(one, one) == (1.0 if one else 0.0)
    assert share_of_marks(one | other, one) == (1.0 if one else 0.0)
