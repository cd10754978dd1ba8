"""Prompt tokens and prefix blocks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.load.words import text_of
from joulemark.simulate.http.prompt import Message, prefix_blocks, prompt_tokens, text_tokens

WORDS = st.integers(0, 1500).map(lambda n: text_of(f"words {n}", n))


def test_a_count_that_can_be_done_by_hand() -> None:
    # "Hello": 1, "extraordinary": 13 letters, 2; a message: 4; the conversation: 3
    assert prompt_tokens([Message("user", "Hello  extraordinary\n")]) == 3 + 4 + 3
    assert prompt_tokens([Message("system", ""), Message("user", "", images=1)]) == 2 * 4 + 3 + 256


@given(n=st.integers(1, 3000))
@settings(deadline=None)
def test_our_own_made_up_words_are_a_token_each(n: int) -> None:
    assert text_tokens(text_of("any", n)) == n


@given(text=WORDS, more=st.text(max_size=30))
@settings(deadline=None)
def test_full_blocks_are_counted_and_a_longer_prompt_shares_them(text: str, more: str) -> None:
    blocks = prefix_blocks([Message("user", text)])
    own = 4 + text_tokens(text)  # the answer's turn is the last thing in a prompt
    assert len(blocks) == (own + 3) // 512
    longer = prefix_blocks([Message("user", f"{text} {more}")])
    whole = own // 512
    assert longer[:whole] == blocks[:whole]


def test_another_salt_or_another_beginning_shares_nothing() -> None:
    text = text_of("one", 2000)
    plain = prefix_blocks([Message("user", text)])
    assert len(plain) == len(set(plain)) == 3
    for other in (
        prefix_blocks([Message("user", text)], "salt"),
        prefix_blocks([Message("user", f"x {text}")]),
    ):
        assert not set(other) & set(plain)
