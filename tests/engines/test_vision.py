"""Questions with pictures, as they reach a server."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import orjson

from doubles.engine_server import EngineServer
from joulemark.engines.ask import ask
from joulemark.engines.client import StreamClient
from joulemark.engines.ollama_style import OllamaStyle
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.content import Illustrated, Message, Picture

STREAM = (
    'data: {"choices":[{"index":0,"delta":{"content":"A cat"},"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":290,"completion_tokens":2}}\n\n'
    "data: [DONE]\n\n"
)
PNG, JPEG = Picture("image/png", b"\x89PNG\r\n\x1a\n1"), Picture("image/jpeg", b"\xff\xd8\xff2")
ASKED: list[Message] = [
    ("system", "Be short."),
    ("user", Illustrated("What is in these?", (PNG, JPEG))),
]


def last_body(routes: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Ask a server about pictures; return the request that it got, and the answer."""
    with EngineServer(routes) as server:

        async def run() -> str:
            engine = UrlEngine(UrlOptions(server.url))
            await engine.start()
            client = StreamClient(engine.endpoint)
            try:
                asked = await ask(client, engine.request_body(ASKED, max_tokens=5))
            finally:
                await client.aclose()
            return asked.reply.text

        answer = asyncio.run(run())
        return server.seen[-1][2], answer


def test_pictures_are_parts_of_an_openai_message() -> None:
    routes = {"GET /v1/models": {"data": [{"id": "m"}]}, "POST /v1/chat/completions": STREAM}
    body, answer = last_body(routes)
    assert answer == "A cat"
    encoded = [base64.b64encode(picture.data).decode() for picture in (PNG, JPEG)]
    assert body["messages"] == [
        {"role": "system", "content": "Be short."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is in these?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded[0]}"}},
                {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{encoded[1]}"}},
            ],
        },
    ]


def test_ollama_is_handed_pictures_beside_the_words() -> None:
    body = orjson.loads(OllamaStyle("m", 4096)(ASKED, max_tokens=5))
    assert body["messages"][1] == {
        "role": "user",
        "content": "What is in these?",
        "images": [base64.b64encode(picture.data).decode() for picture in (PNG, JPEG)],
    }
