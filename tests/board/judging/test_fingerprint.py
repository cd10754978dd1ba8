"""Answers against those of others with the same settings: what cannot be the same model's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.board_runs import content_of, peers_of
from doubles.forgeries import H100
from joulemark.board.judging import RunFacts
from joulemark.board.judging.fingerprint import MOST_ANSWERS, fingerprint_grounds, fingerprint_of


def codes(facts: RunFacts, peers: list[RunFacts]) -> set[str]:
    return {ground.code for ground in fingerprint_grounds(facts, peers)}


def changed(text: str | None, share: float, change: Callable[[str], str], seed: int = 1) -> str:
    """Change a share of the answers of a fingerprint."""
    words = (text or "").split()
    chosen = np.random.default_rng(seed).permutation(len(words))[: round(share * len(words))]
    return " ".join(change(word) if k in chosen else word for k, word in enumerate(words))


def longer(word: str) -> str:
    name, _, rest = word.partition("=")
    return f"{name}={int(rest[:-1]) + 3}{rest[-1]}"


def flipped(word: str) -> str:
    return word[:-1] + {"+": "-", "-": "+"}[word[-1]]


def edited(word: str) -> str:
    return word[:-1] + "+"


def test_it_is_a_sample_of_the_same_questions_for_all() -> None:
    some = fingerprint_of(content_of(replace(H100, n=100), 1).view())
    same = fingerprint_of(content_of(replace(H100, n=100), 2).view())
    assert some is not None
    assert some == same  # the noise of a machine is no part of its answers
    assert len(some.split()) == MOST_ANSWERS


def test_it_holds_no_word_and_no_name_of_a_question(facts: RunFacts) -> None:
    assert facts.answers is not None
    assert "q0" not in facts.answers
    assert set(facts.answers) <= set("0123456789abcdef=+-? ")


def test_no_counts_no_fingerprint() -> None:
    view = content_of(H100).view()
    bare = replace(view, items=tuple(replace(item, completion_tokens=None) for item in view.items))
    assert fingerprint_of(bare) is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_rounding_that_changes_answers_is_honest(facts: RunFacts, share: float) -> None:
    mine = replace(facts, answers=changed(facts.answers, share, lambda word: flipped(longer(word))))
    assert codes(mine, peers_of(facts)) == set()


def test_other_lengths_are_another_model(facts: RunFacts) -> None:
    mine = replace(facts, answers=changed(facts.answers, 1.0, longer))
    assert codes(mine, peers_of(facts)) == {"answers_unlike"}
    # where others do not agree among themselves (a temperature) nothing follows
    apart = [replace(p, answers=changed(p.answers, 0.7, longer, k)) for k, p in enumerate(peers_of(facts))]
    assert codes(mine, apart) == set()


def test_verdicts_that_nobody_has_are_edited(facts: RunFacts) -> None:
    mine = replace(facts, answers=changed(facts.answers, 1.0, edited))
    assert codes(mine, peers_of(facts)) == {"verdicts_unlike"}
    worse = replace(facts, answers=changed(facts.answers, 1.0, lambda word: word[:-1] + "-"))
    assert codes(worse, peers_of(facts)) == set()  # nobody gains by that, and an accuracy tells it


def test_only_others_of_the_same_engine_and_settings_speak(facts: RunFacts) -> None:
    mine = replace(facts, answers=changed(facts.answers, 1.0, edited))
    peers = peers_of(facts)
    assert codes(replace(mine, engine_version="0.12.0"), peers) == set()
    assert codes(replace(mine, config_hash="0" * 64), peers) == set()
    assert codes(mine, peers[:4]) == set()
    assert codes(mine, [replace(peers[0], signer="f" * 64)] * 30) == set()
    assert codes(replace(mine, answers=None), peers) == set()


@given(st.text(max_size=60) | st.none())
def test_any_text_is_read(facts: RunFacts, text: str | None) -> None:
    assert codes(replace(facts, answers=text), peers_of(facts)) == set()
    peers = [replace(peer, answers=text) for peer in peers_of(facts)]
    assert codes(facts, peers) == set()
