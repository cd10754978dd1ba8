"""What somebody wants to ask: how long prompts and answers are, how far they spread, how many come a day."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.accuracy import Z_95
from joulemark.metrics.student import t_95_from_one

Lengths = tuple[float, float]
"""Prompt tokens and completion tokens of one request."""
Covariance = tuple[tuple[float, float], tuple[float, float]]

_WITHIN_SD = 2.0  # of its mean, in which about 95 % of a declared length lies


@dataclass(frozen=True, slots=True)
class Spread:
    """A declared length in tokens: its mean and the standard deviation of single requests about it."""

    mean: float
    sd: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean) and math.isfinite(self.sd) and self.mean >= 0 and self.sd >= 0):
            raise ValueError(f"no length is {self.mean} ± {self.sd} tokens")


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests to price.

    ``prompt_tokens`` and ``completion_tokens`` are means, ``covariance`` that of the two lengths of single
    requests. ``n``: the means are those of so many sampled requests, and are known as well as such a sample
    tells them; null where they were declared, and are taken as said. ``prompt_span`` and
    ``completion_span`` hold the lengths of about 95 % of the requests. ``requests_per_day`` is null where it
    was not said. ``told`` says in words where the lengths are from.
    """

    prompt_tokens: float
    completion_tokens: float
    covariance: Covariance
    prompt_span: tuple[float, float]
    completion_span: tuple[float, float]
    n: int | None = None
    requests_per_day: float | None = None
    told: str = ""

    @property
    def at(self) -> tuple[float, float, float]:
        """What the coefficients of a cost model are multiplied with."""
        return 1.0, self.prompt_tokens, self.completion_tokens

    @property
    def mean_factor(self) -> float:
        """What the covariance of single requests is multiplied with to get that of the sampled means.

        One over n, widened as Student's t is for few requests; 0 where the means were declared.
        """
        if self.n is None:
            return 0.0
        return (t_95_from_one(self.n - 1) / Z_95) ** 2 / self.n

    def spread_of(self, alpha: float, beta: float) -> float:
        """Return the variance of ``alpha × prompt + beta × completion`` between single requests."""
        (pp, pc), (_, cc) = self.covariance
        return max(0.0, alpha * alpha * pp + 2 * alpha * beta * pc + beta * beta * cc)


def declared(
    prompt: Spread, completion: Spread, requests_per_day: float | None = None, told: str = ""
) -> Workload:
    """Return a workload of declared lengths, which spread independently of each other."""
    return Workload(
        prompt.mean,
        completion.mean,
        ((prompt.sd**2, 0.0), (0.0, completion.sd**2)),
        _span(prompt),
        _span(completion),
        None,
        _day(requests_per_day),
        told or "lengths as they were declared",
    )


def sampled(
    requests: Sequence[Lengths], requests_per_day: float | None = None, told: str = "a sample"
) -> Workload:
    """Return the workload that a sample of requests speaks for; raises ``ValueError`` for an empty one.

    One request says nothing of how far requests spread: then they are taken to be all alike.
    """
    if not requests:
        raise ValueError("a sample holds at least one request")
    table = np.asarray(requests, np.float64)
    if not (np.all(np.isfinite(table)) and np.all(table >= 0)):
        raise ValueError("a request has no negative length")
    n = len(table)
    both = np.cov(table, rowvar=False).tolist() if n > 1 else [[0.0, 0.0], [0.0, 0.0]]
    low, high = np.quantile(table, (0.025, 0.975), axis=0).tolist()
    prompt, completion = table.mean(axis=0).tolist()
    return Workload(
        prompt,
        completion,
        ((both[0][0], both[0][1]), (both[1][0], both[1][1])),
        (low[0], high[0]),
        (low[1], high[1]),
        n if n > 1 else None,
        _day(requests_per_day),
        told,
    )


def _span(length: Spread) -> tuple[float, float]:
    return max(0.0, length.mean - _WITHIN_SD * length.sd), length.mean + _WITHIN_SD * length.sd


def _day(requests: float | None) -> float | None:
    if requests is not None and not (math.isfinite(requests) and requests > 0):
        raise ValueError(f"{requests} requests a day are none")
    return requests
