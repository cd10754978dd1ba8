"""The ledger of a run that ended itself, held against what the rest of the questions then really cost."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from doubles.nvml import FakeNvml
from doubles.user import adds, bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Item
from joulemark.record.manifest import Window
from joulemark.runs.journal import read_items
from joulemark.runs.recorded import read_run
from joulemark.runs.view import summary_of
from joulemark.tasks.registry import load_task

Sums = Callable[[int], Path]
Ledger = dict[str, dict[str, Any]]
USD_PER_KWH, G_PER_KWH, JOULES_PER_KWH = 0.3, 56.0, 3.6e6
USD_PER_PROMPT_TOKEN, USD_PER_TOKEN = 1e-6, 8e-6
COUNTS = """
name = "small_counts"
title = "sums and counting"
kinds = ["numeric"]
max_tokens = 24
examples = false

[data]
file = "counts.jsonl"
row = '{"n": 1, "text": "What is 1 plus 2?", "last": "3"}'

[items]
id = "n"
question = "{{ text }}"
gold = "last"
"""


@dataclass(frozen=True)
class Parts:
    """A run that a rule ended (its ``ledger``, the rows it had) and the ``rest`` that it was then asked."""

    stopped: dict[str, Any]
    asked: Sequence[Item]
    rest: Sequence[Item]

    @property
    def ledger(self) -> Ledger:
        return self.stopped["ledger"]  # type: ignore[no-any-return]

    def holds(self, name: str, truth: float) -> bool:
        """Tell whether the interval of what was saved is one, and holds what the rest cost."""
        line = self.ledger[name]
        assert 0 <= line["saved_lo"] < line["saved_estimated"] < line["saved_hi"]
        return line["saved_lo"] <= truth <= line["saved_hi"]


def stored(out: Path) -> list[Item]:
    rows, _ = read_items(out / "items.jsonl")
    return [row.item for row in rows if row.item.phase == "measure"]


def measured(out: Path, segment: int) -> Window:
    """Return the window in which the questions of a segment were asked."""
    windows = read_run(out).manifest.windows
    (window,) = (one for one in windows if one.segment == segment and one.name == "measure")
    return window


def seconds(window: Window) -> float:
    assert window.t1 is not None
    return (window.t1 - window.t0) / 1e9


@dataclass(frozen=True)
class AtStop:
    """What a run that a rule ended printed of it, the rows that it had then, and its energy."""

    printed: dict[str, Any]
    rows: Sequence[Item]
    view: RunView


def stopped_run(command: Sequence[str | Path], out: Path, stop: str, **how: Any) -> AtStop:
    done = joulemark(*command, "--stop", stop, **how)
    assert done.code == 0, done.err
    return AtStop(done.json["stopped_early"], stored(out), summary_of(out)[0])


def with_the_rest(command: Sequence[str | Path], out: Path, at_stop: AtStop, **how: Any) -> Parts:
    """Leave the rule out, so that the same run is asked the rest."""
    whole = joulemark(*command, **how)
    assert whole.code == 0, whole.err
    assert whole.json["stopped_early"] is None
    asked, both, told = at_stop.rows, stored(out), at_stop.printed
    assert both[: len(asked)] == asked
    assert told["questions_asked"] == told["requests_asked"] == len(asked) < len(both)
    assert told["requests_saved"] == told["questions_saved"] == len(both) - len(asked)
    assert {one.index for one in both} == set(range(told["questions"]))
    return Parts(told, asked, both[len(asked) :])


def tokens(items: Sequence[Item]) -> int:
    return sum(item.completion_tokens or 0 for item in items)


def taken_s(items: Sequence[Item]) -> float:
    return math.fsum(item.t_end - item.t_begin for item in items) / 1e9


PACES_S, WATTS = (0.4, 0.1, 0.03, 0.05, 0.2), (400.0, 300.0, 200.0)


def number_in(question: str) -> int:
    """Return the number of the sum that is asked for, 0 for the client's trial."""
    return int(question.rpartition("What is ")[2].split(" ")[0]) if "What is " in question else 0


@pytest.mark.slow
def test_what_the_rest_cost_lies_where_the_ledger_said(board: FakeNvml, sums: Sums, tmp_path: Path) -> None:
    """Answers take 0.03 to 0.4 s at 200 to 400 W by their question, on a board whose energy is known.

    It cannot flake: which question comes when, how long each is answered and at how many watts is fixed, and
    so is after how many the accuracy is known. The lengths are such that by design the rest costs within 1 %
    of what the ledger says, and differ so that its interval allows 50 ms an answer. To leave it an answer
    would have to take so much longer on average than in the other part, for reasons of the machine alone.
    """

    def paced(question: str) -> str:
        begun, number = time.monotonic(), number_in(question)
        board.set_power_w(0, WATTS[number % 3])
        time.sleep(max(begun + PACES_S[number % 5] - time.monotonic(), 0))
        return adds(question)

    out, data = tmp_path / "run", sums(120)
    rates = ("--usd-per-kwh", str(USD_PER_KWH), "--gco2e-per-kwh", str(G_PER_KWH))
    with WorkingEngine(paced, board, gap_s=0.0, tokens=2, idle_w=60.0) as engine:
        command = bench(engine, data, out, *rates)
        at_stop = stopped_run(command, out, "accuracy ±10pp", env=board.env)
        parts = with_the_rest(command, out, at_stop, env=board.env)
    ledger = parts.ledger
    number = {one.item_id: int(one.gold) - 100 for one in load_task("gsm8k", data=data).questions}
    for of in (lambda k: PACES_S[k % 5], lambda k: PACES_S[k % 5] * WATTS[k % 3]):
        by_design = [sum(of(number[one.item_id]) for one in some) for some in (parts.asked, parts.rest)]
        assert by_design[1] / len(parts.rest) == pytest.approx(by_design[0] / len(parts.asked), rel=0.01)
    slack_s = ledger["seconds"]["saved_estimated"] - ledger["seconds"]["saved_lo"]
    assert slack_s > 0.045 * len(parts.rest)

    first, second = measured(out, 0), measured(out, 1)
    assert ledger["seconds"]["asked"] == pytest.approx(seconds(first))
    assert taken_s(parts.asked) <= seconds(first)
    assert parts.holds("seconds", seconds(second)), (seconds(second), ledger["seconds"])

    whole, _ = summary_of(out)
    energy, of_whole = at_stop.view.headline_energy, whole.headline_energy
    assert isinstance(energy, MeasuredEnergy)
    assert isinstance(of_whole, MeasuredEnergy)
    assert ledger["joules"]["asked"] == pytest.approx(energy.joules)
    true_j, true_rest_j = (board.true_energy_j(0, one.t0, one.t1 or 0) for one in (first, second))
    assert energy.lo <= true_j <= energy.hi
    assert of_whole.lo <= true_j + true_rest_j <= of_whole.hi
    assert parts.holds("joules", of_whole.joules - energy.joules), (of_whole.joules, ledger["joules"])
    assert parts.holds("joules", true_rest_j), (true_rest_j, ledger["joules"])
    for name, per_kwh in (("usd", USD_PER_KWH), ("gco2e", G_PER_KWH)):
        assert parts.holds(name, (of_whole.joules - energy.joules) * per_kwh / JOULES_PER_KWH)
        for of_line in ("asked", "saved_estimated", "saved_lo", "saved_hi", "whole_task_estimated"):
            in_joules = ledger["joules"][of_line]
            assert ledger[name][of_line] == pytest.approx(in_joules * per_kwh / JOULES_PER_KWH)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_built_in_model_ends_itself_early_and_its_ledger_holds(
    tmp_path: Path, built_in_model: Path
) -> None:
    """Sums have short answers and counting has long ones, and they come in a fixed order.

    It cannot flake: at temperature 0 the same questions have the same answers, whose tokens are priced, so
    dollars come out the same each time, by a quarter of what the interval allows beside it. Seconds are those
    of the machine, which may be slower for the rest (docs/frugal-stop.md: no rule can know it): where a token
    takes 5 % more or less there, the rest counts at the pace of what was asked.
    """
    data, out = tmp_path / "counts.toml", tmp_path / "run"
    data.write_text(COUNTS)
    rows = [
        (f"What is {n} plus {n % 3}? Answer with the number only.", n + n % 3)
        if n % 2
        else (f"Count from 1 to {n // 4 + 2}, with commas.", n // 4 + 2)
        for n in range(54)
    ]
    (tmp_path / "counts.jsonl").write_text(
        "".join(
            json.dumps({"n": n, "text": text, "last": str(of)}) + "\n" for n, (text, of) in enumerate(rows)
        )
    )
    prices = f"{USD_PER_PROMPT_TOKEN * 1e6:g},{USD_PER_TOKEN * 1e6:g}"
    command = [*("bench", "run", data, "--meter", "none", "--price", prices, "--json", "--out", out)]
    at_stop = stopped_run(command, out, "accuracy ±14pp", timeout_s=400)
    parts = with_the_rest(command, out, at_stop, timeout_s=400)
    ledger = parts.ledger
    assert ledger["joules"]["reason"] is not None

    def usd(items: Sequence[Item]) -> float:
        return math.fsum(
            (one.prompt_tokens or 0) * USD_PER_PROMPT_TOKEN + (one.completion_tokens or 0) * USD_PER_TOKEN
            for one in items
        )

    assert ledger["usd"]["asked"] == pytest.approx(usd(parts.asked))
    assert parts.holds("usd", usd(parts.rest)), (usd(parts.rest), ledger["usd"])

    first, second = measured(out, 0), measured(out, 1)
    assert ledger["seconds"]["asked"] == pytest.approx(seconds(first))
    assert taken_s(parts.asked) <= seconds(first)
    if ledger["seconds"]["interval_reason"] is not None:
        # the machine changed while the first part was asked, which the ledger saw, and says no more
        assert ledger["seconds"]["interval_reason"]["code"] == "cost_changed"
        return
    pace, pace_of_rest = (taken_s(some) / tokens(some) for some in (parts.asked, parts.rest))
    steady = abs(pace_of_rest / pace - 1) < 0.05
    rest_s = seconds(second) if steady else tokens(parts.rest) * pace
    assert parts.holds("seconds", rest_s), (rest_s, steady, ledger["seconds"])
