"""The simulated server behind HTTP, in a thread of the test; its joules may drive a fake board."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from doubles.nvml import FakeNvml
from joulemark.simulate.http import Service, Simulation
from joulemark.simulate.server import SimulatedServer


class ServedSimulation:
    """Serves while its ``with`` block runs, on a loop of its own."""

    def __init__(
        self, simulation: Simulation, on_step: Callable[[SimulatedServer], None] | None = None
    ) -> None:
        self._service = Service(simulation, on_step=on_step)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._up = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self.url = ""
        self.model = self._service.model_id

    def __enter__(self) -> ServedSimulation:
        self._thread.start()
        assert self._up.wait(20)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(20)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        async with self._service as service:
            self.url = service.url
            self._up.set()
            await self._ended.wait()

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=20) as answer:
            return answer.read().decode()

    def truth(self, **query: object) -> Any:
        return json.loads(self.get(f"/simulation/truth?{urlencode(query)}"))

    def meter(self) -> str:
        interval_s = self._service.simulation.meter_interval_s
        return f"dcgm:{self.url}/dcgm/metrics?interval_s={interval_s:g}"


def drives(fake: FakeNvml) -> Callable[[SimulatedServer], None]:
    """Return what lets each device of a server draw its true power on the fake board of its number.

    A step is booked when it begins, so the board draws its power from then on and idles from its end.
    """
    seen: dict[int, int] = {}

    def follow(server: SimulatedServer) -> None:
        config = server.config
        for instance, log in enumerate(server.logs()):
            for at in range(seen.get(instance, 0), len(log)):
                t0, t1 = log.t0_ns[at], log.t1_ns[at]
                before_j = log.spent_j[at - 1] if at else 0.0
                power_w = (log.spent_j[at] - before_j) / config.tensor_parallel / ((t1 - t0) * 1e-9)
                for place in range(config.tensor_parallel):
                    device = instance * config.tensor_parallel + place
                    fake.set_power_w(device, power_w, t0)
                    fake.set_power_w(device, config.gpu.idle_w, t1)
            seen[instance] = len(log)

    return follow
