"""What a reply must have beside its text: placeholders, a postscript."""

from __future__ import annotations

import re

from joulemark.tasks.instructions.arguments import Arguments, Check

_BRACKETS = re.compile(r"\[([^\[\]\n]*+)\]")


def number_placeholders(arguments: Arguments) -> Check:
    """There are at least so many placeholders, texts in square brackets on one line ("[address]")."""
    wanted = arguments.count("num_placeholders")
    return lambda reply: sum(1 for inner in _BRACKETS.findall(reply) if inner.strip()) >= wanted


def postscript(arguments: Arguments) -> Check:
    """The marker (P.S., P.P.S), in any case and spacing, stands as a word of its own with text behind it.

    So "P.P.S" is no "P.S."; the publication finds the one in the other.
    """
    letters = [letter for letter in arguments.text("postscript_marker") if letter.isalnum()]
    if not letters:
        raise ValueError(f"instruction {arguments.instruction_id}: the marker has no letter")
    marker = r"\.\s?".join(re.escape(letter) for letter in letters)
    pattern = re.compile(rf"(?<![\w.])(?<!\b{re.escape(letters[0])}\.\s){marker}(?!\w)", re.IGNORECASE)

    def check(reply: str) -> bool:
        found = pattern.search(reply)
        return found is not None and any(sign.isalnum() for sign in reply[found.end() :])

    return check
