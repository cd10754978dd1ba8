"""What was observed when a program ran once: one row a run, observations only, nothing derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

REFERENCE = "reference"
CANDIDATE = "candidate"


class Outcome(StrEnum):
    """How a run ended. `RETURNED` alone can be correct, and only by what it returned."""

    RETURNED = "returned"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    OVER_CPU = "over_cpu"
    OVER_MEMORY = "over_memory"
    OVER_OUTPUT = "over_output"
    CRASHED = "crashed"
    EXITED = "exited"
    NOT_LOADED = "not_loaded"
    NO_ENTRY_POINT = "no_entry_point"
    BROKE_PROTOCOL = "broke_protocol"

    @property
    def is_censored(self) -> bool:
        """Whether a limit ended the run: what it took is only known to be more than what was seen."""
        return self in (Outcome.TIMED_OUT, Outcome.OVER_CPU)


class Purpose(StrEnum):
    """What a run was for.

    `TEST`: is it right on one test. `PAIRED`: one side of an interleaved comparison at the scaled input.
    `SAME`: the same, with the reference on both sides (A/A). `GROWTH`: one point of the growth with input
    size. `WHOLE`: all tests one after another in one process, as the paper measures. `BASELINE`: a program
    that does nothing. `LEVEL`: a test of a level of difficulty, as order-statistic scores want. `VERDICT`: no
    run, but what a problem's test script said of the tests before it, together: it has no time and no memory.
    """

    TEST = "test"
    PAIRED = "paired"
    SAME = "same"
    GROWTH = "growth"
    WHOLE = "whole"
    BASELINE = "baseline"
    LEVEL = "level"
    VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class CodeRun:
    """One run of one program on one input in a process of its own (tests may share one).

    ``program``: SHA-256 of the source; ``role`` is `REFERENCE` or `CANDIDATE`; ``sample`` numbers a
    candidate's samples of one problem from 0, null for the reference. ``case``: number of the input;
    ``size``: what the generator was asked for, null where inputs are given; ``level``: of difficulty from 0.
    ``pair`` and ``position`` place a run in the interleaved order (A B B A; position 0 or 1 in a pair). Of
    levels and of all tests in one process ``pair`` counts repeats on through all samples of a problem, as
    each has inputs of its own: the reference's runs of the same number are on the same inputs.
    ``n_calls``: how many calls the run stands for (all tests, for `Purpose.WHOLE`).

    ``cpu_ns``: CPU time of the whole process between the start of the call and its end, read from outside on
    the process's CPU clock; ``cpu_inside_ns`` the same as the program's own interpreter saw it;
    ``cpu_around_ns``: CPU time of the process outside its calls (loading, decoding, encoding) that no row of
    an earlier call of the same process has told; ``cpu_parent_ns``: CPU time of the process that grades and
    measures, with the last row of a problem or a control for all of it, null with the others;
    ``wall_ns``: monotonic, around the call; ``queued_ns``: of that, how long the process, or the one that
    waited for it, was ready to run and had no processor; ``instructions``: retired in user space, where a
    counter is. Of a run that was ended in its call the times and the peak are what was seen until then.
    Of the time around, ``cpu_before_ns`` lies between being sent the input and the start of the call, and
    ``cpu_after_ns`` between its end and its result; ``wall_after_ns`` is the latter by the wall, and
    ``queued_after_ns`` what it waited then for a processor. A program says itself that its call has ended, so
    it may work on after it.
    ``peak_bytes``: largest resident memory during the call above what was resident before it;
    ``resident_bytes``: resident before the call, ``loaded_bytes``: before it was sent any input;
    ``peak_before_bytes``: largest until the call, above what was resident before it; ``ended_bytes``:
    resident at the end of the call, more or less than before it; ``peak_after_bytes``: largest between its
    end and its result, above what was resident at its end.
    ``memory_mib_s``: time integral of the resident memory (MiB·s), ``memory_above_mib_s`` of the memory above
    that before the call, each by samples from outside every ``memory_step_ns`` (mean), ``n_memory_samples``
    of them, and what was read at the start and at the end of the call.
    ``correct``: null where nothing was compared. ``flags``: what was noticed, in words of `RUN_FLAGS`;
    `WORK_OUTSIDE_CALL` and `REMEMBERED` are none of a run, they show beside the reference only.
    ``reasons`` maps each null field to its reason code.
    """

    problem: str
    program: str
    role: str
    purpose: Purpose
    outcome: Outcome
    correct: bool | None
    sample: int | None = None
    case: int | None = None
    size: int | None = None
    level: int | None = None
    pair: int | None = None
    position: int | None = None
    n_calls: int = 1
    cpu_ns: int | None = None
    cpu_inside_ns: int | None = None
    cpu_around_ns: int | None = None
    cpu_parent_ns: int | None = None
    cpu_before_ns: int | None = None
    cpu_after_ns: int | None = None
    wall_ns: int | None = None
    wall_after_ns: int | None = None
    queued_after_ns: int | None = None
    queued_ns: int | None = None
    instructions: int | None = None
    peak_bytes: int | None = None
    resident_bytes: int | None = None
    loaded_bytes: int | None = None
    peak_before_bytes: int | None = None
    ended_bytes: int | None = None
    peak_after_bytes: int | None = None
    memory_mib_s: float | None = None
    memory_above_mib_s: float | None = None
    memory_step_ns: int | None = None
    n_memory_samples: int | None = None
    limit_ns: int | None = None
    flags: tuple[str, ...] = ()
    detail: str = ""
    reasons: dict[str, str] = field(default_factory=dict)


WORK_OUTSIDE_CALL = "work_outside_call"
CLOCKS_DIFFER = "clocks_differ"
WAITED = "waited"
THREADS = "threads"
DEGRADED = "degraded_containment"
SEEN_INPUT = "seen_input"
REMEMBERED = "remembered"
RUN_FLAGS = {
    WORK_OUTSIDE_CALL: "it took more outside the call than the reference (loading, inputs, results): that "
    "is charged to it where it is compared",
    CLOCKS_DIFFER: "its own clock and the one outside differ: the one outside is believed",
    WAITED: "it waited of its own accord rather than computed: CPU time says less than wall time",
    THREADS: "it ran more than one thread",
    SEEN_INPUT: "it was timed on an input that it had run on before, as no other was to be had: a program "
    "could remember the answer",
    REMEMBERED: "it was faster on an input that it had seen: the time of its first run counts",
    DEGRADED: "it was held by less than the whole containment: what it could reach may have helped it",
}
