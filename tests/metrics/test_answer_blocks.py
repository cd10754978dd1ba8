"""Blocks of answers are cut from time alone: disjoint, covering, all repeats of a question in one."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.run_views import T0, S, item
from joulemark.metrics.answer_blocks import cut_blocks
from joulemark.record.span import Span


def _run(seconds, repeats=1, segment_every=None):
    """Items of these lengths, asked one after another with a gap of a tenth of a second."""
    items, windows, at_s, segment, begin_s = [], [], 0.0, 0, 0.0
    n = len(seconds) // repeats
    for k in range(n * repeats):
        if segment_every and k and k % segment_every == 0:
            windows.append(Span(segment, T0 + round(begin_s * S), items[-1].t_end))
            segment, begin_s = segment + 1, at_s
        one = item(k % n, repeat=k // n, segment=segment, start_s=at_s + 0.1, first_s=None, end_s=seconds[k])
        items.append(one)
        at_s += 0.1 + seconds[k]
    windows.append(Span(segment, T0 + round(begin_s * S), items[-1].t_end))
    return items, windows


def test_a_block_is_closed_by_the_answer_that_makes_it_long_enough():
    items, windows = _run([0.9] * 10)
    blocks = cut_blocks(items, windows, 3 * S)
    # 3 s each, and the tenth answer joins the last
    assert [len(block.keys) for block in blocks] == [3, 3, 4]
    assert [block.stretches for block in blocks] == [
        (Span(0, T0, T0 + 3 * S),),
        (Span(0, T0 + 3 * S, T0 + 6 * S),),
        (Span(0, T0 + 6 * S, T0 + 10 * S),),
    ]


def test_a_run_shorter_than_a_block_is_one():
    items, windows = _run([0.9] * 10)
    (block,) = cut_blocks(items, windows, 60 * S)
    assert block.stretches == tuple(windows)
    assert cut_blocks([], windows, 60 * S) == []


def test_repeats_lie_in_one_block_with_a_stretch_each():
    items, windows = _run([0.9] * 12, repeats=2)
    blocks = cut_blocks(items, windows, 2 * S)
    assert [block.keys for block in blocks] == [
        (("q0", 0), ("q1", 0), ("q0", 1), ("q1", 1)),
        (("q2", 0), ("q3", 0), ("q2", 1), ("q3", 1)),
        (("q4", 0), ("q5", 0), ("q4", 1), ("q5", 1)),
    ]
    assert blocks[1].stretches == (
        Span(0, T0 + 2 * S, T0 + 4 * S),
        Span(0, T0 + 8 * S, T0 + 10 * S),
    )


@settings(deadline=None)
@given(
    st.lists(st.floats(0.01, 5), min_size=1, max_size=60),
    st.integers(1, 3),
    st.none() | st.integers(1, 20),
    st.floats(0.05, 40),
)
def test_blocks_share_out_the_windows_and_the_items(seconds, repeats, segment_every, least_s):
    seconds = seconds * repeats
    items, windows = _run(seconds, repeats, segment_every)
    blocks = cut_blocks(items, windows, round(least_s * S))
    keys = [key for block in blocks for key in block.keys]
    assert len(keys) == len(set(keys)) == len(items)
    question_of = {name: k for k, block in enumerate(blocks) for name, _ in block.keys}
    assert all(question_of[name] == k for k, block in enumerate(blocks) for name, _ in block.keys)
    parts = sorted(part for block in blocks for part in block.stretches)
    assert all(a.segment < b.segment or a.t1 <= b.t0 for a, b in pairwise(parts))
    length = sum(part.t1 - part.t0 for part in parts)
    assert length == sum(window.t1 - window.t0 for window in windows)
    for block in blocks[:-1] if len(blocks) > 1 else ():
        mean = sum(part.t1 - part.t0 for part in block.stretches) / len(block.stretches)
        assert mean >= least_s * S * (1 - 1e-6)
    # an answer and the time before it are in the stretches of its own block
    by_key = {one.key: one for one in items}
    for block in blocks:
        for key in block.keys:
            one = by_key[key]
            assert any(
                part.segment == one.segment and part.t0 <= one.t_begin and one.t_end <= part.t1
                for part in block.stretches
            )
