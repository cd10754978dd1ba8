"""How an engine writes an answer by OpenAI's chat API: what differs between engines, byte by byte."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ChatStyle:
    """The quirks of one engine's event streams.

    ``prefix`` stands before each event's JSON and ``eol`` ends its lines; ``done``: ``[DONE]`` comes last.
    ``hello`` are bytes before the first event, ``ping`` a comment that is sent while nothing else comes.
    ``empty_first``: the first event has no choice. ``role_content``: what a first chunk with the role alone
    has as content (null: there is no such chunk); ``role_always``: every delta names the role;
    ``blank_finish``: the first chunk's finish reason is an empty text and no null.

    ``thinking`` comes in ``thought_fields`` of the delta, in tags inside the content, or not at all.
    ``counts_stop``: the token that ends an answer is counted and has no text. ``finish_with_token``: the
    finish reason comes with the last token and not in an event of its own, whose delta is ``finish_delta``.
    ``usage_on_finish``: the counts stand on that event and not on one without choices; ``usage_unasked``:
    they come though nobody asked for them; ``null_usage``: until then every event says that usage is null.
    ``timings``: llama.cpp's times come with the counts. ``tokens_a_chunk`` is how many tokens it gathers.
    ``choice_tail`` and ``event_tail`` are further JSON members of each choice and of each event.
    """

    prefix: str = "data: "
    eol: str = "\n"
    done: bool = True
    hello: bytes = b""
    ping: bytes = b""
    empty_first: bool = False
    role_content: str | None = '""'
    role_always: bool = False
    blank_finish: bool = False
    thinking: Literal["fields", "tags", "hidden"] = "fields"
    thought_fields: tuple[str, ...] = ("reasoning_content",)
    counts_stop: bool = True
    finish_with_token: bool = False
    finish_delta: str = "{}"
    usage_on_finish: bool = False
    usage_unasked: bool = False
    null_usage: bool = False
    timings: bool = False
    tokens_a_chunk: int = 1
    choice_tail: str = ""
    event_tail: str = ""


OPENAI = ChatStyle(
    thinking="hidden",
    thought_fields=(),
    counts_stop=False,
    null_usage=True,
    choice_tail='"logprobs":null',
    event_tail='"service_tier":"default","system_fingerprint":"fp_simulated"',
)
VLLM = ChatStyle(thought_fields=("reasoning",), finish_with_token=True, choice_tail='"logprobs":null')
SGLANG = ChatStyle(
    finish_delta='{"role":null,"content":null,"reasoning_content":null,"tool_calls":null}',
    null_usage=True,
    choice_tail='"logprobs":null,"matched_stop":null',
)
LLAMA_CPP = ChatStyle(
    ping=b":\n\n",
    role_content="null",
    timings=True,
    event_tail='"system_fingerprint":"b6990-simulated"',
)
OLLAMA_OPENAI = ChatStyle(
    role_content=None,
    role_always=True,
    thought_fields=("reasoning",),
    finish_delta='{"role":"assistant","content":""}',
    event_tail='"system_fingerprint":"fp_ollama"',
)
TGI = ChatStyle(
    prefix="data:",
    done=False,
    role_content=None,
    role_always=True,
    blank_finish=True,
    thinking="tags",
    thought_fields=(),
    finish_delta='{"role":"assistant","content":""}',
    usage_on_finish=True,
    usage_unasked=True,
)
LM_STUDIO = ChatStyle(
    role_content=None,
    role_always=True,
    choice_tail='"logprobs":null',
    event_tail='"system_fingerprint":"simulated"',
)
GATEWAY = ChatStyle(
    eol="\r\n",
    hello=b": SIMULATED GATEWAY PROCESSING\r\n\r\n",
    ping=b": SIMULATED GATEWAY PROCESSING\r\n\r\n",
    empty_first=True,
    thought_fields=("reasoning", "reasoning_content"),
    counts_stop=False,
    usage_on_finish=True,
    usage_unasked=True,
    tokens_a_chunk=4,
    event_tail='"provider":"Simulated"',
)
