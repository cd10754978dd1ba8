"""How one engine wants its chat requests written: OpenAI's way."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import orjson

from joulemark.engines.dialect import Dialect
from joulemark.record.content import Content, Message

__all__ = ["Message", "RequestStyle", "RequestWriter"]

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
        exact_length: bool = False,
    ) -> bytes:
        """Return the JSON of a request; ``seed`` is left out where the engine takes none.

        ``exact_length``: the answer is to go on until ``max_tokens``, where the engine lets one ask for that.
        """
        ...

    @property
    def takes_exact_length(self) -> bool:
        """Whether the engine lets one ask for an answer of a given length."""
        ...


@dataclass(frozen=True, slots=True)
class RequestStyle:
    """Writes OpenAI chat requests for one engine.

    ``model`` is the name that the engine knows; ``extra`` are fields of one engine only, such as llama.cpp's
    ``cache_prompt``. ``salt_field`` names the field whose value parts the prompt cache: each request gets a
    value of its own there, so that none finds what another one left. ``exact_fields`` are those that make an
    answer go on until its limit.
    """

    model: str
    dialect: Dialect = field(default_factory=Dialect)
    extra: Mapping[str, object] = field(default_factory=dict)
    salt_field: str | None = None
    exact_fields: Mapping[str, object] = field(default_factory=dict)

    @property
    def takes_exact_length(self) -> bool:
        """Whether the engine lets one ask for an answer of a given length."""
        return bool(self.exact_fields)

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int | None = None,
        exact_length: bool = False,
    ) -> bytes:
        """Return the JSON of a streamed request; see `RequestWriter`."""
        dialect = self.dialect
        body: dict[str, object] = {
            "model": self.model,
            "messages": [{"role": role, "content": _content(content)} for role, content in messages],
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
        return orjson.dumps({**body, **self.extra, **(self.exact_fields if exact_length else {})})


def _content(content: Content) -> object:
    """Return a message's content: a text, or parts where it has pictures, each in a URL that holds it."""
    if isinstance(content, str):
        return content
    shown = [{"type": "image_url", "image_url": {"url": picture.data_url}} for picture in content.pictures]
    return [{"type": "text", "text": content.text}, *shown]
