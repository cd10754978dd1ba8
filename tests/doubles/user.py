"""A user at the command line: every command runs in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doubles.working_engine import WorkingEngine


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def joulemark(*arguments: str | Path, env: dict[str, str] | None = None, timeout_s: float = 120) -> Finished:
    done = subprocess.run(
        [sys.executable, "-m", "joulemark.cli", *map(str, arguments)],
        env=env or dict(os.environ),
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


def start(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli", *map(str, arguments)],
        env=env or dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def interrupt(process: subprocess.Popen[str], *, when: Callable[[], bool], deadline_s: float = 60) -> None:
    """Press Ctrl-C once ``when`` holds."""
    end = time.monotonic() + deadline_s
    while not when() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)


def adds(question: str) -> str:
    """Answer a sum of `sums`; every third one wrongly."""
    number = int(question.rpartition("What is ")[2].split(" ")[0]) if "What is " in question else 0
    return f"#### {number + 100 if number % 3 else number}"


def bench(engine: WorkingEngine, data: Path, out: Path, *more: str) -> Sequence[str | Path]:
    return ["bench", "run", "gsm8k", "--data", data, "--engine", engine.url, "--out", out, "--json", *more]
