"""What ``joulemark --help`` and ``import joulemark`` cost over a bare interpreter.

Each is a whole process; the three take turns and the medians are compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ROUNDS = 15
GOAL_MS = 150
COMMANDS = {
    "bare interpreter": [sys.executable, "-c", "pass"],
    "joulemark --help": [sys.executable, "-m", "joulemark.cli", "--help"],
    "import joulemark": [sys.executable, "-c", "import joulemark"],
}


def wall_ms(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1e3


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(ROUNDS + 1):
        for name, command in COMMANDS.items():
            took = wall_ms(command)
            if turn:  # the first round only fills the file cache
                times[name].append(took)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(f"{name:<18} {median:7.1f} ms  [{min(times[name]):.1f} .. {max(times[name]):.1f}]")
    over = medians["joulemark --help"] - medians["bare interpreter"]
    print(f"joulemark --help costs {over:.0f} ms over a bare interpreter (goal < {GOAL_MS} ms)")


if __name__ == "__main__":
    main()
