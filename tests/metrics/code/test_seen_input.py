"""An input that came again: the first run on it counts where later ones are faster than they should be."""

from __future__ import annotations

from statistics import median

import pytest

from doubles.made_up_code_runs import MS, TIMED_OUT, program
from joulemark.metrics.code.eff_at_k import eff_at_k
from joulemark.metrics.code.seen_input import is_remembered, remembering, times_by_repeat
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import REMEMBERED, SEEN_INPUT, CodeRun, Purpose


def seconds(run: CodeRun) -> float | None:
    return None if run.cpu_ns is None else run.cpu_ns / 1e9


def on_one_input(sample: int | None, *ms: float, level: int = 1) -> list[CodeRun]:
    """Return runs on one input: all but the first had seen it."""
    return [
        program(
            "p",
            sample,
            Purpose.LEVEL,
            level=level,
            case=0,
            pair=repeat,
            cpu_ns=round(one * MS),
            flags=(SEEN_INPUT,) if repeat else (),
        )
        for repeat, one in enumerate(ms)
    ]


@pytest.mark.parametrize(
    ("ms", "excess_ms", "remembered"),
    [
        ((20, 1, 1, 1, 1, 1), 0, True),
        ((20, 16, 16, 16, 16, 16), 0, True),
        ((20, 17, 17, 17, 17, 17), 0, False),  # below a fifth
        ((20, 16, 16, 16, 16, 16), 2, False),  # the reference has as much
        ((0.15, 0.06, 0.06, 0.06, 0.06, 0.06), 0, False),  # below the clock's step
        ((20, 1, 1, 21, 20, 22), 0, False),  # and nothing is gained by two short ones
        ((1, 20, 20, 20, 20, 20), 0, False),
    ],
)
def test_a_first_run_that_is_slower_than_all_later_ones_counts(
    ms: tuple[float, ...], excess_ms: float, remembered: bool
) -> None:
    runs, excess = on_one_input(0, *ms), excess_ms / 1e3
    assert is_remembered(runs, seconds, excess) is remembered
    (time,) = set(times_by_repeat(runs, seconds, excess) or ())
    assert time == pytest.approx((ms[0] if remembered else median(ms)) / 1e3)


def test_repeats_with_inputs_of_their_own_stay_as_they_are() -> None:
    fresh = [run for ms in (3, 5, 4) for run in on_one_input(0, ms)]
    assert times_by_repeat(fresh, seconds) == [0.003, 0.005, 0.004]
    some_seen = [*fresh, *on_one_input(0, 9, 1)[1:]]
    assert times_by_repeat(some_seen, seconds) == [0.003, 0.005, 0.004, 0.003]
    ended = program("p", 0, Purpose.LEVEL, level=1, case=0, outcome=TIMED_OUT)
    assert times_by_repeat([*fresh, ended], seconds) is None


def test_who_remembers_gains_nothing_and_is_named() -> None:
    reference = [run for level in (1, 2, 3) for run in on_one_input(None, 10, 10, 10, level=level)]
    honest = [run for level in (1, 2, 3) for run in on_one_input(0, 15, 15, 15, level=level)]
    cheat = [run for level in (1, 2, 3) for run in on_one_input(1, 15, 1, 1, level=level)]
    assert eff_at_k([*reference, *honest]).value == pytest.approx(0.5)
    assert eff_at_k([*reference, *cheat]).value == pytest.approx(0.5)
    assert remembering([*reference, *honest, *cheat]) == {("p", 1)}
    assert summarize_code([*reference, *cheat]).flagged[REMEMBERED] == (("p", 1),)
