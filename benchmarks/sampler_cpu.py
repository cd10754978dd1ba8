"""Processor share of the sampler process at 5 Hz, beside naive pynvml polling loops in the same run.

    python benchmarks/sampler_cpu.py [--seconds 20]

All read the fake NVML library through the real ``pynvml``. The naive loops read the channels that energy
monitors usually do, one call each, and write a CSV line: at 5 Hz (no edge is known better than 200 ms) and
at 100 Hz (edges as well known as the sampler's edge reads make them). The sampler is also measured with two
edges a second, as a sequential run of short items asks for. CPU time is the processes' own after start-up.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from joulemark.meters.discovery import open_source
from joulemark.meters.nvml import nvml_spec
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.telemetry.supervisor import Sampler

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from doubles.nvml import FakeBoard, FakeNvml, Piece

NAIVE = """
import sys, time
import pynvml as nv
nv.nvmlInit()
board = nv.nvmlDeviceGetHandleByIndex(0)
out = open(sys.argv[2], "w", buffering=1)
print("ready", flush=True)
while True:
    row = [time.time(), nv.nvmlDeviceGetPowerUsage(board), nv.nvmlDeviceGetTotalEnergyConsumption(board),
           nv.nvmlDeviceGetUtilizationRates(board).gpu, nv.nvmlDeviceGetMemoryInfo(board).used,
           nv.nvmlDeviceGetTemperature(board, 0), nv.nvmlDeviceGetClockInfo(board, 1),
           nv.nvmlDeviceGetClockInfo(board, 2), nv.nvmlDeviceGetPerformanceState(board),
           nv.nvmlDeviceGetCurrentClocksEventReasons(board)]
    print(*row, sep=",", file=out)
    time.sleep(float(sys.argv[1]))
"""


def cpu_s(pid: int) -> float:
    """Return the processor time that process ``pid`` has used (Linux: its CPU-time clock)."""
    return time.clock_gettime_ns((~pid << 3) | 2) * 1e-9


def share(pid: int, seconds: float) -> float:
    """Return the share of a core that ``pid`` uses over ``seconds``."""
    begin_s, t_s = cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_s(pid) - begin_s) / (time.monotonic() - t_s)


@contextlib.contextmanager
def naive(period_s: float, directory: Path) -> Iterator[int]:
    """Run a naive polling loop; yields its process id."""
    command = [sys.executable, "-c", NAIVE, str(period_s), str(directory / f"naive-{period_s}.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise SystemExit("the naive loop did not start")
            yield process.pid
        finally:
            process.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each is watched")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        fake = FakeNvml(directory, [FakeBoard(power=[Piece(0.3, 80.0), Piece(0.7, 350.0)], loop=True)])
        with fake.in_process():
            spec = nvml_spec(fake.boards[0].uuid)
            source = open_source(spec)
            source.close()
            test = Qualification(Trust.QUALIFIED, None, 0.1, 0.1, poll_period_s=0.2)
            sources = [(spec, QualifiedSource(source.info, test))]
            with Sampler.start(sources, directory / "telemetry.jsonl", 0) as sampler:
                plain = share(sampler.pid, seconds)
                begin_s, t_s = cpu_s(sampler.pid), time.monotonic()
                while time.monotonic() - t_s < seconds:
                    sampler.edge()
                    time.sleep(0.5)
                edged = (cpu_s(sampler.pid) - begin_s) / (time.monotonic() - t_s)
            with naive(0.2, directory) as pid:
                slow = share(pid, seconds)
            with naive(0.01, directory) as pid:
                fast = share(pid, seconds)
    print(f"sampler at 5 Hz            {plain:8.3%} of a core (goal < 0.5 %)")
    print(f"sampler with 2 edges/s     {edged:8.3%} of a core")
    print(f"naive pynvml loop, 5 Hz    {slow:8.3%} of a core")
    print(f"naive pynvml loop, 100 Hz  {fast:8.3%} of a core")
    print(f"ratio sampler / naive at 5 Hz: {plain / slow:.2f}")
    print(f"ratio sampler with edges / naive at like resolution: {edged / fast:.2f}")


if __name__ == "__main__":
    main()
