"""An engine that does nothing but show its batch: the page of each kind, and pages that are none."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

MODEL = "made/model-1b"


@dataclass
class Batch:
    """What the engine has at work, and what it has counted since it began."""

    running: float = 0
    waiting: float = 0
    kv: float = 0.0
    preemptions: int = 0
    prompt: int = 0
    generated: int = 0


def vllm_page(batch: Batch) -> str:
    own = f'{{engine="0",model_name="{MODEL}"}}'
    return (
        "# HELP vllm:num_requests_running Number of requests in model execution batches.\n"
        "# TYPE vllm:num_requests_running gauge\n"
        f"vllm:num_requests_running{own} {batch.running}\n"
        f"vllm:num_requests_waiting{own} {batch.waiting}\n"
        f'vllm:num_requests_waiting_by_reason{{engine="0",model_name="{MODEL}",reason="capacity"}} 77\n'
        f"vllm:kv_cache_usage_perc{own} {batch.kv}\n"
        f"vllm:num_preemptions_total{own} {batch.preemptions}\n"
        f"vllm:num_preemptions_created{own} 1.9e+09\n"
        f"vllm:prompt_tokens_total{own} {batch.prompt:.6e}\n"
        f"vllm:generation_tokens_total{own} {batch.generated}\n"
        f'vllm:iteration_tokens_total_bucket{{engine="0",le="+Inf",model_name="{MODEL}"}} 9\n'
    )


def sglang_page(batch: Batch) -> str:
    own = f'{{engine_type="unified",model_name="{MODEL}",pp_rank="0",tp_rank="0"}}'
    retracted = f"sglang:num_retracted_requests_total{own} {batch.preemptions}\n" if batch.preemptions else ""
    return (
        f"sglang:num_running_reqs{own} {batch.running}\n"
        f"sglang:num_queue_reqs{own} {batch.waiting}\n"
        f"sglang:token_usage{own} {batch.kv}\n"
        f"sglang:kv_used_tokens{own} {1000 * batch.kv}\n"
        f"sglang:num_retracted_reqs{own} 5.0\n"
        f"{retracted}"
        f'sglang:prompt_tokens_total{{model_name="{MODEL}"}} {batch.prompt}\n'
        f'sglang:generation_tokens_total{{model_name="{MODEL}"}} {batch.generated}\n'
    )


def llama_page(batch: Batch) -> str:
    return (
        "# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed, excluding cached tokens\n"
        "# TYPE llamacpp:prompt_tokens_total counter\n"
        f"llamacpp:prompt_tokens_total {batch.prompt}\n"
        f"llamacpp:tokens_predicted_total {batch.generated}\n"
        f"llamacpp:requests_processing {batch.running}\n"
        f"llamacpp:requests_deferred {batch.waiting}\n"
        "llamacpp:n_busy_slots_per_decode 3.2\n"
    )


def tgi_page(batch: Batch) -> str:
    return (
        f"tgi_batch_current_size {batch.running}\n"
        f"tgi_queue_size {batch.waiting}\n"
        f"tgi_request_input_length_sum {batch.prompt}\n"
        f"tgi_request_generated_tokens_sum {batch.generated}\n"
    )


def slots_page(batch: Batch, slots: int = 8) -> str:
    return json.dumps([{"id": k, "n_ctx": 512, "is_processing": k < batch.running} for k in range(slots)])


def models_page(*names: str) -> str:
    return json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


PAGES = {"vllm": vllm_page, "sglang": sglang_page, "llama.cpp": llama_page, "tgi": tgi_page}


@dataclass
class Said:
    """An answer of its own, in place of the page: ``hangs_s`` long nothing comes."""

    body: str = ""
    status: int = 200
    content_type: str = "text/plain"
    hangs_s: float = 0.0


Query = dict[str, list[str]]
Saying = Said | Callable[[Query], Said | None]


class EnginePages:
    """Serves ``/metrics`` of a kind of engine while its ``with`` block runs.

    ``instead`` maps a path to what is said there in place of the page, or to a function from the query to it
    (null: the page). ``asked`` are the requests: path,
    query and headers; ``connections`` the ports that they came from.
    """

    def __init__(self, kind: str, batch: Batch | None = None, *, instead: Mapping[str, Saying] | None = None):
        self.kind, self.batch = kind, batch or Batch()
        self.instead: dict[str, Saying] = dict(instead or {})
        self.asked: list[tuple[str, dict[str, list[str]], dict[str, str]]] = []
        self.connections: set[int] = set()
        self._port = 0
        self._open()

    def _open(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), _handler(self))
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return self._port

    def __enter__(self) -> EnginePages:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop as a killed engine does."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.hang_up()
            self._thread.join()
        self._server.server_close()

    def open_again(self) -> None:
        """Listen at the same port, as an engine does that was started anew."""
        self._open()
        self._thread.start()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, *args: object) -> None:
        self.lines: set[object] = set()
        super().__init__(*args)  # type: ignore[arg-type]

    def process_request(self, request: object, client_address: object) -> None:
        self.lines.add(request)
        super().process_request(request, client_address)  # type: ignore[arg-type]

    def hang_up(self) -> None:
        for line in self.lines:
            try:
                line.shutdown(2)  # type: ignore[attr-defined]
            except OSError:
                continue  # the other side was first


def _handler(server: EnginePages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.asked.append((parts.path, parse_qs(parts.query), headers))
            server.connections.add(self.client_address[1])
            saying = server.instead.get(parts.path)
            said = saying(parse_qs(parts.query)) if callable(saying) else saying
            if said is None and parts.path == "/metrics":
                said = Said(PAGES[server.kind](server.batch))
            said = said or Said("no such page", 404)
            time.sleep(said.hangs_s)
            body = said.body.encode()
            head = f"Content-Type: {said.content_type}\r\nContent-Length: {len(body)}\r\n"
            try:
                self.wfile.write(f"HTTP/1.1 {said.status} Said\r\n{head}\r\n".encode() + body)
            except OSError:
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    return Handler


def labels(**pairs: str) -> str:
    """Labels as a page has them."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in pairs.items()) + "}"
