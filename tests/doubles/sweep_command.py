"""``joulemark sweep`` in a process of its own, and what a sweep's directory holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from doubles.started_server import COMMAND
from doubles.user import Finished
from joulemark.runs.layout import RunLayout
from joulemark.sweeps.journal import SweepJournal, SweepRecord

STAND_IN = ("--engine", "vllm", "--model", "org/stand-in", "--server-command", COMMAND, "--meter", "none")
"""An engine that is really started: the stand-in in vLLM's place."""


def line(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "joulemark.cli", "sweep", *map(str, arguments)]


def start_sweep(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        line(*arguments),
        env=env or dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def sweep(*arguments: str | Path, env: dict[str, str] | None = None, timeout_s: float = 600) -> Finished:
    with start_sweep(*arguments, env=env) as process:
        try:
            out, err = process.communicate(timeout=timeout_s)
        except BaseException:
            process.kill()
            raise
    return Finished(process.returncode, out, err)


def recorded(root: Path) -> SweepRecord:
    found = SweepJournal(root).read()
    assert found is not None
    return found


def states(root: Path) -> list[str]:
    """Return the states of the grid's points; whether a client keeps up is up to the machine, so not told."""
    found = [point.state for point in recorded(root).points if point.in_grid]
    return ["done" if state == "invalid" else state for state in found]


def code_of(root: Path) -> int:
    """Return the exit code that belongs to the points as they are: whether one of them can be judged."""
    judged = (point.state in ("done", "partial") for point in recorded(root).points if point.in_grid)
    return 0 if any(judged) else 1


def with_clients_that_kept_up(root: Path) -> None:
    """Write down that every client kept up, so that what is measured again is not up to the machine."""
    journal, record = SweepJournal(root), recorded(root)
    for point in record.points:
        if point.state not in ("done", "invalid"):
            continue
        point.state, point.why = "done", ""
        layout = RunLayout(journal.run_dir(point))
        manifest = layout.read_manifest()
        manifest.client = [proof.model_copy(update={"invalid": []}) for proof in manifest.client]
        layout.write_manifest(manifest)
    journal.save(record)
