"""All tests one after another in one process, with memory sampled from outside: as the paper measures."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.code.cases.case import Case
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.record.code_run import CodeRun, Purpose

SAMPLE_S = 0.001
"""The step of the paper; what was reached is recorded with each run."""


def run_whole(bench: Bench, ran: Ran, cases: Sequence[Case], repeat: int = 0) -> CodeRun:
    """Run all tests in one go, sampling the resident memory every `SAMPLE_S`."""
    return bench.run(ran, cases, Purpose.WHOLE, sample_memory_s=SAMPLE_S, pair=repeat)
