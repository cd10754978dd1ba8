"""The self-test as a whole: it has to pass before any score is published."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from joulemark.code.contain.containment import Containment
from joulemark.code.contain.limits import MIB, Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.selftest.case import Case, SelfTestCase
from joulemark.code.selftest.hidden_cases import HIDDEN_CASES
from joulemark.code.selftest.meeting_cases import MEETING_CASES
from joulemark.code.selftest.program_case import program_cases
from joulemark.code.selftest.rig_cases import RIG_CASES
from joulemark.record.errors import InputError

LIMITS = Limits(wall_s=2.0, cpu_s=1.0, memory_bytes=192 * MIB, output_bytes=16 * MIB, tmp_bytes=16 * MIB)
"""Tighter than those of an evaluation: many of these programs run until a limit ends them."""


def all_cases() -> tuple[Case, ...]:
    """Return the cases of this package: programs, meetings, then the whole rig."""
    return (*program_cases(), *MEETING_CASES, *RIG_CASES, *HIDDEN_CASES)


def run_selftest(
    containment: Containment,
    cases: Sequence[Case] | None = None,
    *,
    cpu: int | None = None,
    when_tried: Callable[[SelfTestCase], None] | None = None,
) -> tuple[SelfTestCase, ...]:
    """Try each case in one sandbox; a new one is made where a case has ended it, which is its failure.

    Raises `InputError` where no sandbox can be had at all.
    """
    tried: list[SelfTestCase] = []
    sandbox = Sandbox(containment, LIMITS, cpu=cpu)
    try:
        for case in all_cases() if cases is None else cases:
            try:
                found = case(sandbox)
            except InputError as error:
                found = _lost(case, error)
                sandbox.close()
                sandbox = Sandbox(containment, LIMITS, cpu=cpu)
            tried.append(found)
            if when_tried is not None:
                when_tried(found)
    finally:
        sandbox.close()
    return tuple(tried)


def _lost(case: Case, error: InputError) -> SelfTestCase:
    name = str(getattr(case, "name", None) or getattr(case, "__name__", "case"))
    what = str(getattr(case, "what", None) or getattr(case, "__doc__", None) or name)
    return SelfTestCase(name, what, "the sandbox goes on", f"the sandbox was lost: {error.why}", False)
