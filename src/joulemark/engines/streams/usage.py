"""Token counts as a server states them; unknown is null, never 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from joulemark.engines.streams.decode import Json

_MOST_TOKENS = 10**9
"""A count above this is a broken server's, not a context's."""

Complain = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request: ``completion`` is all that was generated, hidden thinking included.

    ``cached`` is the part of ``prompt`` that came from a cache; ``reasoning`` the part of ``completion``
    that was thinking.
    """

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    total: int | None = None

    @property
    def known(self) -> bool:
        """Whether any count is known."""
        return any(v is not None for v in (self.prompt, self.completion, self.total))

    def summed(self) -> Usage:
        """Fill a total that was not stated from its two parts, where both are known."""
        if self.total is not None or self.prompt is None or self.completion is None:
            return self
        return replace(self, total=self.prompt + self.completion)


def token_count(value: Any, name: str, complain: Complain) -> int | None:
    """Return ``value`` as a token count; what is no count is unknown, and is complained of."""
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= _MOST_TOKENS:
        complain(f"{name} is no token count")
        return None
    return value


def _first(usage: Json, names: tuple[str, ...], complain: Complain) -> int | None:
    for name in names:
        outer, _, inner = name.partition(".")
        value = usage.get(outer)
        if inner:
            value = value.get(inner) if isinstance(value, dict) else None
        count = token_count(value, name, complain)
        if count is not None:
            return count
    return None


_PROMPT = ("prompt_tokens", "input_tokens")
_COMPLETION = ("completion_tokens", "output_tokens")
_CACHED = (
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cached_tokens",
)
_REASONING = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "reasoning_tokens",
)


def openai_usage(usage: Json, complain: Complain) -> Usage:
    """Read a ``usage`` object of the chat, completions or Responses API and its relatives."""
    return Usage(
        _first(usage, _PROMPT, complain),
        _first(usage, _COMPLETION, complain),
        _first(usage, _CACHED, complain),
        _first(usage, _REASONING, complain),
        _first(usage, ("total_tokens",), complain),
    )


def anthropic_usage(usage: Json, before: Usage | None, complain: Complain) -> Usage:
    """Read a ``usage`` object of the Messages API, whose later objects state only what changed.

    Its ``input_tokens`` leaves out what was read from or written to the cache; the prompt is all three.
    """
    known = before or Usage()
    output = token_count(usage.get("output_tokens"), "output_tokens", complain)
    fresh = token_count(usage.get("input_tokens"), "input_tokens", complain)
    read = token_count(usage.get("cache_read_input_tokens"), "cache_read_input_tokens", complain)
    name = "cache_creation_input_tokens"
    written = token_count(usage.get(name), name, complain)
    return Usage(
        known.prompt if fresh is None else fresh + (read or 0) + (written or 0),
        known.completion if output is None else output,
        known.cached if read is None else read,
    )


def measure(value: Any) -> float | int | None:
    """Return ``value`` if it is a finite number that is not negative; a duration or a cost."""
    if type(value) is int:
        return value if 0 <= value < 2**63 else None
    if type(value) is float:
        return value if math.isfinite(value) and value >= 0 else None
    return None
