"""Made-up requests: as long as wished, the same again, and with the prefixes in common that were wished."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.loaded import plan_of
from joulemark.load.lengths import Lengths, RequestLengths, parse_lengths
from joulemark.load.made_up import MadeUp
from joulemark.load.shape import LoadShape
from joulemark.load.token_rate import TokenRate
from joulemark.load.trace import read_trace
from joulemark.load.words import VOCABULARY, text_of
from joulemark.record.content import Message
from joulemark.record.drawn import PARETO_ALPHA
from joulemark.record.errors import InputError

RATE = TokenRate(per_word=1.25, overhead_tokens=30.0, observed=True)


def texts(made_up: MadeUp, rate: TokenRate = RATE) -> list[str]:
    return [question.messages[0][1] for question in made_up.task_set(rate).questions]


def shared(a: Sequence[object], b: Sequence[object]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def common(a: str, b: str) -> int:
    return shared(a.split(), b.split())


@settings(deadline=None)
@given(key=st.text(max_size=20), n_words=st.integers(0, 200_000), k=st.integers(1, 200_000))
def test_a_text_has_its_words_and_begins_as_a_shorter_one(key: str, n_words: int, k: int) -> None:
    whole = text_of(key, n_words).split()
    assert len(whole) == n_words
    assert set(whole) <= set(VOCABULARY)
    shorter = min(k, n_words)
    assert text_of(key, shorter).split() == whole[:shorter]


def test_no_two_texts_begin_alike() -> None:
    beginnings = {text_of(f"request {n}", 8) for n in range(20_000)}
    assert len(beginnings) == 20_000


def test_prompts_have_the_tokens_that_were_wanted_as_the_engine_counts_them() -> None:
    requests = tuple(RequestLengths(tokens, 7) for tokens in (31, 64, 500, 4000))
    for question in MadeUp("synthetic", "made up", requests).task_set(RATE).questions:
        n_words = len(question.messages[0][1].split())
        counted = RATE.overhead_tokens + RATE.per_word * n_words
        lengths = requests[int(question.item_id.rpartition("-")[2])]
        assert abs(counted - lengths.prompt_tokens) <= RATE.per_word
        assert question.max_tokens == 7
        assert question.exact_length
        assert question.gold is None


def test_another_seed_makes_other_words_and_the_same_one_the_same() -> None:
    requests = (RequestLengths(100, 5), RequestLengths(100, 5))
    first, same, other = (texts(MadeUp("s", "m", requests, seed)) for seed in (0, 0, 1))
    assert first == same
    assert not set(first) & set(other)
    assert common(*first) < 8
    revisions = {MadeUp("s", "m", requests, seed).task_set(RATE).revision for seed in (0, 1)}
    assert len(revisions) == 2


def test_equal_blocks_are_equal_text_and_nothing_else_is_shared() -> None:
    rate = TokenRate(1.0, 0.0, observed=True)
    requests = (
        RequestLengths(1536, 5, (7, 8, 9)),
        RequestLengths(1300, 5, (7, 8, 10)),
        RequestLengths(1024, 5, (8, 7)),
        RequestLengths(600, 5, (7, 11)),
    )
    a, b, c, d = texts(MadeUp("t", "trace", requests), rate)
    assert [len(text.split()) for text in (a, b, c, d)] == [1536, 1300, 1024, 600]
    assert 1024 <= common(a, b) < 1024 + 8
    assert common(a, c) < 8
    assert 512 <= common(a, d) < 512 + 8


def test_blocks_of_a_recorded_trace_are_shared_as_recorded(data_dir: Path) -> None:
    trace = read_trace(data_dir / "tasks" / "traces" / "mooncake_conversation_trace.jsonl").window(n=300)
    made_up = MadeUp("t", "trace", tuple(row.lengths for row in trace.rows))
    found = texts(made_up, TokenRate(1.0, 20.0, observed=True))
    shared_by_text = shared_by_name = 0
    for (one, a), (other, b) in zip(
        zip(made_up.requests, found, strict=True),
        zip(made_up.requests[1:], found[1:], strict=False),
        strict=False,
    ):
        shared_by_name += shared(one.blocks, other.blocks)
        shared_by_text += common(a, b) // 512
    assert shared_by_text == shared_by_name > 0


def test_prompts_are_written_when_they_are_asked_for() -> None:
    """Twelve thousand prompts of twelve thousand tokens are 700 MB of text; nothing of it is kept."""
    import tracemalloc

    requests = tuple(RequestLengths(12_000, 300, tuple(range(n, n + 24))) for n in range(500))
    text_of("warm", 10)
    tracemalloc.start()
    task = MadeUp("t", "trace", requests).task_set(RATE)
    for question in task.questions:
        assert len(question.messages[0][1]) > 30_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 << 20


class Unread(Sequence[Message]):
    """Messages that nobody may write out."""

    def __getitem__(self, index: object) -> NoReturn:
        raise AssertionError("a prompt was written out")

    def __len__(self) -> int:
        return 1


def test_a_load_is_planned_without_a_prompt_being_written(tmp_path: Path) -> None:
    task = MadeUp("t", "trace", tuple(RequestLengths(12_000, n) for n in range(1, 9))).task_set(RATE)
    assert task.questions[0].picture_digests == ()
    written = plan_of("http://unused", task, LoadShape.closed(2), tmp_path)
    questions = tuple(replace(question, messages=Unread()) for question in task.questions)
    unread = replace(written, task=replace(task, questions=questions))
    assert unread.task_facts == written.task_facts
    assert unread.task_facts is unread.task_facts, "they are made once, for whoever asks for the identity"


def test_drawn_lengths_have_their_means_and_tails() -> None:
    requests = Lengths(600, 90, "drawn").draw(200_000, seed=2)
    prompts = [lengths.prompt_tokens for lengths in requests]
    outputs = [lengths.output_tokens for lengths in requests]
    # the Pareto distribution with α 2.5 has a finite variance: σ = mean/√(α(α−2)) = 0.894 mean
    assert statistics.mean(prompts) == pytest.approx(600, rel=0.015)
    assert statistics.mean(outputs) == pytest.approx(90, rel=0.015)
    scale = 600 * (PARETO_ALPHA - 1) / PARETO_ALPHA
    assert min(prompts) >= int(scale)
    beyond = sum(tokens > 4 * scale for tokens in prompts) / len(prompts)
    assert beyond == pytest.approx(4**-PARETO_ALPHA, rel=0.05)
    longer = sum(tokens > 180 for tokens in outputs) / len(outputs)
    assert longer == pytest.approx((1 - 1 / 90) ** 180, rel=0.05)


def test_lengths_are_prefix_stable_cut_and_fixed() -> None:
    drawn = Lengths(600, 90, "drawn", longest=700)
    assert drawn.draw(100, 4)[:10] == drawn.draw(10, 4)
    assert max(lengths.prompt_tokens for lengths in drawn.draw(5000, 4)) == 700
    assert set(parse_lengths("512:128").draw(5, 1)) == {RequestLengths(512, 128)}
    assert all(lengths.output_tokens == 1 for lengths in Lengths(10, 1, "drawn").draw(100, 1))


@pytest.mark.parametrize("wrong", ["", "512", "512:", "a:b", "0:5", "5:0", "-1:3", "1:2:3"])
def test_what_is_no_pair_of_lengths_is_refused(wrong: str) -> None:
    with pytest.raises(InputError):
        parse_lengths(wrong)
