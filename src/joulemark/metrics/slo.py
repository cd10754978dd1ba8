"""Whether requests were served as fast as promised: a service level objective, and the share that met it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.latency import tpot_s
from joulemark.metrics.value import NOTHING_COMPLETED, Value, withheld
from joulemark.record.item import Chunk, Item, Verdict
from joulemark.record.reason import Reason

KEPT_FROM = (
    "manifest.limits_s",
    "items.t_scheduled",
    "items.t_sent",
    "items.attempts",
    "items.t_first",
    "items.t_end",
    "items.completion_tokens",
    "items.verdict",
)
"""What says whether a request kept its limits."""
NO_LIMIT = "no limit was given"
SLO_SHARE = MetricDefinition(
    "slo_share",
    "Requests within the limits",
    "1",
    r"\frac{n_\mathrm{kept}}{n}",
    KEPT_FROM,
    (NO_LIMIT, "nothing was asked", "for any request it cannot be told"),
    "goodput as in DistServe (OSDI 2024), of all counted requests; times count from the scheduled time where "
    "requests have one, else from the first sending, so tries that failed are in them; "
    "a failed request keeps no limit, one token keeps any limit on the time per token; "
    "interval: Wilson, 95 %",
)
DEFINITIONS = (SLO_SHARE,)


@dataclass(frozen=True, slots=True)
class Slo:
    """Limits in seconds; null where there is none. At most so long may a request take.

    ``ttft_s`` to the first token, ``tpot_s`` a token after the first, ``e2el_s`` to its end.
    """

    ttft_s: float | None = None
    tpot_s: float | None = None
    e2el_s: float | None = None

    @classmethod
    def of(cls, limits_s: Mapping[str, float]) -> Slo:
        """Return the limits that a manifest names."""
        return cls(limits_s.get("ttft"), limits_s.get("tpot"), limits_s.get("e2el"))

    @property
    def limits(self) -> dict[str, float]:
        """The limits that there are, by the name of the latency."""
        named = {"ttft": self.ttft_s, "tpot": self.tpot_s, "e2el": self.e2el_s}
        return {name: limit_s for name, limit_s in named.items() if limit_s is not None}


def meets(item: Item, chunks: Sequence[Chunk], slo: Slo) -> bool | None:
    """Tell whether a request kept every limit; null where that was not observed and no limit was broken.

    Time counts from when the request was due, where it was, else from its first sending: what it waited to be
    sent, or sent again, its user waited too.
    """
    if item.verdict is Verdict.FAILED:
        return False
    begin = item.t_begin if item.t_scheduled is None else item.t_scheduled
    kept: list[bool | None] = []
    if slo.ttft_s is not None:
        kept.append(None if item.t_first is None else (item.t_first - begin) / 1e9 <= slo.ttft_s)
    if slo.tpot_s is not None:
        kept.append(_keeps_tpot(item, chunks, slo.tpot_s))
    if slo.e2el_s is not None:
        streamed = item.streamed is True  # without a stream the end is the engine's whole answer at once
        kept.append((item.t_end - begin) / 1e9 <= slo.e2el_s if streamed else None)
    if False in kept:
        return False
    return None if None in kept else True


def _keeps_tpot(item: Item, chunks: Sequence[Chunk], limit_s: float) -> bool | None:
    if item.completion_tokens is None or item.t_first is None:
        return None
    if item.completion_tokens < 2:
        return True  # no token came after the first: there is nothing that could be too slow
    found_s = tpot_s(item, chunks)
    return None if found_s is None else found_s <= limit_s


def slo_share(items: Sequence[Item], chunks: Mapping[tuple[str, int], Sequence[Chunk]], slo: Slo) -> Value:
    """Return the share of requests that met ``slo``, with its Wilson interval; ``n`` are the requests."""
    if not items:
        return withheld("1", Reason.NOTHING_SCORED, detail=NOTHING_COMPLETED)
    if not slo.limits:
        return withheld("1", Reason.NOT_APPLICABLE, detail="No limit was given.")
    told = [meets(item, chunks.get(item.key, ()), slo) for item in items]
    unknown = told.count(None)
    n = len(items)
    if unknown:
        some = f"For {unknown} of {n} requests it cannot be told."
        return withheld("1", Reason.NOT_REPORTED, detail=some, n=n)
    met = told.count(True)
    lo, hi = wilson_interval(met, n)
    return Value(met / n, "1", lo, hi, "ci95", n=n)
