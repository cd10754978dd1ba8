"""Who answers: the protocol that a run sees, whichever engine stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import orjson

from joulemark.engines.exchange import Endpoint

if TYPE_CHECKING:
    from joulemark.record import manifest

Message = tuple[str, str]
"""A chat message: (role, content)."""

Progress = Callable[[str, float | None], None]
"""Is told what is being done and, where known, which fraction of it (0 to 1); any thread may call it."""


class Engine(Protocol):
    """An engine that answers chat requests.

    `start` must have returned before anything else is believed; `stop` is safe to call at any time and more
    than once. An engine that is only a URL is looked at by `start`, never started, and left alone by `stop`.
    """

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go."""
        ...

    async def start(self) -> None:
        """Make the engine ready. Raises `InputError` with the command that helps."""
        ...

    async def stop(self) -> None:
        """End what `start` started."""
        ...

    def describe(self) -> manifest.Engine:
        """Return what is known of the engine, for the manifest; each null has its reason."""
        ...

    def request_body(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int | None = None,
        stream: bool = True,
    ) -> bytes:
        """Return the JSON of a chat request, ready to send; ``seed`` is sent to the engine when given."""
        ...

    def pid(self) -> int | None:
        """Return the engine's process id on this machine, null when it is not known or not here."""
        ...

    def died(self) -> bool:
        """Tell whether the engine's process is known to have ended by itself."""
        ...

    @property
    def log_path(self) -> Path | None:
        """Where the engine's log is on this machine, null where there is none of ours."""
        ...


def silent(_message: str, _fraction: float | None) -> None:
    """Report no progress."""


def chat_body(
    model: str,
    messages: Sequence[Message],
    *,
    max_tokens: int,
    temperature: float,
    top_p: float,
    seed: int | None,
    stream: bool,
    include_usage: bool = True,
    limit_name: str = "max_tokens",
    extra: Mapping[str, object] | None = None,
) -> bytes:
    """Return an OpenAI chat request as JSON.

    ``limit_name`` is what the server calls the limit on generated tokens; ``extra`` are fields of one engine
    only, such as llama.cpp's ``cache_prompt``.
    """
    body: dict[str, object] = {
        "model": model,
        "messages": [{"role": role, "content": content} for role, content in messages],
        limit_name: max_tokens,
        "temperature": temperature,
        "top_p": top_p,
    }
    if seed is not None:
        body["seed"] = seed
    if stream:
        body["stream"] = True
        if include_usage:
            body["stream_options"] = {"include_usage": True}
    body.update(extra or {})
    return orjson.dumps(body)
