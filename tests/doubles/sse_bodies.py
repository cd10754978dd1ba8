"""Response bodies written out for a test, and ways to cut them into reads."""

from __future__ import annotations

import json
import random
from typing import Any

from joulemark.engines.streams import Reply, parse, reply_json

DONE = "[DONE]"
ROLE = {"role": "assistant", "content": ""}


def chunk(delta: dict[str, Any], finish: str | None = None, **beside: Any) -> dict[str, Any]:
    """One chunk of a chat with one choice; ``beside`` goes beside ``choices``."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "choices": [choice], **beside}


def words(*pieces: str, key: str = "content") -> list[dict[str, Any]]:
    return [chunk({key: piece}) for piece in pieces]


def usage(prompt: Any, completion: Any, total: Any = None, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total, **more}


def usage_chunk(prompt: Any, completion: Any, total: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "choices": [], "usage": usage(prompt, completion, total, **more)}


def sse(*events: Any, end: str = "\n") -> bytes:
    """Events as server-sent events: an object is JSON, a string is the data itself, bytes are raw lines."""
    body = b""
    for event in events:
        if isinstance(event, bytes):
            body += event.replace(b"\n", end.encode())
            continue
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        body += f"data: {data}{end}{end}".encode()
    return body


def ndjson(*events: Any) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def cut(body: bytes, seed: int) -> list[bytes]:
    """The body in reads of random sizes, most of them small."""
    source = random.Random(seed)
    pieces, at = [], 0
    while at < len(body):
        size = source.choice((1, 1, 2, 3, 7, 30, 200, 1500))
        pieces.append(body[at : at + size])
        at += size
    return pieces


def read(body: bytes | list[bytes], content_type: str | None = None, status: int | None = 200) -> Reply:
    """Parse a body; the stamp of a read is its ordinal."""
    pieces = [body] if isinstance(body, bytes) else body
    return parse(list(enumerate(pieces)), content_type=content_type, status=status, t_end=len(pieces))


def read_every_way(body: bytes, content_type: str | None = None) -> dict[str, Any]:
    """Parse whole, byte by byte and at random cuts; all must agree. Returns the JSON of the reply."""
    whole = reply_json(read(body, content_type))
    assert reply_json(read([bytes([byte]) for byte in body], content_type)) == whole
    for seed in range(20):
        assert reply_json(read(cut(body, seed), content_type)) == whole
    return whole
