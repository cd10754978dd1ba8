"""Replies made of several pieces: two responses, the prompt said again."""

from __future__ import annotations

from joulemark.tasks.instructions.arguments import Arguments, Check
from joulemark.tasks.instructions.marks import divided, plain


def two_responses(arguments: Arguments) -> Check:
    """Six asterisks, ``******``, part exactly two responses, neither of them empty, that are not the same."""

    def check(reply: str) -> bool:
        parts = divided(reply, 6)
        return len(parts) == 2 and all(parts) and parts[0] != parts[1]

    return check


def repeat_prompt(arguments: Arguments) -> Check:
    """The reply begins with the prompt, word for word; case, white space and curly quotes do not matter."""
    prompt = plain(arguments.text("prompt_to_repeat"))
    return lambda reply: plain(reply).startswith(prompt)
