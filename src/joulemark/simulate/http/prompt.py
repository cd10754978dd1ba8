"""How many tokens a prompt has, and which of its beginnings it shares: a rule that can be done by hand.

A word counts as one token for each ten characters or part of them, white space for nothing. Each message
adds four tokens, the conversation three, a picture 256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joulemark.simulate.request import PREFIX_BLOCK_TOKENS

CHARS_A_TOKEN = 10
MESSAGE_TOKENS = 4
CONVERSATION_TOKENS = 3
IMAGE_TOKENS = 256

_DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: who says it, its text, and how many pictures it shows."""

    role: str
    text: str
    images: int = 0


def text_tokens(text: str) -> int:
    """Return the tokens of a text."""
    return sum(-(-len(word) // CHARS_A_TOKEN) for word in text.split())


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Return the tokens of a conversation, those of its template included."""
    own = sum(text_tokens(message.text) + IMAGE_TOKENS * message.images for message in messages)
    return own + MESSAGE_TOKENS * len(messages) + CONVERSATION_TOKENS


def prefix_blocks(messages: Sequence[Message], salt: str = "") -> tuple[int, ...]:
    """Return a hash for each full block of 512 tokens, each of all tokens up to the block's end.

    Prompts that begin alike begin with the same hashes; another ``salt`` parts them from the first on.
    """
    running = hashlib.blake2b(salt.encode(), digest_size=_DIGEST_BYTES)
    blocks: list[int] = []
    held = 0
    for token in _tokens(messages):
        running.update(token.encode())
        running.update(b"\0")
        held += 1
        if held == PREFIX_BLOCK_TOKENS:
            blocks.append(int.from_bytes(running.digest(), "big"))
            held = 0
    return tuple(blocks)


def _tokens(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield from (f"<{message.role}>", *("<template>",) * (MESSAGE_TOKENS - 1))
        for word in message.text.split():
            yield from (word[at : at + CHARS_A_TOKEN] for at in range(0, len(word), CHARS_A_TOKEN))
        yield from ("<image>",) * (IMAGE_TOKENS * message.images)
    yield from ("<answer>",) * CONVERSATION_TOKENS
