"""Jetson: what a process of Zeus's own has integrated from the power rails."""

from __future__ import annotations

import queue
from dataclasses import dataclass

from doubles.faults import Fault
from doubles.zeus_world import world

_UPDATE_S = 0.1


def jetson_is_available() -> bool:
    return world().available


@dataclass
class JetsonMeasurement:
    cpu_energy_mj: float | None = None
    gpu_energy_mj: float | None = None
    total_energy_mj: float | None = None


class _Process:
    alive = True

    def is_alive(self) -> bool:
        return self.alive


class Jetson:
    def __init__(self) -> None:
        world().made += 1
        self.process = _Process()
        self.result_queue: queue.Queue[JetsonMeasurement] = queue.Queue()

    def get_total_energy_consumption(self, timeout: float = 15.0) -> JetsonMeasurement:
        if timeout > 2.0:
            raise AssertionError("a read may not wait for so long")
        if world().lost():
            raise queue.Empty
        if not self.result_queue.empty():
            return self.result_queue.get_nowait()
        if world().fault is Fault.NOT_SUPPORTED:
            return JetsonMeasurement()
        return JetsonMeasurement(
            **{
                name: None if share is None else world().energy_mj(share, _UPDATE_S, name)
                for name, share in world().jetson.items()
            }
        )
