"""A machine that keeps programs waiting is told: wall time is then its load."""

import dataclasses

from doubles.made_up_code_runs import TIMED_OUT, evaluation, whole
from joulemark.metrics.code import summarize_code, summary_json
from joulemark.metrics.code.queued import Queued, queued_of
from joulemark.record.code_run import Purpose
from joulemark.report.code_rows import busy


def test_runs_that_waited_for_over_a_tenth_are_counted():
    runs = [whole("p", k, wall_s=0.1, queued_ns=ms * 1_000_000) for k, ms in enumerate((5, 9, 11, 150))]
    unread = whole("p", 9, wall_s=0.1)
    ended = whole("p", 8, wall_s=0.1, queued_ns=90_000_000, outcome=TIMED_OUT)
    assert queued_of([*runs, unread, ended], Purpose.WHOLE) == Queued(2, 4)
    assert queued_of(runs, Purpose.PAIRED) == Queued(0, 0)


def test_few_of_many_move_no_mean():
    assert not Queued(0, 0).is_busy
    assert not Queued(5, 100).is_busy
    assert Queued(6, 100).is_busy
    assert Queued(1, 2).is_busy


def test_the_summary_and_the_words_tell_it():
    runs = evaluation([0.5])
    assert busy(summarize_code(runs)) == []
    loaded = [
        dataclasses.replace(run, queued_ns=run.wall_ns // 2) if run.purpose is Purpose.WHOLE else run
        for run in runs
    ]
    summary = summarize_code(loaded)
    (said,) = busy(summary)
    assert "The machine was busy: 2 of 2 runs of all tests" in said
    assert "NET" in said
    assert summary_json(summary)["queued"]["whole"] == {"n_waited": 2, "n_runs": 2, "is_busy": True}
