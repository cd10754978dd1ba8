"""How Ollama wants its chat requests written, by its native API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from joulemark.record.content import Content, Message


@dataclass(frozen=True, slots=True)
class OllamaStyle:
    """Writes requests for ``/api/chat``.

    ``n_ctx`` is the context to load the model with, in tokens: left out, it would be whatever the server's
    memory suggests. ``truncate`` and ``shift`` are off, so that a prompt that does not fit is refused and not
    silently cut. Whether the model thinks, and how long it stays loaded, is left to the server.
    """

    model: str
    n_ctx: int

    @property
    def takes_exact_length(self) -> bool:
        """Whether the engine lets one ask for an answer of a given length."""
        return False

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
        """Return the JSON of a streamed request; how long an answer is, Ollama lets the model say."""
        options: dict[str, object] = {
            "num_ctx": self.n_ctx,
            "num_predict": max_tokens,
            "temperature": temperature,
            "top_p": top_p,
        }
        if seed is not None:
            options["seed"] = seed
        return orjson.dumps(
            {
                "model": self.model,
                "messages": [_message(role, content) for role, content in messages],
                "stream": True,
                "truncate": False,
                "shift": False,
                "options": options,
            }
        )


def _message(role: str, content: Content) -> dict[str, object]:
    if isinstance(content, str):
        return {"role": role, "content": content}
    shown = [picture.base64 for picture in content.pictures]
    return {"role": role, "content": content.text, "images": shown}
