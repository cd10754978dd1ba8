"""What is known of the questions asked so far: a column an observation, repeats of one as one trial."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.asked_again import variance_of_mean
from joulemark.metrics.item_value import item_value
from joulemark.metrics.money import token_costs
from joulemark.metrics.value import Value
from joulemark.record.item import Item
from joulemark.record.manifest import Rates
from joulemark.runs.finished import Repeats

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Seen:
    """Grows with the questions; entries are means over the repeats of one, nan where it is not known.

    ``right`` lies within 0 and 1 (failed requests are not right), ``score`` is real-valued; ``latency_s`` is
    the time to the whole answer of requests that did not fail, ``taken_s`` that of all; ``usd`` by ``rates``'
    token prices. ``right_variance`` and ``score_variance`` are those of a question's mean over its repeats.
    """

    rates: Rates
    right: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    latency_s: list[float] = field(default_factory=list)
    taken_s: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    prompt_tokens: list[float] = field(default_factory=list)
    right_variance: list[float] = field(default_factory=list)
    score_variance: list[float] = field(default_factory=list)
    usd: list[float] = field(default_factory=list)

    def take(self, questions: Sequence[Repeats]) -> None:
        """Take in those of ``questions`` that are new; earlier ones stand before them."""
        for repeats in questions[len(self.right) :]:
            self.right.append(_known(item_value(repeats, real=False)))
            self.score.append(_known(item_value(repeats, real=True)))
            answered = [item for item in repeats if not item.failed and item.streamed]
            self.latency_s.append(_mean(answered, _taken_s))
            self.taken_s.append(_mean(repeats, _taken_s))
            self.tokens.append(_mean(repeats, _tokens))
            self.prompt_tokens.append(_mean(repeats, _prompt_tokens))
            self.right_variance.append(_variance(repeats, real=False))
            self.score_variance.append(_variance(repeats, real=True))
            self.usd.append(self._usd(repeats))

    def column(self, name: str, n: int) -> Floats:
        """Return the first ``n`` entries of a column."""
        return np.array(getattr(self, name)[:n], np.float64)

    def _usd(self, repeats: Repeats) -> float:
        costs = token_costs(repeats, self.rates)
        return math.nan if isinstance(costs, Value) else math.fsum(costs) / len(costs)


def _mean(items: Sequence[Item], of: Callable[[Item], float]) -> float:
    return math.fsum(map(of, items)) / len(items) if items else math.nan


def _variance(repeats: Repeats, *, real: bool) -> float:
    if len(repeats) < 2:
        return math.nan
    values = (item_value((item,), real=real) for item in repeats)
    return variance_of_mean([value for value in values if value is not None])


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _taken_s(item: Item) -> float:
    return (item.t_end - item.t_sent) * 1e-9


def _tokens(item: Item) -> float:
    return math.nan if item.completion_tokens is None else float(item.completion_tokens)


def _prompt_tokens(item: Item) -> float:
    return math.nan if item.prompt_tokens is None else float(item.prompt_tokens)
