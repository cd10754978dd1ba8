"""What a request asks for, read from its JSON without trusting it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from joulemark.simulate.http.prompt import Message
from joulemark.simulate.http.refusal import Refusal

_MOST_TOKENS = 10_000_000
_LIMITS = ("max_completion_tokens", "max_tokens", "n_predict")


@dataclass(frozen=True, slots=True)
class Asked:
    """A chat request.

    ``limit`` is the most tokens of the answer (null: none was named); ``exact``: the answer is to have that
    many. ``include_usage`` and ``running_usage``: counts at the end, and on every event. ``caching``: the
    prompt's beginning may be kept and found. ``context`` is the context to load the model with (Ollama's
    ``num_ctx``; null: not said).
    """

    model: str
    messages: tuple[Message, ...]
    stream: bool
    limit: int | None = None
    exact: bool = False
    least: int = 0
    include_usage: bool = False
    running_usage: bool = False
    token_ids: bool = False
    running_timings: bool = False
    salt: str = ""
    caching: bool = True
    context: int | None = None

    @property
    def question(self) -> str:
        """What the user said last: by this text an item of a task is known again."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), self.messages[-1].text)


def read_openai(body: bytes) -> Asked:
    """Read a request of OpenAI's chat API; raises ``Refusal`` with status 400 for what is none."""
    asked = _document(body)
    options = asked.get("stream_options")
    options = options if isinstance(options, dict) else {}
    if asked.get("n") not in (None, 1):
        raise Refusal(400, "n must be 1: the simulated server gives one answer a request")
    named = [asked[name] for name in _LIMITS if asked.get(name) is not None]
    return Asked(
        model=_text(asked.get("model")),
        messages=_messages(asked.get("messages")),
        stream=asked.get("stream") is True,
        limit=_count(named[0], "max_tokens", least=1) if named else None,
        exact=asked.get("ignore_eos") is True,
        least=_count(asked.get("min_tokens") or 0, "min_tokens"),
        include_usage=options.get("include_usage") is True,
        running_usage=options.get("continuous_usage_stats") is True,
        token_ids=asked.get("return_token_ids") is True,
        running_timings=asked.get("timings_per_token") is True,
        salt=_text(asked.get("cache_salt")),
        caching=asked.get("cache_prompt") is not False,
    )


def read_ollama(body: bytes) -> Asked:
    """Read a request of Ollama's ``/api/chat``, which streams unless told otherwise; raises ``Refusal``."""
    asked = _document(body)
    options = asked.get("options")
    options = options if isinstance(options, dict) else {}
    limit, context = options.get("num_predict"), options.get("num_ctx")
    unbounded = limit is None or (isinstance(limit, int) and limit < 0)
    return Asked(
        model=_text(asked.get("model")),
        messages=_messages(asked.get("messages")),
        stream=asked.get("stream") is not False,
        limit=None if unbounded else _count(limit, "num_predict", least=1),
        context=None if context is None else _count(context, "num_ctx", least=1),
    )


def _document(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refusal(400, f"the request is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refusal(400, "the request is no JSON object")
    return found


def _messages(value: Any) -> tuple[Message, ...]:
    if not isinstance(value, list) or not value:
        raise Refusal(400, "messages must be a list that is not empty")
    return tuple(_message(entry) for entry in value)


def _message(entry: Any) -> Message:
    if not isinstance(entry, dict) or not isinstance(entry.get("role"), str):
        raise Refusal(400, "each message must be an object with a role")
    content, pictures = entry.get("content"), entry.get("images")
    images = len(pictures) if isinstance(pictures, list) else 0
    if content is None or isinstance(content, str):
        return Message(entry["role"], content or "", images)
    if not isinstance(content, list):
        raise Refusal(400, "the content of a message must be a text or a list of parts")
    texts: list[str] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "image_url":
            images += 1
        elif kind == "text" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            raise Refusal(400, "a part of a message must be a text or an image_url")
    return Message(entry["role"], "\n".join(texts), images)


def _count(value: Any, name: str, *, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= _MOST_TOKENS:
        raise Refusal(400, f"{name} must be a whole number from {least} to {_MOST_TOKENS}")
    return int(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
