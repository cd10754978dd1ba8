"""How one engine wants its chat requests written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from joulemark.engines.dialect import Dialect

Message = tuple[str, str]
"""A chat message: (role, content)."""


@dataclass(frozen=True, slots=True)
class RequestStyle:
    """Writes OpenAI chat requests for one engine.

    ``model`` is the name that the engine knows; ``extra`` are fields of one engine only, such as llama.cpp's
    ``cache_prompt``.
    """

    model: str
    dialect: Dialect = field(default_factory=Dialect)
    extra: Mapping[str, object] = field(default_factory=dict)

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
        return orjson.dumps({**body, **self.extra})
