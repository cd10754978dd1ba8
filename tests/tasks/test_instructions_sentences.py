"""How many sentences a text has."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.tasks.instructions.sentences import count_sentences


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, ""),
        (0, "... !!! ?"),
        (1, "Hello"),
        (1, "Hello."),
        (2, "Hello. World"),
        (2, "Wait! What?!"),
        (2, "“Who is it?” “Me.”"),
        (2, "It is **bold.** And (this too.)"),
        # abbreviations
        (1, "Mr. Smith met Dr. Jones and Prof. Lee at St. Mary."),
        (1, "Gen. Lee rode on."),
        (2, "They built the next gen. Lee rode on."),
        (2, "Bring pens, paper, etc. The rest is here."),
        (1, "Bring pens, etc. Paper is here."),
        (2, "They came at 5 p.m. They ate."),
        (1, "They came at 5 p.m. on Monday."),
        (1, "The U.S. Navy sailed."),
        (2, "He lives in the U.S. He likes it."),
        (1, "Use fruit, e.g. apples, i.e. Malus."),
        (1, "J. R. R. Tolkien wrote it."),
        (2, "So did I. They left."),
        (2, "See No. 5. Then stop."),
        (2, "No. I will not."),
        # numbers, addresses, lists
        (1, "It is 3.14 or 1.000.000 in v2.0 of www.example.com/a.html today."),
        (2, "1. Cook it.\n2. Eat it."),
        (1, "1. Cook\n2. Eat\n3. Sleep"),
        (2, "- a. Cook it.\n- b. Eat it."),
        (2, "I was born in 1990. You were not."),
        (1, "# A heading\n\nAnd one sentence."),
        # ellipses
        (1, "Well... maybe not."),
        (2, "Well... Maybe not."),
        (2, "Well… Maybe not."),
        # other scripts
        (2, "今天很好。明天也好！"),
        (2, "नमस्ते। आप कैसे हैं?"),
        (2, "مرحبا. كيف حالك؟"),
        # small letters only
        (2, "hello there. this is all small."),
    ],
)
def test_sentences(count: int, text: str) -> None:
    assert count_sentences(text) == count


@settings(deadline=None)
@given(st.lists(st.sampled_from(["We ate.", "It rained!", "Did you see?", "She left at 5."]), max_size=20))
def test_plain_sentences_add_up(sentences: list[str]) -> None:
    assert count_sentences(" ".join(sentences)) == len(sentences)
    assert count_sentences("\n".join(sentences)) == len(sentences)
