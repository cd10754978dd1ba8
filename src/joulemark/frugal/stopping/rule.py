"""The rule of ``bench --stop``: asking ends at the first look at which every target is met."""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.frugal.stopping.deciding import Deciding
from joulemark.frugal.stopping.precision import COSTS_FROM, precision
from joulemark.frugal.stopping.seen import Seen
from joulemark.frugal.stopping.standing import Standing
from joulemark.frugal.target import Bound, Column, Precision, Target
from joulemark.metrics.money import by_tokens
from joulemark.record.manifest import Rates, StopFacts
from joulemark.runs.finished import Finished
from joulemark.runs.stop import StopDecision

LEAST, EVERY = 30, 10
METERED_GROWTH = 0.02
"""What looks at joules are apart, of the questions asked: each reads all that the meters told."""
LARGEST_GROWTH = 0.25
HALF_WAY = 0.5
"""Of the questions that a target seems to lack; what is half as far off is half as uncertain."""


def least_of(column: Column | None) -> int:
    """Return before how many questions no figure of a column is believed; null: a cost that has no target."""
    return LEAST if column in (Column.CORRECT, Column.SCORE) else COSTS_FROM


class TargetRule:
    """Looks after `LEAST` questions and then at fixed numbers: the same answers end the same way."""

    def __init__(
        self,
        targets: Sequence[Target],
        of: int,
        rates: Rates,
        *,
        population: int | None = None,
        in_flight: int = 1,
        score_range: tuple[float, float] | None = None,
        sampled: bool = False,
    ) -> None:
        """``of`` questions in all, asked ``in_flight`` at a time; ``rates`` price them.

        They are a random part of ``population`` questions, of which the targets speak; null: of themselves.
        ``sampled``: answers are drawn (`joulemark.metrics.asked_again`), and a question that was asked once
        is not known for that; a decision is then one on questions of the kind.
        """
        self._targets = tuple(targets)
        self._in_flight, self._score_range = in_flight, score_range
        self._population = of if population is None else population
        self._sampled = sampled
        self._seen = Seen(rates)
        self._deciding = {
            target.text: Deciding(target, self._population, score_range, sampled)
            for target in self._targets
            if isinstance(target, Bound)
        }
        # what may come from tokens or from a meter is looked at with the meter beside it
        self._metered = {target.text for target in self._targets if _may_be_metered(target, rates)}
        self._needs = any(_must_be_metered(target, rates) for target in self._targets)
        self._look = self._retry = LEAST
        self._looked_at: int | None = None
        self._met_since: dict[str, int] = {}
        self._standings: list[Standing] = []

    @property
    def facts(self) -> StopFacts:
        """The rule as the manifest names it."""
        texts = [target.text for target in self._targets]
        return StopFacts(targets=texts, least=LEAST, every=EVERY, growth=self._growth)

    @property
    def needs_energy(self) -> bool:
        """Whether it can never be met without a meter."""
        return self._needs

    @property
    def next_look(self) -> int:
        """After how many finished questions it looks next."""
        return max(self._look, self._retry)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """How each target stood at the last look, in their order; nothing before the first."""
        return tuple(self._standings)

    @property
    def _growth(self) -> float:
        return METERED_GROWTH if self._metered else 0.0

    def decide(self, finished: Finished) -> StopDecision | None:
        """Look as often as is due; a look that the meters have yet to tell of is left for the next time."""
        self._seen.take(finished.questions)
        while self._look <= min(len(finished.questions), finished.of - 1):
            n = self._look
            if not self._stand(finished, n):
                self._retry = math.ceil(len(finished.questions) * (1 + METERED_GROWTH / 2))
                return None
            self._look = n + EVERY * max(1, math.ceil(self._until_next(n) / EVERY))
            if all(standing.met for standing in self._standings):
                last = max(self._met_since.values())
                binding = [text for text, since in self._met_since.items() if since == last]
                return StopDecision(n, tuple(binding))
        return None

    def begin(self, n: int) -> None:
        """Look at nothing before ``n`` questions: so many had been asked when the rule was named."""
        self._look = max(self._look, n)

    def look_at_all(self, finished: Finished) -> None:
        """Look once more where everything was asked and nothing can be ended, for `told`."""
        n = len(finished.questions)
        self._seen.take(finished.questions)
        if n and n != self._looked_at:
            self._stand(finished, n)

    @property
    def more(self) -> int | None:
        """About how many more questions it takes, null where that cannot be told."""
        unmet = [one.more for one in self._standings if not one.met]
        known = [more for more in unmet if more is not None]
        return max(known) if known and len(known) == len(unmet) else None

    @property
    def looked_at(self) -> int | None:
        """After how many questions it looked last, null before the first look."""
        return self._looked_at

    def told(self) -> tuple[str, ...]:
        """Return in words what each target had come to at the last look, nothing before the first."""
        return tuple(standing.told for standing in self._standings)

    def _until_next(self, n: int) -> float:
        """Return after how many more questions the next look is worth what it reads of the meters."""
        if not self._metered:
            return EVERY
        more = max((one.more or 0 for one in self._standings if not one.met), default=0)
        return min(max(METERED_GROWTH * n, HALF_WAY * more), LARGEST_GROWTH * n)

    def _stand(self, finished: Finished, n: int) -> bool:
        """Look at every target after ``n`` questions; false where the meters have yet to tell of them."""
        view = finished.metered(n) if self._metered else None
        if self._metered and view is None:
            return False
        questions = list(finished.questions[:n])
        self._standings, self._looked_at = [], n
        for target in self._targets:
            if isinstance(target, Precision):
                metered = view if target.text in self._metered else None
                standing = precision(
                    target,
                    self._seen,
                    questions,
                    self._population,
                    metered,
                    self._in_flight,
                    self._score_range,
                    sampled=self._sampled,
                )
            else:
                standing = self._deciding[target.text].look(self._seen, n)
            self._standings.append(standing)
            if standing.met:
                self._met_since.setdefault(target.text, n)
            else:
                self._met_since.pop(target.text, None)
        return True


def _may_be_metered(target: Target, rates: Rates) -> bool:
    return target.quantity.takes_energy or (
        target.quantity.column is Column.USD and not by_tokens(rates, local=True)
    )


def _must_be_metered(target: Target, rates: Rates) -> bool:
    return target.quantity.takes_energy or (
        target.quantity.column is Column.USD and not by_tokens(rates, local=False)
    )
