"""Words and letters that a reply must or must not contain."""

from __future__ import annotations

import re

from joulemark.tasks.instructions.arguments import Arguments, Check


def existence(arguments: Arguments) -> Check:
    """Every keyword occurs, in any case, also as a part of a longer word ("forests" has "forest")."""
    keywords = [keyword.strip().casefold() for keyword in arguments.texts("keywords")]
    return lambda reply: all(keyword in reply.casefold() for keyword in keywords)


def frequency(arguments: Arguments) -> Check:
    """The keyword occurs as often as asked, in any case, also as a part of longer words, as published."""
    keyword = arguments.text("keyword").strip().casefold()
    holds = arguments.threshold("relation", "frequency")
    return lambda reply: holds(reply.casefold().count(keyword))


def forbidden_words(arguments: Arguments) -> Check:
    """None of the words occurs as a whole word, in any case ("rocky" is not "rock")."""
    words = "|".join(re.escape(word.strip()) for word in arguments.texts("forbidden_words"))
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
    return lambda reply: pattern.search(reply) is None


def letter_frequency(arguments: Arguments) -> Check:
    """The letter, or other single character, occurs as often as asked, capital or not."""
    letter = arguments.text("letter").strip().lower()
    if len(letter) != 1:
        raise ValueError(f"instruction {arguments.instruction_id}: {letter!r} is not one letter")
    holds = arguments.threshold("let_relation", "let_frequency")
    return lambda reply: holds(reply.lower().count(letter))
