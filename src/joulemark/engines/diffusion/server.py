"""The child process of a diffusion pipeline: a small HTTP API on 127.0.0.1, and nothing else.

Run as ``python -m joulemark.engines.diffusion.server``. The first line of standard input is a `Settings` as
JSON; the one line written to standard output is a `Ready` as JSON. The process ends when standard input ends.

``POST /v1/images/generations`` makes a batch and answers with its count; ``POST /media/flush`` writes what is
kept into a folder, ``POST /media/drop`` forgets it; ``GET /health``.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from joulemark.engines.diffusion.door import KeyedHandler, KeyedServer
from joulemark.engines.diffusion.options import KINDS
from joulemark.engines.diffusion.request import BadRequest, read_request
from joulemark.engines.diffusion.settings import DROP, FLUSH, GENERATE, HEALTH, Ready, Settings
from joulemark.engines.diffusion.shelf import Flushed, Shelf
from joulemark.engines.diffusion.studio import LoadedPipeline, Studio, Unsuited
from joulemark.engines.embedded_server import die_with_parent, first_line, take_stdout

_MAX_BODY_BYTES = 1 << 30
_MAX_DIGITS = 10

Answer = tuple[int, dict[str, Any]]


def media_server(studio: Studio, settings: Settings) -> KeyedServer:
    """Return a server of ``studio`` on a free port of 127.0.0.1; ``serve_forever`` starts it."""
    return KeyedServer(_handler(studio, settings))


def _handler(studio: Studio, settings: Settings) -> type[KeyedHandler]:
    class Handler(KeyedHandler):
        bearer = f"Bearer {settings.api_key}".encode()

        def do_GET(self) -> None:
            self.answer(*((200, {"status": "ok"}) if self.path == HEALTH else _no_page()))

        def do_POST(self) -> None:
            length = _length(self.headers.get("content-length", ""))
            if length is None:
                self.refuse(411, "the request says no length, or too large a one")
                return
            self.answer(*_posted(studio, settings, self.path, self.rfile.read(length)))

    return Handler


def _length(text: str) -> int | None:
    """Return the length of a body that may be read, null for any other."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        return None
    length = int(text)
    return length if length <= _MAX_BODY_BYTES else None


def _posted(studio: Studio, settings: Settings, path: str, body: bytes) -> Answer:
    try:
        if path == GENERATE:
            return 200, _batch_json(studio.make(read_request(body)), KINDS[settings.kind])
        if path == FLUSH:
            return 200, asdict(_flushed(studio.shelf, body))
        if path == DROP:
            return 200, asdict(Flushed(0, 0) if studio.shelf is None else studio.shelf.drop())
    except BadRequest as error:
        return _failed(400, str(error))
    except Exception as error:  # a pipeline fails in any way that its libraries can, out of memory included
        traceback.print_exc()
        return _failed(500, f"{type(error).__name__}: {error}"[:2000])
    return _no_page()


def _batch_json(count: int, medium: str) -> dict[str, Any]:
    """Return the answer: counts only, in a shape that a reader of chat answers knows."""
    message = {"role": "assistant", "content": ""}
    return {
        "object": "media.batch",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "media": {"count": count, "kind": medium},
    }


def _flushed(shelf: Shelf | None, body: bytes) -> Flushed:
    try:
        folder = orjson.loads(body)["folder"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise BadRequest("the request names no folder") from error
    if not isinstance(folder, str) or not folder:
        raise BadRequest("the request names no folder")
    return Flushed(0, 0) if shelf is None else shelf.flush(Path(folder))


def _failed(status: int, message: str) -> Answer:
    return status, {"error": {"message": message}}


def _no_page() -> Answer:
    return _failed(404, "there is no such page")


def _loaded(settings: Settings) -> LoadedPipeline:
    module, _, function = settings.loader.partition(":")
    found = getattr(importlib.import_module(module), function)(settings)
    assert isinstance(found, LoadedPipeline)
    return found


def main() -> None:
    """Serve until the parent closes our standard input."""
    pipe = take_stdout()
    settings = Settings(**orjson.loads(first_line()))
    die_with_parent(settings.parent_pid)
    try:
        loaded = _loaded(settings)
        shelf = Shelf(settings.keep_bytes) if settings.keep_bytes else None
        server = media_server(Studio(loaded, settings.kind, shelf), settings)
    except Unsuited as error:
        print(error, file=sys.stderr, flush=True)  # noqa: T201 - standard error is our log
        os._exit(1)
    except Exception:  # the libraries' own words are the best there are
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    ready = Ready(server.server_address[1], loaded.version, loaded.dtype, loaded.flags, loaded.digest)
    os.write(pipe, orjson.dumps(asdict(ready)) + b"\n")
    os.close(pipe)
    server.serve_forever()


if __name__ == "__main__":
    main()
