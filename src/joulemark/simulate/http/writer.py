"""Writing an answer as bytes: what all ways of writing have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Spent:
    """What an answer took: tokens, and nanoseconds until the first token and from there to the last."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    prefill_ns: int
    decode_ns: int


class AnswerWriter(Protocol):
    """Writes one answer in one engine's way.

    A stream is `opening`, `tokens` for one stretch of tokens after another, and `ending`; `failure` may come
    in place of any of them but the first. `whole` and `whole_failure` are documents in place of a stream.
    """

    content_type: str

    def opening(self) -> bytes:
        """Return what comes as soon as the request is taken."""
        ...

    def ping(self) -> bytes:
        """Return what is sent while nothing else is; empty where nothing is."""
        ...

    def tokens(self, first: int, after_last: int) -> bytes:
        """Return the events of the tokens ``first`` … ``after_last − 1``."""
        ...

    def ending(self, spent: Spent) -> bytes:
        """Return what follows the last token."""
        ...

    def failure(self, message: str) -> bytes:
        """Return an error that ends the stream."""
        ...

    def whole(self, spent: Spent) -> bytes:
        """Return the answer as one JSON document."""
        ...

    def whole_failure(self, message: str) -> bytes:
        """Return an error as one JSON document."""
        ...
