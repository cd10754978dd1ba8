"""An engine that draws power while it generates, on a fake board whose true energy is known."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from doubles.nvml import FakeNvml

MODEL = "worker-1b"


class WorkingEngine:
    """Streams an answer of a few tokens, ``gap_s`` apart, and sets the board's power while it does so.

    ``answer`` maps the last user message to the text of the answer. ``fake`` null: no board. After
    ``refuse_after`` requests every one gets HTTP 400. ``on_request`` is told the number of each request
    as it comes in; the first is the client's trial.
    """

    def __init__(
        self,
        answer: Callable[[str], str],
        fake: FakeNvml | None = None,
        *,
        busy_w: float = 300.0,
        idle_w: float = 60.0,
        tokens: int = 6,
        gap_s: float = 0.05,
    ) -> None:
        self.answer, self.fake = answer, fake
        self.busy_w, self.idle_w, self.tokens, self.gap_s = busy_w, idle_w, tokens, gap_s
        self.prompt_tokens = 10
        self.answered = 0
        self.on_request: Callable[[int], None] = lambda number: None
        self._busy = 0
        self.closed = False
        self.refuse_after: int | None = None
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> WorkingEngine:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop as a killed server does: nothing listens, and open connections answer no more."""
        self.closed = True
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def begin(self) -> int:
        """Count a request in; the board draws more from now on."""
        with self._lock:
            self.answered += 1
            self._busy += 1
            self._set_power()
            return self.answered

    def end(self) -> None:
        """Count a request out."""
        with self._lock:
            self._busy -= 1
            self._set_power()

    def _set_power(self) -> None:
        if self.fake is not None:
            self.fake.set_power_w(0, self.busy_w if self._busy else self.idle_w)


def _handler(engine: WorkingEngine) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            known = self.path == "/v1/models"
            listed = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
            self._json(200 if known else 404, listed if known else {"error": {"message": "no such page"}})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if engine.closed:
                self.close_connection = True
                return
            number = engine.begin()
            try:
                engine.on_request(number)
                if engine.refuse_after is not None and number > engine.refuse_after:
                    self._json(400, {"error": {"message": "no more"}})
                    return
                self._stream(engine.answer(body["messages"][-1]["content"]), bool(body.get("stream")))
            except OSError:
                self.close_connection = True  # the client went away
            finally:
                engine.end()

        def _stream(self, text: str, stream: bool) -> None:
            usage = {
                "prompt_tokens": engine.prompt_tokens,
                "completion_tokens": engine.tokens,
                "total_tokens": engine.prompt_tokens + engine.tokens,
            }
            if not stream:
                message = {"role": "assistant", "content": text}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self._json(200, {"choices": [choice], "usage": usage})
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            pieces = _cut(text, engine.tokens)
            for piece in pieces:
                time.sleep(engine.gap_s)
                self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self._event({"choices": [], "usage": usage})
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")

        def _event(self, event: dict[str, Any]) -> None:
            self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

        def _json(self, status: int, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_args: object) -> None:
            pass

    return Handler


def _cut(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // pieces))
    cut = [text[at : at + size] for at in range(0, len(text), size)]
    return cut + [" "] * (pieces - len(cut))
