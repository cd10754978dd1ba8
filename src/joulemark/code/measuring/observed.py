"""From what was seen of a call to a row of the record."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from joulemark.code.contain.called import Called
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.limits import MIB, Limits
from joulemark.code.problems.prelude import with_prelude
from joulemark.code.problems.problem import Problem, program_id
from joulemark.record.code_run import (
    CANDIDATE,
    CLOCKS_DIFFER,
    REFERENCE,
    THREADS,
    WAITED,
    CodeRun,
    Outcome,
    Purpose,
)
from joulemark.record.reason import Reason

_SLACK_NS = 5_000_000
_SLACK_SHARE = 0.2
_IDLE_NS = 500_000_000  # a busy machine may keep a program waiting so long
_PAUSE_NS = 200_000_000  # where it is known how long the machine did, and what is left is the program's own


_PEAKS = ("peak_bytes", "peak_before_bytes", "peak_after_bytes")
_SEEN_OF_ENDED = ("cpu_ns", "cpu_around_ns", "wall_ns", "queued_ns", "resident_bytes", "peak_bytes")
_AROUND = (
    "cpu_before_ns",
    "cpu_after_ns",
    "wall_after_ns",
    "queued_after_ns",
    "queued_ns",
    "loaded_bytes",
    "ended_bytes",
)


@dataclass(frozen=True, slots=True)
class Ran:
    """Which program of which problem ran: ``sample`` is null for the reference."""

    problem: str
    program: str
    sample: int | None = None

    @property
    def role(self) -> str:
        """`REFERENCE` or `CANDIDATE`."""
        return REFERENCE if self.sample is None else CANDIDATE

    def source(self, problem: Problem) -> str:
        """Return what is loaded: what the problem puts before every program, then the program."""
        return with_prelude(problem.prelude, self.program)


def observed_run(called: Called, ran: Ran, purpose: Purpose, correct: bool | None, **place: Any) -> CodeRun:
    """Return the row of a call that came to its end. ``place`` are fields that say which run it was."""
    integral, above, step = _integrals(called)
    reasons: dict[str, str] = {}
    if called.instructions is None:
        reasons["instructions"] = called.no_instructions or Reason.NOT_MEASURED
    reasons |= {name: Reason.NOT_MEASURED for name in _AROUND if getattr(called, name) is None}
    reasons |= {name: Reason.NOT_PERMITTED for name in _PEAKS if getattr(called, name) is None}
    if called.cpu_inside_ns is None:
        reasons["cpu_inside_ns"] = Reason.NOT_REPORTED
    if integral is None:
        reasons |= dict.fromkeys(
            ("memory_mib_s", "memory_above_mib_s", "memory_step_ns"), Reason.NOT_MEASURED
        )
    return CodeRun(
        problem=ran.problem,
        program=program_id(ran.program),
        role=ran.role,
        sample=ran.sample,
        purpose=purpose,
        outcome=called.outcome,
        correct=correct,
        cpu_ns=called.cpu_ns,
        cpu_inside_ns=called.cpu_inside_ns,
        cpu_around_ns=called.cpu_around_ns,
        wall_ns=called.wall_ns,
        instructions=called.instructions,
        resident_bytes=called.resident_bytes,
        memory_mib_s=integral,
        memory_above_mib_s=above,
        memory_step_ns=step,
        n_memory_samples=len(called.memory) or None,
        flags=_flags(called),
        detail=called.detail,
        reasons=reasons,
        **{name: getattr(called, name) for name in (*_AROUND, *_PEAKS)},
        **place,
    )


def ended_run(
    ended: Ended,
    ran: Ran,
    purpose: Purpose,
    limits: Limits,
    *,
    cpu_limit_s: float | None = None,
    **place: Any,
) -> CodeRun:
    """Return the row of a run that came to no answer: a limit is a censored value, and never a pass.

    Its times and its peak of memory are what was seen of it until it was ended.
    ``cpu_limit_s``: the limit of the call where it was less than that of the process.
    """
    cpu_s = limits.cpu_s if cpu_limit_s is None else min(cpu_limit_s, limits.cpu_s)
    limit_s = {Outcome.TIMED_OUT: limits.wall_s, Outcome.OVER_CPU: cpu_s}.get(ended.outcome)
    seen = {name: getattr(ended, name) for name in _SEEN_OF_ENDED}
    missing = [name for name, value in seen.items() if value is None]
    missing += ["cpu_inside_ns", "instructions"]
    missing += [name for name in (*_AROUND, *_PEAKS) if name not in seen]
    waited = ended.wall_ns is not None and _waited(ended.wall_ns, ended.cpu_ns or 0, ended.queued_ns)
    return CodeRun(
        problem=ran.problem,
        program=program_id(ran.program),
        role=ran.role,
        sample=ran.sample,
        purpose=purpose,
        outcome=ended.outcome,
        correct=False,
        limit_ns=None if limit_s is None else round(limit_s * 1e9),
        flags=(*ended.flags, WAITED) if waited else ended.flags,
        detail=ended.detail,
        **seen,
        reasons=dict.fromkeys(missing, Reason.NO_ANSWER),
        **place,
    )


def _flags(called: Called) -> tuple[str, ...]:
    flags = []
    inside = called.cpu_inside_ns
    if inside is not None and abs(called.cpu_ns - inside) > _SLACK_SHARE * called.cpu_ns + _SLACK_NS:
        flags.append(CLOCKS_DIFFER)
    if _waited(called.wall_ns, called.cpu_ns, called.queued_ns):
        flags.append(WAITED)
    if called.n_threads > 1:
        flags.append(THREADS)
    return (*called.flags, *flags)


def _waited(wall_ns: int, cpu_ns: int, queued_ns: int | None) -> bool:
    """Tell whether a program waited of its own accord; ``queued_ns``: how long it was kept waiting."""
    if queued_ns is None:
        return wall_ns > 3 * cpu_ns + _IDLE_NS
    return wall_ns - queued_ns > 3 * cpu_ns + _PAUSE_NS


def _integrals(called: Called) -> tuple[float | None, float | None, int | None]:
    """Return the trapezoid of the resident memory (MiB·s), that above the start's, and the mean step (ns).

    The whole call is in it: its memory was read at the start and at the end too.
    """
    if len(called.memory) < 2:
        return None, None, None
    total = above = 0.0
    for (t0, m0), (t1, m1) in itertools.pairwise(_course(called)):
        seconds = (t1 - t0) / 1e9
        total += seconds * (m0 + m1) / 2 / MIB
        above += seconds * (m0 + m1 - 2 * called.resident_bytes) / 2 / MIB
    span = called.memory[-1][0] - called.memory[0][0]
    return total, max(above, 0.0), span // (len(called.memory) - 1)


def _course(called: Called) -> list[tuple[int, int]]:
    """Return the readings of the memory from the start of the call to its end."""
    if called.began_ns is None or called.ended_bytes is None:
        return list(called.memory)
    ended_ns = called.began_ns + called.wall_ns
    within = [reading for reading in called.memory if called.began_ns <= reading[0] <= ended_ns]
    begin = called.began_ns, called.resident_bytes
    return [begin, *within, (ended_ns, called.resident_bytes + called.ended_bytes)]
