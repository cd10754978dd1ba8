"""Sources of problems run in a process of their own, as no test may run them in its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_HEAD = """
import copy, json, random, sys, warnings
warnings.simplefilter("ignore")
sys.setrecursionlimit(20_000)
sys.set_int_max_str_digits(0)
_jobs = json.loads(sys.stdin.read())
_stdout, sys.stdout = sys.stdout, sys.stderr


def load(source):
    names = {"__name__": "solution"}
    exec(compile(source, "<source>", "exec", dont_inherit=True), names)
    return names


def entry(source, entry_point):
    names = load(source)
    holder, _, name = entry_point.rpartition(".")
    return getattr(names[holder](), name) if holder else names[name]


def attempt(do):
    try:
        return do()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:200]

"""
_TAIL = "\n_stdout.write(json.dumps([attempt(lambda: job(*one)) for one in _jobs]))\n"


def run_apart(job: str, jobs: list[list[Any]], *, timeout_s: float = 280) -> list[Any]:
    """Return what ``def job(…)``, whose source is given, returns for each tuple of arguments.

    An exception is returned as its text. `load`, `entry` and `attempt` are there for it.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-c", _HEAD + job + _TAIL],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Any] = json.loads(done.stdout)
    return answers


CHECKED = """
def job(program, entry_point, test_source):
    load(test_source)["check"](entry(program, entry_point))
    return True
"""
"""Runs a test script against a program: true, or what was raised."""


def checked(programs: list[tuple[str, str, str | None]]) -> list[Any]:
    """Run test scripts: (program, entry point, test source) each; true, or what was raised."""
    return run_apart(CHECKED, [list(one) for one in programs])
