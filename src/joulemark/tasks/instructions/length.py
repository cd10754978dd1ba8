"""How long a reply must be: words, sentences, paragraphs."""

from __future__ import annotations

import re

from joulemark.tasks.instructions.arguments import Arguments, Check
from joulemark.tasks.instructions.marks import divided
from joulemark.tasks.instructions.sentences import count_sentences

_WORD = re.compile(r"\w+")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def number_words(arguments: Arguments) -> Check:
    """The number of words, runs of letters and digits ("don't" and "well-known" are two), is as asked."""
    holds = arguments.threshold("relation", "num_words")
    return lambda reply: holds(sum(1 for _ in _WORD.finditer(reply)))


def number_sentences(arguments: Arguments) -> Check:
    """The number of sentences is as asked; `sentences` says what one is."""
    holds = arguments.threshold("relation", "num_sentences")
    return lambda reply: holds(count_sentences(reply))


def number_paragraphs(arguments: Arguments) -> Check:
    """There are exactly so many paragraphs between dividers ``***``, and none of them is empty."""
    wanted = arguments.count("num_paragraphs")

    def check(reply: str) -> bool:
        paragraphs = divided(reply, 3)
        return len(paragraphs) == wanted and all(paragraphs)

    return check


def nth_paragraph_first_word(arguments: Arguments) -> Check:
    """Exactly so many paragraphs stand between blank lines, and the nth starts with the word, in any case.

    Quotation marks, markdown and other signs before the word are passed over; an apostrophe ends it, as
    published. Empty paragraphs are none; the publication counts their position all the same.
    """
    wanted, nth = arguments.count("num_paragraphs"), arguments.count("nth_paragraph")
    first = arguments.text("first_word").strip().casefold()
    if not 1 <= nth <= wanted:
        raise ValueError(f"instruction {arguments.instruction_id}: no paragraph {nth} among {wanted}")

    def check(reply: str) -> bool:
        paragraphs = [part for part in _BLANK_LINE.split(reply) if part.strip()]
        if len(paragraphs) != wanted:
            return False
        word = _WORD.search(paragraphs[nth - 1])
        return word is not None and word[0].casefold() == first

    return check
