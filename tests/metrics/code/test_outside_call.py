"""One row that the machine disturbed names nobody; a program that does it in every row is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from joulemark.metrics.code.outside_call import work_charged_ns
from joulemark.record.code_run import CANDIDATE, WORK_OUTSIDE_CALL, CodeRun, Outcome, Purpose

MS = 1_000_000


def rows(purpose: Purpose, n: int, size: int | None = 100) -> list[CodeRun]:
    """Rows of one input that take 100 ms each."""
    one = CodeRun(
        "p", "x", CANDIDATE, purpose, Outcome.RETURNED, True, sample=0, size=size, peak_bytes=1 << 22
    )
    return [replace(one, pair=k, cpu_ns=100 * MS, wall_ns=110 * MS) for k in range(n)]


def told(made: Sequence[CodeRun], more_ms: Sequence[float], **changes: int) -> float | None:
    """What is told of rows to which so many ms each are charged; 0 for none."""
    charged, before = [], {}
    for run, ms in zip(made, more_ms, strict=True):
        now = run
        if ms or changes:
            cpu_ns = (run.cpu_ns or 0) + round(ms * MS)
            now = replace(run, cpu_ns=cpu_ns, flags=(WORK_OUTSIDE_CALL,), **changes)  # type: ignore[arg-type]
        charged.append(now)
        before[id(now)] = run
    return work_charged_ns(charged, before)


@pytest.mark.parametrize(
    ("purpose", "more_ms", "ns"),
    [
        (Purpose.GROWTH, [0, 60, 0], None),  # a third of the rows on this input, and chance
        (Purpose.GROWTH, [0, 60, 40], 50 * MS),
        (Purpose.GROWTH, [0.6, 0.7, 0.6], None),  # changes no figure
        (Purpose.GROWTH, [6, 7, 8], 7 * MS),
        (Purpose.PAIRED, [60, 60, *[0] * 18], None),  # a tenth of the rows
        (Purpose.PAIRED, [60, 60, 60, *[0] * 17], 60 * MS),
        (Purpose.WHOLE, [15], None),
        (Purpose.WHOLE, [25], 25 * MS),
    ],
)
def test_two_rows_on_one_input_must_say_so(purpose: Purpose, more_ms: list[float], ns: float | None) -> None:
    assert told(rows(purpose, len(more_ms)), more_ms) == ns


def test_a_machine_that_gives_as_much_as_it_takes_accuses_nobody() -> None:
    """A busy one disturbs either run of a pair: the candidate's is charged, or is given the difference."""
    made = rows(Purpose.PAIRED, 20)
    before, now = {}, []
    for run, ms in zip(made, [30, 20, 30, -15, -15, *[0] * 15], strict=True):
        flags = (WORK_OUTSIDE_CALL,) if ms > 0 else ()
        now.append(replace(run, cpu_ns=(run.cpu_ns or 0) + ms * MS, flags=flags))
        before[id(now[-1])] = run
    assert work_charged_ns(now, before) is None
    assert work_charged_ns(now[:3] * 5 + now[3:5], before) == 30 * MS


def test_rows_on_different_inputs_are_no_two_of_one() -> None:
    made = [one for size in (1, 2, 3) for one in rows(Purpose.GROWTH, 3, size)]
    assert told(made, [60, 0, 0, 0, 60, 0, 0, 0, 60]) is None


def test_memory_that_was_taken_outside_is_told_without_any_time() -> None:
    assert told(rows(Purpose.PAIRED, 4), [0] * 4, peak_bytes=1 << 23) == 0.0


def test_tests_of_one_level_speak_together() -> None:
    """Each was run once, and one of eight is chance."""
    made = [replace(one, level=0, case=k, pair=0) for k, one in enumerate(rows(Purpose.LEVEL, 8))]
    assert told(made, [60, *[0] * 7]) is None
    assert told(made, [60, 40, *[0] * 6]) == 50 * MS
