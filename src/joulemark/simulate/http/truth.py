"""What is true of the simulation, as JSON: joules by cause, requests, accuracy. Nothing here was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any

from joulemark.simulate.books import ByCause
from joulemark.simulate.http.answers import AnswerBook
from joulemark.simulate.http.live import LiveServer
from joulemark.simulate.http.metric_pages import Exporter
from joulemark.simulate.http.refusal import Refusal
from joulemark.simulate.request import Finished

_MOST_STAMP = 1 << 62


@dataclass(frozen=True, slots=True)
class Answered:
    """A request that was made whole: stamps are monotonic ns, ``verdict`` null where no task knows it."""

    request_id: str
    number: int
    t_arrival_ns: int
    t_first_ns: int
    t_end_ns: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    energy_j: float
    idle_j: float
    prefill_j: float
    decode_j: float
    preemptions: int
    verdict: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


class Truth:
    """Keeps the ends of requests, and answers questions about what was true."""

    def __init__(self, live: LiveServer, book: AnswerBook, exporter: Exporter) -> None:
        self._live, self._book, self._exporter = live, book, exporter
        self._answered: dict[str, Answered] = {}
        self.faults: Counter[str] = Counter()
        self.taken = 0

    @property
    def answered(self) -> int:
        """Requests that were made whole."""
        return len(self._answered)

    def note(self, finished: Finished, number: int, verdict: str | None) -> Answered:
        """Keep the end of a request."""
        live, request = self._live, finished.request
        noted = self._answered[request.request_id] = Answered(
            request_id=request.request_id,
            number=number,
            t_arrival_ns=live.monotonic_of(finished.t_arrival_ns),
            t_first_ns=live.monotonic_of(finished.t_first_ns),
            t_end_ns=live.monotonic_of(finished.t_end_ns),
            prompt_tokens=request.prompt_tokens,
            cached_tokens=finished.cached_tokens,
            completion_tokens=request.output_tokens,
            energy_j=finished.energy_j,
            idle_j=finished.idle_j,
            prefill_j=finished.prefill_j,
            decode_j=finished.decode_j,
            preemptions=finished.preemptions,
            verdict=verdict,
        )
        return noted

    def answer(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Answer ``/simulation/truth``; raises ``Refusal`` for what cannot be told.

        ``t0`` and ``t1``: joules between two monotonic stamps in ns, of ``device`` or of all; ``request``:
        one request by the id of its answer; ``requests``: all that were made whole; nothing: totals.
        """
        if "request" in query:
            found = self._answered.get(query["request"])
            if found is None:
                raise Refusal(404, f"no request {query['request']!r} was made whole")
            return {"simulated": True, "request": found.to_json()}
        if "requests" in query:
            return {"simulated": True, "requests": [one.to_json() for one in self._answered.values()]}
        if "t0" in query or "t1" in query:
            return self._window(query)
        return self._totals()

    def _window(self, query: Mapping[str, str]) -> dict[str, Any]:
        t0_ns, t1_ns = (_whole(query.get(name), name) for name in ("t0", "t1"))
        if not t0_ns <= t1_ns <= monotonic_ns():
            raise Refusal(400, "t0 and t1 are monotonic stamps in ns that have been, in order")
        device = None if "device" not in query else _whole(query["device"], "device")
        n_devices = self._live.server.config.devices
        if device is not None and device >= n_devices:
            raise Refusal(404, f"there is no device {device}: there are {n_devices}")
        joules = self._live.between(t0_ns, t1_ns, device)
        return {"simulated": True, "t0_ns": t0_ns, "t1_ns": t1_ns, "device": device, **_by_cause(joules)}

    def _totals(self) -> dict[str, Any]:
        live = self._live
        now_ns = monotonic_ns()
        joules = live.between(live.t0_ns, now_ns)
        server, config = live.server, live.server.config
        verdicts = Counter(str(one.verdict) for one in self._answered.values() if one.verdict)
        return {
            "simulated": True,
            "t0_ns": live.t0_ns,
            "now_ns": now_ns,
            "speed": live.speed,
            "gpu": config.gpu.name,
            "model": config.model.name,
            "devices": config.devices,
            **_by_cause(joules),
            "requests_j": sum(one.energy_j for one in self._answered.values()),
            "aborted_j": server.aborted_j,
            "in_flight_j": server.in_flight_j,
            "n_taken": self.taken,
            "n_answered": len(self._answered),
            "verdicts": dict(verdicts),
            "task": self._book.truth(),
            "faults": dict(self.faults),
            "steps": live.steps,
            "preemptions": server.preemptions,
            "late_s": {"p50": live.late_s(50), "p99": live.late_s(99), "max": live.late_s(100)},
            "meter_interval_s": self._exporter.interval_ns * 1e-9,
        }


def _by_cause(joules: ByCause) -> dict[str, float]:
    return {
        "total_j": joules.total_j,
        "idle_j": joules.idle_j,
        "prefill_j": joules.prefill_j,
        "decode_j": joules.decode_j,
        "nobodys_j": joules.nobodys_j,
    }


def _whole(value: str | None, name: str) -> int:
    if value is None or not value.isascii() or not value.isdecimal() or len(value) > 19:
        raise Refusal(400, f"{name} must be a whole number")
    number = int(value)
    if number > _MOST_STAMP:
        raise Refusal(400, f"{name} is too large")
    return number
