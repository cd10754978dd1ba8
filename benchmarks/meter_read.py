"""What one read of a source costs, beside the bare driver calls that it cannot do without.

Everything runs on the fake NVIDIA library and a fake powercap tree, in one process and one run, in turns, so
the ratios hold where the microseconds depend on the machine. ``peer`` reads the same quantities the way most
tools do: one driver call each.

    python benchmarks/meter_read.py [--reads 5000]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from doubles.nvml import FakeBoard, FakeNvml
from doubles.powercap import FakePowercap
from joulemark.meters.nvml import NvmlSource
from joulemark.meters.nvml.driver import session
from joulemark.meters.process import ProcessSource
from joulemark.meters.rapl import RaplSource
from joulemark.meters.rapl.powercap import find_domains

ROUNDS = 9
FIELDS = [(83, 0), (186, 0), (185, 0), (74, 0), (269, 0), (270, 0), (271, 0)]


def cost_us(call: Callable[[], object], reads: int) -> float:
    begin = time.process_time_ns()
    for _ in range(reads):
        call()
    return (time.process_time_ns() - begin) / reads / 1000


def compared(calls: dict[str, Callable[[], object]], reads: int) -> dict[str, float]:
    """Return the median CPU time of each call in µs; the calls take turns."""
    rounds = [{name: cost_us(call, reads // ROUNDS) for name, call in calls.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(each[name] for each in rounds) for name in calls}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reads", type=int, default=5000)
    reads = parser.parse_args().reads
    with tempfile.TemporaryDirectory() as place:
        fake = FakeNvml(Path(place), [FakeBoard(fan_pct=30)])
        tree = FakePowercap(Path(place))
        counter = tree.root / "intel-rapl:0" / "energy_uj"
        with fake.in_process(), session() as nvml:
            handle = nvml.nvmlDeviceGetHandleByIndex(0)

            def peer() -> None:
                nvml.nvmlDeviceGetTotalEnergyConsumption(handle)
                nvml.nvmlDeviceGetPowerUsage(handle)
                nvml.nvmlDeviceGetCurrentClocksEventReasons(handle)
                nvml.nvmlDeviceGetTemperature(handle, 0)
                nvml.nvmlDeviceGetClockInfo(handle, 1)
                nvml.nvmlDeviceGetClockInfo(handle, 2)
                nvml.nvmlDeviceGetUtilizationRates(handle)
                nvml.nvmlDeviceGetMemoryInfo(handle)
                nvml.nvmlDeviceGetFanSpeed(handle)
                nvml.nvmlDeviceGetPerformanceState(handle)

            board, package = NvmlSource(fake.boards[0].uuid), RaplSource(find_domains(tree.root)[0])
            process = ProcessSource(os.getpid())
            costs = compared(
                {
                    "nvml: one read": lambda: board.read(0),
                    "nvml: bare nvmlDeviceGetFieldValues": lambda: nvml.nvmlDeviceGetFieldValues(
                        handle, FIELDS
                    ),
                    "nvml: peer, a call a quantity": peer,
                    "rapl: one read": lambda: package.read(0),
                    "rapl: open, read, close": counter.read_text,
                    "process: one read": lambda: process.read(0),
                },
                reads,
            )
    for name, cost in costs.items():
        print(f"{name:40s} {cost:8.1f} µs")
    board_us = costs["nvml: one read"]
    print(f"ratio nvml read / bare call   {board_us / costs['nvml: bare nvmlDeviceGetFieldValues']:.2f}")
    print(f"ratio nvml read / peer        {board_us / costs['nvml: peer, a call a quantity']:.2f}")
    print(f"ratio rapl read / open-read   {costs['rapl: one read'] / costs['rapl: open, read, close']:.2f}")
    print("driver calls a read           4 (fields, mask, temperature, one slow quantity in turn) against 10")


if __name__ == "__main__":
    main()
