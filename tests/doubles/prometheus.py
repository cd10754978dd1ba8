"""HTTP servers as a Prometheus meter meets them: an exporter's page, a Prometheus server, and worse.

They bind the loopback and answer from a thread while their ``with`` block runs. Time is virtual: what a page
shows and the ``Date`` that goes with it come from ``now_s``.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from doubles.faults import Fault, NowS, Truth

EPOCH_S = 1_900_000_000.0  # the server's UTC at virtual time 0
RESET_S = 3.0  # of virtual time, before the middle: where a counter that was set back starts again
LOSS_J = 900.0


@dataclass
class Reply:
    """What a server sends. ``gone``: it hangs up instead."""

    body: str | bytes = ""
    status: int = 200
    kind: str = "text/plain; version=0.0.4"
    headers: Mapping[str, str] = field(default_factory=dict)
    gone: bool = False


class PageServer:
    """Serves ``answer(path, query)`` for GET; ``requests`` holds (path, headers) of each one."""

    def __init__(self, answer: Callable[[str, str], Reply], now_s: NowS = lambda: 0.0) -> None:
        self._answer, self._now_s = answer, now_s
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> PageServer:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, path: str, headers: dict[str, str]) -> Reply:
        self.requests.append((path, headers))
        parts = urlsplit(path)
        return self._answer(parts.path, parts.query)

    def date(self) -> str:
        return formatdate(EPOCH_S + self._now_s(), usegmt=True)


def _handler(server: PageServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.reply(self.path, headers)
            if reply.gone:
                self.close_connection = True
                return
            body = reply.body.encode() if isinstance(reply.body, str) else reply.body
            if "gzip" in headers.get("accept-encoding", "") and len(body) > 500 and reply.status == 200:
                body, encoding = gzip.compress(body), "gzip"
            else:
                encoding = "identity"
            sent = {
                "Date": server.date(),
                "Content-Type": reply.kind,
                "Content-Encoding": encoding,
                "Content-Length": str(len(body)),
                **reply.headers,
            }
            head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
            data = f"HTTP/1.1 {reply.status} Said\r\n{head}\r\n".encode() + body
            try:
                self.wfile.write(data)
            except OSError:
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    return Handler


def unused_port() -> int:
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@dataclass(frozen=True)
class Shown:
    """What a meter under a fault shows at an instant of virtual time. Null where it has nothing to show.

    ``known_s``: the instant of which it speaks, which stands still where it is stale.
    """

    known_s: float
    energy_j: float | None
    power_w: float | None


def shown(fault: Fault, truth: Truth, t_s: float, *, wraps_at_j: float | None = None) -> Shown | None:
    """What the meter says at ``t_s`` under ``fault``; null where it is not there at all."""
    middle_s = truth.middle_s
    after = t_s >= middle_s
    if fault is Fault.LOST and after:
        return None
    if fault is Fault.SHORT_GAP and middle_s <= t_s < middle_s + truth.gap_s:
        return None
    known_s = min(t_s, middle_s) if fault in (Fault.FREEZE, Fault.STALE) else t_s
    energy_j: float | None = 5000.0 + truth.energy_j(known_s)
    assert energy_j is not None
    if fault is Fault.WRAP and wraps_at_j is not None:
        # the counter runs over its end once, in the middle of the window
        energy_j = (energy_j + wraps_at_j - (5000.0 + truth.energy_j(middle_s))) % wraps_at_j
    if fault is Fault.RESET and after:
        energy_j = truth.energy_j(t_s - middle_s + RESET_S)
    if fault is Fault.BACKWARDS and after:
        energy_j -= LOSS_J
    if fault is Fault.WRONG_UNIT:
        energy_j *= 1000
    return Shown(known_s, None if fault is Fault.NOT_SUPPORTED else energy_j, truth.power_w)


_RANGE = re.compile(r"(?P<name>[a-z_]+)(?:\{[^}]*\})?(?:\[(?P<range>\d+)s\])?")


class QueryServer:
    """The query endpoint of a Prometheus server that scrapes series every ``interval_s``.

    ``sample(name, t_s)`` is what its target showed then: a value, or null where the target did not answer.
    """

    def __init__(
        self, sample: Callable[[str, float], float | None], now_s: NowS, interval_s: float = 5.0
    ) -> None:
        self._sample, self._now_s, self._interval_s = sample, now_s, interval_s
        self.stops_scraping_s = float("inf")

    def answer(self, path: str, query: str) -> Reply:
        expression = parse_qs(query).get("query", [""])[0]
        match = _RANGE.fullmatch(expression)
        if path != "/api/v1/query":
            return Reply("404 page not found", 404)
        if match is None:
            error = {"status": "error", "errorType": "bad_data", "error": "invalid parameter: parse error"}
            return _json(error, 400)
        name, now_s, range_s = match["name"], self._now_s(), float(match["range"] or 300)
        last = int(min(now_s, self.stops_scraping_s) // self._interval_s)
        rows = []
        for i in range(max(0, last - int(range_s / self._interval_s)), last + 1):
            at_s = i * self._interval_s
            value = self._sample(name, at_s)
            if value is not None and now_s - at_s <= range_s:
                rows.append([EPOCH_S + at_s, repr(value)])
        metric = {"__name__": name, "instance": "node-1:9100", "job": "power"}
        result: list[object] = []
        if rows and match["range"]:
            result = [{"metric": metric, "values": rows}]
        elif rows:
            result = [{"metric": metric, "value": [EPOCH_S + now_s, rows[-1][1]]}]
        kind = "matrix" if match["range"] else "vector"
        return _json({"status": "success", "data": {"resultType": kind, "result": result}})


def _json(document: object, status: int = 200) -> Reply:
    return Reply(json.dumps(document), status, "application/json")


UUIDS = ("GPU-604ac76c-d9cf-fef3-62e9-d92044ab6e52", "GPU-265c9814-6156-355b-e589-ff2064894f16")


def dcgm_page(fields: Mapping[str, float | str], *, boards: int = 1, instances: tuple[str, ...] = ()) -> str:
    """A page of DCGM's exporter: each field of each board, or of each MIG instance of each board."""
    lines = []
    for name, value in fields.items():
        lines += [f"# HELP DCGM_FI_DEV_{name} (in some unit).", f"# TYPE DCGM_FI_DEV_{name} gauge"]
        for index in range(boards):
            labels = (
                f'gpu="{index}",UUID="{UUIDS[index]}",pci_bus_id="00000000:0{index}:00.0",device="nvidia{index}",'
                f'modelName="NVIDIA H100 80GB HBM3",Hostname="node-1.example"'
            )
            for instance in instances or ("",):
                mig = f',GPU_I_PROFILE="1g.10gb",GPU_I_ID="{instance}"' if instance else ""
                lines.append(f"DCGM_FI_DEV_{name}{{{labels}{mig}}} {value}")
    return "\n".join(lines) + "\n"
