"""What `joulemark.measure()` costs, beside Zeus and CodeCarbon, in one run on one fake NVML library.

    JOULEMARK_PEERS=/path/to/python python benchmarks/measure_cost.py [--rounds 9]

JOULEMARK_PEERS names an interpreter that has `zeus` and `codecarbon`; without it only our own figures are
printed. Imports are timed in fresh interpreters, in turns. For the rest each tool runs in a process of its
own and is asked in turns for bursts of windows, so that a busy moment of the machine meets all of them. Two
kinds of windows: `tight` (empty, one after the other) and `spaced` (3 ms of work in and between them: caches
are cold and, with us, the sampler process has to be woken). The fake driver answers in about a microsecond; a
real one takes longer, which Zeus and CodeCarbon pay inside their windows and we in the sampler process.
All figures are medians.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from doubles.nvml import FakeBoard, FakeNvml, Piece

IMPORTS = {
    "joulemark": ("ours", "import joulemark"),
    "joulemark.measure()": ("ours", "import joulemark; joulemark.measure()"),
    "all that the first block imports": (
        "ours",
        "import pynvml, joulemark.live.measure, joulemark.live.meter_set, joulemark.meters.nvml",
    ),
    "zeus.monitor": ("peers", "import zeus.monitor"),
    "codecarbon": ("peers", "import codecarbon"),
}
READY = "all that the first block imports"

SERVE = """
import json, sys, time
def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
def burst(pattern, n):
    pause = 0.0 if pattern == "tight" else 0.003
    starts, stops = [], []
    for _ in range(n):
        spin(pause)
        a = time.perf_counter_ns(); window = start(); b = time.perf_counter_ns()
        spin(pause)
        c = time.perf_counter_ns(); stop(window); d = time.perf_counter_ns()
        starts.append(b - a); stops.append(d - c)
    return {"start": starts, "stop": stops}
def known(n):
    waits, zeros = [], 0
    for _ in range(n):
        window = start(); spin(0.003); stop(window)
        a = time.perf_counter_ns(); joules = energy(window); waits.append(time.perf_counter_ns() - a)
        zeros += not joules
    return {"waits": waits, "zeros": zeros}
def samples(n):
    costs = []
    for _ in range(n):
        a = time.perf_counter_ns(); sample(); costs.append(time.perf_counter_ns() - a)
    return {"costs": costs}
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    verb, *rest = json.loads(line)
    print(json.dumps({"burst": burst, "known": known, "samples": samples}[verb](*rest)), flush=True)
"""

OURS = """
import joulemark
from joulemark.meters.nvml import NvmlSource
import pynvml
def start():
    block = joulemark.measure(meters="nvml", test_s=0.5)
    block.__enter__()
    return block
def stop(block):
    block.__exit__(None, None, None)
def energy(block):
    return block.energy("gpu:0").joules
pynvml.nvmlInit()
board = NvmlSource(pynvml.nvmlDeviceGetUUID(pynvml.nvmlDeviceGetHandleByIndex(0)))
def sample():
    board.read(0)
stop(start())
"""

ZEUS = """
import warnings
warnings.simplefilter("ignore")
from zeus.monitor import ZeusMonitor
monitor = ZeusMonitor(gpu_indices=[0], cpu_indices=[])
def start():
    monitor.begin_window("w", sync_execution=False)
    return {}
def stop(window):
    window["measured"] = monitor.end_window("w", sync_execution=False)
def energy(window):
    return window["measured"].gpu_energy[0]
def sample():
    monitor.gpus.get_total_energy_consumption(0)
    monitor.gpus.get_instant_power_usage(0)
"""

CODECARBON = """
import itertools, logging
from codecarbon import OfflineEmissionsTracker
tracker = OfflineEmissionsTracker(
    country_iso_code="USA", save_to_file=False, log_level="critical", gpu_ids=[0], allow_multiple_runs=True
)
names = map(str, itertools.count())
def start():
    name = next(names)
    tracker.start_task(name)
    return {"name": name}
def stop(window):
    window["measured"] = tracker.stop_task(window["name"])
def energy(window):
    return window["measured"].gpu_energy
def sample():
    tracker._hardware[0].measure_power_and_energy(1.0)
"""


@dataclass
class Tool:
    """A process that measures windows when it is told to."""

    name: str
    process: subprocess.Popen[str]

    @classmethod
    def started(cls, name: str, python: str, code: str, env: dict[str, str]) -> Tool:
        process = subprocess.Popen(
            [python, "-c", code + SERVE],
            env=env,
            cwd=tempfile.gettempdir(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        tool = cls(name, process)
        if tool._hear() != "ready":
            raise SystemExit(f"{name} did not start")
        return tool

    def ask(self, *words: str | int) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return self._hear()

    def end(self) -> None:
        self.process.communicate(timeout=30)

    def _hear(self) -> Any:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                return json.loads(line)
            except ValueError:  # some libraries talk on standard output
                continue
        raise SystemExit(f"{self.name} ended")


def import_ms(python: str, code: str, env: dict[str, str]) -> float:
    timed = f"import time; t = time.perf_counter(); {code}; print('took', time.perf_counter() - t)"
    done = subprocess.run(
        [python, "-c", timed], env=env, capture_output=True, text=True, cwd=tempfile.gettempdir(), check=True
    )
    return float(done.stdout.rsplit("took", 1)[1]) * 1e3


def imports(peers: str | None, env: dict[str, str], rounds: int) -> None:
    pythons = {"ours": sys.executable, "peers": peers}
    found: dict[str, list[float]] = {}
    for _ in range(rounds + 1):
        for name, (which, code) in IMPORTS.items():
            python = pythons[which]
            if python is not None:
                found.setdefault(name, []).append(import_ms(python, code, env))
    medians = {name: statistics.median(each[1:]) for name, each in found.items()}  # the first fills caches
    print("\nimport, ms")
    for name, ms in medians.items():
        print(f"  {name:36s} {ms:9.1f}")
    for peer in ("zeus.monitor", "codecarbon"):
        if peer in medians:
            print(f"  ratio {peer} / {READY:36s} {medians[peer] / medians[READY]:7.1f}")


def windows(tools: list[Tool], rounds: int) -> None:
    for pattern, n in (("tight", 200), ("spaced", 60)):
        found: dict[str, dict[str, list[float]]] = {tool.name: {"start": [], "stop": []} for tool in tools}
        for _ in range(rounds):
            for tool in tools:
                # a window of CodeCarbon's takes most of a millisecond; fewer tell as much
                burst = tool.ask("burst", pattern, n if tool.name != "codecarbon" else n // 6)
                for part, ns in burst.items():
                    found[tool.name][part].append(statistics.median(ns) / 1e3)
        print(f"\n{pattern} windows, µs{'':19s} start      stop  together")
        both = {}
        for name, parts in found.items():
            start, stop = (statistics.median(parts[part]) for part in ("start", "stop"))
            both[name] = start + stop
            print(f"  {name:32s} {start:9.1f} {stop:9.1f} {start + stop:9.1f}")
        for name in list(both)[1:]:
            print(f"  ratio ours / {name:19s} {both['joulemark'] / both[name]:29.2f}")


def answers(tools: list[Tool], rounds: int) -> None:
    print("\nuntil the joules of a 3 ms window are known after its end, ms; and how often they were 0")
    for tool in tools:
        n = 4 * rounds
        told = tool.ask("known", n)
        waits_ms = statistics.median(told["waits"]) / 1e6
        print(f"  {tool.name:32s} {waits_ms:9.3f}   {told['zeros']} of {n}")


def samples(tools: list[Tool], rounds: int) -> None:
    found: dict[str, list[float]] = {tool.name: [] for tool in tools}
    for _ in range(rounds):
        for tool in tools:
            found[tool.name].append(statistics.median(tool.ask("samples", 100)["costs"]) / 1e3)
    print(
        "\none sample of the board, µs (ours: all quantities; Zeus: energy and power; CodeCarbon: its meters)"
    )
    medians = {name: statistics.median(each) for name, each in found.items()}
    for name, cost in medians.items():
        print(f"  {name:32s} {cost:9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    peers = os.environ.get("JOULEMARK_PEERS")
    if peers is None:
        print("JOULEMARK_PEERS names no interpreter with zeus and codecarbon: only our own figures follow")
    with tempfile.TemporaryDirectory() as place:
        board = FakeBoard(power=[Piece(0.5, 60.0), Piece(0.5, 300.0)], loop=True, counter_period_s=0.05)
        env = FakeNvml(Path(place), [board]).env
        imports(peers, env, rounds)
        tools = [Tool.started("joulemark", sys.executable, OURS, env)]
        if peers is not None:
            tools.append(Tool.started("zeus", peers, ZEUS, env))
            tools.append(Tool.started("codecarbon", peers, CODECARBON, env))
        windows(tools, rounds)
        answers(tools, rounds)
        samples(tools, rounds)
        for tool in tools:
            tool.end()


if __name__ == "__main__":
    main()
