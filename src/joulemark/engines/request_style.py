"""How one engine wants its chat requests written: OpenAI's way."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import orjson

from joulemark.engines.dialect import Dialect

Message = tuple[str, str]
"""A chat message: (role, content)."""

_SALT_BYTES = 16


class RequestWriter(Protocol):
    """Writes the body of a streamed chat request for one engine and one model."""

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int | None = None,
    ) -> bytes:
        """Return the JSON of a request; ``seed`` is left out where the engine takes none."""
        ...


@dataclass(frozen=True, slots=True)
class RequestStyle:
    """Writes OpenAI chat requests for one engine.

    ``model`` is the name that the engine knows; ``extra`` are fields of one engine only, such as llama.cpp's
    ``cache_prompt``. ``salt_field`` names the field whose value parts the prompt cache: each request gets a
    value of its own there, so that none finds what another one left.
    """

    model: str
    dialect: Dialect = field(default_factory=Dialect)
    extra: Mapping[str, object] = field(default_factory=dict)
    salt_field: str | None = None

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int | None = None,
    ) -> bytes:
        """Return the JSON of a streamed request; ``seed`` is left out where the engine takes none."""
        dialect = self.dialect
        body: dict[str, object] = {
            "model": self.model,
            "messages": [{"role": role, "content": content} for role, content in messages],
            dialect.limit_name: max_tokens,
            "temperature": temperature,
            "top_p": top_p,
            "stream": True,
        }
        if seed is not None and dialect.seed:
            body["seed"] = seed
        if dialect.include_usage:
            body["stream_options"] = {"include_usage": True}
        if self.salt_field is not None:
            body[self.salt_field] = secrets.token_hex(_SALT_BYTES)
        return orjson.dumps({**body, **self.extra})
