"""A server that is started as engines are: a script that speaks vLLM's pages and streams short answers.

``python started_server.py serve MODEL --port PORT …``; it takes any flag that engines take. At most
``--max-num-seqs`` requests are worked on at once, so that it saturates. ``--stand-in`` says what goes wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__)
COMMAND = f"{sys.executable} {SCRIPT} serve"
MEMORY = 16  # more requests at once than these do not fit
GAP_S = 0.02
_SLEEPER = "import time; time.sleep(600)"
_STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {_SLEEPER}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("verb")
    parser.add_argument("model")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--max-num-seqs", type=int, default=8)
    parser.add_argument("--stand-in", default="")
    parser.add_argument("--tokens", type=int, default=4)
    options, _ = parser.parse_known_args()
    print(f"loading {options.model}", flush=True)
    if options.stand_in == "dies":
        print("RuntimeError: no such architecture", flush=True)
        sys.exit(3)
    if options.max_num_seqs > MEMORY:
        print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB", flush=True)
        sys.exit(1)
    if options.stand_in == "forks":
        for code in (_SLEEPER, _STUBBORN):
            subprocess.Popen([sys.executable, "-c", code])
        # one that leaves its group, and one whose parent is gone at once
        subprocess.Popen([sys.executable, "-c", _STUBBORN], start_new_session=True)
        orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {_STUBBORN!r}])"
        subprocess.run([sys.executable, "-c", orphan], check=True)
    if options.stand_in == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = _Server(("127.0.0.1", options.port), _Handler)
    server.options, server.slots = options, threading.Semaphore(options.max_num_seqs)
    server.answered = 0
    server.serve_forever(0.02)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    options: argparse.Namespace
    slots: threading.Semaphore
    answered: int


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        options = self.server.options
        model = {"id": options.model, "object": "model", "owned_by": "vllm", "max_model_len": 4096}
        pages: dict[str, tuple[int, Any]] = {
            "/health": (503 if options.stand_in == "never-healthy" else 200, {}),
            "/v1/models": (200, {"object": "list", "data": [model]}),
            "/version": (200, {"version": "0.12.0"}),
        }
        self._json(*pages.get(self.path, (404, {"error": {"message": "no such page"}})))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.answered += 1
        if self.server.options.stand_in == "dies-later" and self.server.answered > 4:
            print("EngineDeadError: EngineCore encountered an issue", flush=True)
            os._exit(2)
        n = self.server.options.tokens
        with self.server.slots:
            if not body.get("stream"):
                time.sleep(GAP_S * n)
                choice = {
                    "index": 0,
                    "message": {"role": "assistant", "content": "ok"},
                    "finish_reason": "stop",
                }
                self._json(200, {"choices": [choice], "usage": _usage(n)})
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(n):
                time.sleep(GAP_S)
                self._event({"choices": [{"index": 0, "delta": {"content": "ok "}, "finish_reason": None}]})
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self._event({"choices": [], "usage": _usage(n)})
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


def _usage(n: int) -> dict[str, int]:
    return {"prompt_tokens": 10, "completion_tokens": n, "total_tokens": 10 + n}


if __name__ == "__main__":
    main()
