"""The engine's process where the user names it: believed unless what was seen speaks against it."""

from __future__ import annotations

import sys

from joulemark.meters.process_tree import children_of, read_stat
from joulemark.record.errors import InputError
from joulemark.record.manifest import Engine as EngineFacts

DECLARED = "which process is the engine was declared with --engine-pid, not seen"
"""The note of a run whose engine was named."""


def with_declared_pid(facts: EngineFacts, declared: int | None) -> EngineFacts:
    """Enter the process that the user declares to be the engine.

    Raises `InputError` where there is no such process, or where what was seen speaks against it.
    """
    if declared is None:
        return facts
    stat = read_stat(declared) if sys.platform.startswith("linux") else None
    if sys.platform.startswith("linux") and (stat is None or stat.is_zombie):
        raise InputError(
            f"--engine-pid {declared} is no living process of this machine",
            fix="find the engine's process with `ps` or `nvidia-smi`, and give its PID",
        )
    if facts.local is False:
        raise InputError(
            "--engine-pid names a process of this machine",
            why="the engine's address is another machine's",
            fix="leave it out: joules of this machine are not the engine's",
        )
    related = facts.pid is None or declared in _family(facts.pid) or facts.pid in _family(declared)
    if not related:
        raise InputError(
            f"--engine-pid {declared} is not the engine",
            why=f"process {facts.pid} listens at its address, and the two are not related",
            fix="leave --engine-pid out, or give the address that your process serves",
        )
    reasons = {name: why for name, why in facts.reasons.items() if name not in ("pid", "local")}
    return facts.model_copy(update={"pid": declared, "local": True, "reasons": reasons})


def _family(pid: int) -> set[int]:
    return {pid, *children_of([pid])}
