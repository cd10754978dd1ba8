"""Joules per correct answer with requests in flight, at the rule's end, on the simulator's books."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from doubles import run_views
from doubles.steady_runs import Metered, books_meter, items_of
from frugal.stopping.driven import holds
from joulemark.frugal.stopping.rule import TargetRule
from joulemark.frugal.target import parse_targets
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Phase
from joulemark.record.manifest import Rates
from joulemark.record.scope import Scope
from joulemark.record.span import Span
from joulemark.runs.finished import Finished
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.time_blocks import time_blocks
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.request import SimRequest
from joulemark.simulate.virtual import SimulatedRun, run_closed

OF, TOGETHER = 800, 8


@dataclass(frozen=True)
class Books:
    """What `time_blocks` asks of a run's energy, answered from the books of the simulated server."""

    windows: list[Span]
    of: Metered
    renewal_s: float = 0.1
    withheld: None = None


@dataclass(frozen=True)
class SomeTask:
    """Questions of which long answers are seldom right, and what a right one costs in the long run."""

    prompt: NDArray[np.int64]
    output: NDArray[np.int64]
    right: NDArray[np.bool_]

    def run(self, order: NDArray[np.int64]) -> SimulatedRun:
        asked = [
            SimRequest(str(place), int(self.prompt[k]), int(self.output[k])) for place, k in enumerate(order)
        ]
        return run_closed(ServerConfig(H100, LLAMA_8B, max_batch=TOGETHER), asked, TOGETHER)

    def truth_j(self, chance: np.random.Generator) -> float:
        """Ten rounds of all questions between two moments of full load: no start and no end is in it."""
        run = self.run(np.concatenate([chance.permutation(OF) for _ in range(12)]))
        ends = [done.t_end_ns for done in run.finished]
        (metered,) = books_meter(run)([Span(0, ends[OF], ends[11 * OF])])
        assert isinstance(metered, MeasuredEnergy)
        return metered.joules / (10 * int(self.right.sum()))


def a_task(chance: np.random.Generator) -> SomeTask:
    output = np.rint(np.clip(chance.lognormal(np.log(100) - 0.18, 0.8, OF), 1, 1500)).astype(np.int64)
    prompt = np.rint(np.clip(200 * (1 + chance.exponential(1, OF)), 1, 6000)).astype(np.int64)
    return SomeTask(prompt, output, chance.random(OF) < np.where(output < 100, 0.75, 0.45))


def ended(task: SomeTask, order: NDArray[np.int64], text: str) -> TargetRule | None:
    """Ask in this order until the rule ends it; it sees what was metered when its look fell due."""
    run = task.run(order)
    meter = books_meter(run)
    items = sorted(items_of(run.finished, right=None)[0], key=lambda one: int(one.item_id[1:]))
    for place, one in enumerate(items):
        items[place] = run_views.item(
            place,
            t_sent=one.t_sent,
            t_end=one.t_end,
            tokens=one.completion_tokens,
            prompt_tokens=one.prompt_tokens,
            correct=bool(task.right[order[place]]),
        )
    begin = min(one.t_sent for one in items)
    known_at = np.maximum.accumulate([one.t_end for one in items])

    def metered(n: int) -> RunView:
        now = int(known_at[n - 1])
        told = [one for one in items if one.t_end <= now]
        cut = [
            replace(one, phase=Phase.ABANDONED, t_end=now) for one in items if one.t_sent < now < one.t_end
        ]
        span = Span(0, begin, now)
        blocks = time_blocks(cast(RunEnergy, Books([span], meter)), (*told, *cut))
        return RunView(
            manifest=run_views.manifest(),
            items=(*told, *cut),
            headline_energy=meter([span])[0],
            headline_scope=Scope.gpu(0).label,
            time_blocks=blocks,
        )

    made = TargetRule(parse_targets([text]), OF, Rates(), in_flight=TOGETHER)
    questions = [(one,) for one in items]
    return made if made.decide(Finished(questions, OF, metered)) is not None else None


@pytest.mark.slow
def test_what_the_rule_tells_of_joules_in_flight_covers_the_task() -> None:
    """250 runs of 1,500 questions to ±8 %: 95.6 %; without what few stretches leave unsure 91.5 % of 200."""
    chance = np.random.default_rng(77)
    task = a_task(chance)
    truth_j = task.truth_j(chance)
    stopped = [ended(task, chance.permutation(OF), "joules_per_correct ±12%") for _ in range(45)]
    held = [holds(made.standings[0], truth_j) for made in stopped if made is not None]
    print(len(held), np.mean(held))
    assert len(held) > 38
    assert np.mean(held) >= 0.87  # 95 %, within chance of 45 runs
