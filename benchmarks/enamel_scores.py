"""ENAMEL's scores of two files of canonical solutions, by a user's command, beside the published ones.

    python benchmarks/enamel_scores.py [--data ../shared/data/code/enamel] [--limit N]

Printed for each file: eff@1 and pass@1 as the levels judge it, beside the published figures of HumanEval's
and HumanEval+'s canonical solutions (R. Qiu et al., ICLR 2025), wall time and the machine's load. Exit code 1
where eff@1 is off by over 0.05 or pass@1 by over 0.02, or where not all of the score's 142 problems have one.
Both files take some five minutes on two cores that have nothing else to do. ``--limit``: N problems of each
file, to try it; nobody published their figures, so no goal is judged.

`docs/code.md` says where the procedure differs from the authors' own, and what that does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EFF_OFF, PASS_OFF = 0.05, 0.02
N_PROBLEMS = 142
"""How many of the table's 164 problems the score counts."""
DATA = Path(__file__).parents[2] / "shared" / "data" / "code" / "enamel"


@dataclass(frozen=True, slots=True)
class Published:
    """A file of samples and its published figures."""

    file: str
    pass_at_1: float
    eff_at_1: float


FILES = (
    Published("humaneval-canonical", 0.908, 0.458),
    Published("humanevalplus-canonical", 0.958, 0.517),
)


def missed(published: Published, told: Mapping[str, Any]) -> list[str]:
    """Return the goals that what ``code eval --json`` told misses, in words."""
    found = []
    for name, goal, most_off in (
        ("eff_at_1", published.eff_at_1, EFF_OFF),
        ("level_pass_at_1", published.pass_at_1, PASS_OFF),
    ):
        value, n = told[name], told["n"][name]
        if value is None or n != N_PROBLEMS:
            found.append(f"{published.file}: {name} of {n} problems, not {N_PROBLEMS}")
        elif round(abs(value - goal), 6) > most_off:
            found.append(f"{published.file}: {name} within {most_off:g} of {goal:g}")
    return found


def evaluated(folder: Path, name: str, limit: int | None) -> dict[str, Any]:
    """Return what is told of a file, evaluated as a user does."""
    with tempfile.TemporaryDirectory() as into:
        command = [sys.executable, "-m", "joulemark", "code", "eval", folder / "samples" / f"{name}.json"]
        command += ["--problems", folder / "enamel.csv", "--figures", "enamel", "--into", into, "--json"]
        command += [] if limit is None else ["--limit", str(limit)]
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"code eval ended with exit code {done.returncode}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def main() -> int:
    """Evaluate both files and print a table; return 1 where a published figure is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    if not (options.data / "enamel.csv").exists():
        print(f"not run: {options.data} has no enamel.csv; name the folder of ENAMEL's files with --data")
        return 0
    unmet = []
    for one in FILES:
        begin = time.perf_counter()
        told = evaluated(options.data, one.file, options.limit)
        took_s = time.perf_counter() - begin
        unmet += missed(one, told)
        print(f"{one.file}   {took_s:.0f} s, load {os.getloadavg()[0]:.1f}")
        for name, goal, most_off in (
            ("eff_at_1", one.eff_at_1, EFF_OFF),
            ("level_pass_at_1", one.pass_at_1, PASS_OFF),
        ):
            value, n = told[name], told["n"][name]
            said = "none" if value is None else f"{value:.3f} ({value - goal:+.3f})"
            print(f"  {name:16} {said:16} of {n} problems   published {goal:.3f}, goal ± {most_off:g}")
    if options.limit is not None:
        print(f"{options.limit} problems are not the published set: no goal is judged")
        return 0
    print("goals met" if not unmet else f"missed: {'; '.join(unmet)}")
    return 1 if unmet else 0


if __name__ == "__main__":
    sys.exit(main())
