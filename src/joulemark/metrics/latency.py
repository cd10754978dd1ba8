"""Latencies: definitions that differ between tools, so ours are written on every report.

All in seconds, from monotonic stamps. A latency that was not observed is left out, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.token_doubt import CONTRADICTED, counts_contradicted
from joulemark.metrics.value import NOTHING_COMPLETED, Value, withheld
from joulemark.record.item import Chunk, Item
from joulemark.record.percentile import percentile
from joulemark.record.reason import Reason

PERCENTILES = (50, 90, 95, 99)
# below these numbers a percentile would be the largest value, or next to it, and nothing else
MIN_VALUES = {50: 1, 90: 10, 95: 20, 99: 100}

_STREAM = "the answers of the run were not streamed"
_FEW = "p90 of fewer than 10 values, p95 of fewer than 20, p99 of fewer than 100"
_RANK = "nearest rank; 'with failures' counts each failed request as infinitely late"
_SENT = ("items.t_sent", "items.attempts")
_FIRST_SENDING = (
    "sent is the first sending: a request that was tried again waited through the tries that failed and the "
    "pauses between them; "
)


def _defined(name: str, title: str, latex: str, inputs: tuple[str, ...], *cases: str) -> MetricDefinition:
    since = _FIRST_SENDING if "items.t_sent" in inputs else ""
    return MetricDefinition(
        name, title, "s", latex, inputs, (_STREAM, _FEW, *cases), f"{since}monotonic stamps; {_RANK}"
    )


TTFT = _defined(
    "ttft", "Time to first token", r"t_\mathrm{first} - t_\mathrm{sent}", ("items.t_first", *_SENT),
    "no generated token was seen",
)  # fmt: skip
TTFA = _defined(
    "ttfa", "Time to first answer token", r"t_\mathrm{first\,answer} - t_\mathrm{sent}",
    ("items.t_first_answer", *_SENT), "no answer token was seen",
)  # fmt: skip
TPOT = _defined(
    "tpot", "Time per output token after the first", r"(t_\mathrm{end} - t_\mathrm{first}) / (n - 1)",
    ("items.t_end", "items.t_first", "items.completion_tokens"),
    "the token count is missing, 1, or contradicted by what was seen",
    "the output came in one read",
)  # fmt: skip
ICL = _defined(
    "icl", "Gap between chunks as received", r"t_{k+1} - t_k", ("chunks.t_ns", "chunks.coalesced"),
    "no two chunks were received apart",
)  # fmt: skip
ITL = _defined(
    "itl", "Inter-token latency", r"t_{k+1} - t_k", ("chunks.t_ns", "chunks.tokens", "chunks.coalesced"),
    "any event carried more than one token or an unknown number", "any two events came in one read",
)  # fmt: skip
E2EL = _defined("e2el", "End-to-end latency", r"t_\mathrm{end} - t_\mathrm{sent}", ("items.t_end", *_SENT))
_DUE = "any request had no time at which it was due (a closed loop)"
TTFT_SCHEDULED = _defined(
    "ttft_scheduled", "Time to first token from when it was due", r"t_\mathrm{first} - t_\mathrm{scheduled}",
    ("items.t_first", "items.t_scheduled"), "no generated token was seen", _DUE,
)  # fmt: skip
E2EL_SCHEDULED = _defined(
    "e2el_scheduled", "End-to-end latency from when it was due", r"t_\mathrm{end} - t_\mathrm{scheduled}",
    ("items.t_end", "items.t_scheduled"), _DUE,
)  # fmt: skip
STREAMING = MetricDefinition(
    "streaming_used",
    "Whether the answers were streamed",
    "yes or no",
    r"\text{every answered request was streamed}",
    ("items.streamed",),
    ("nothing was answered",),
    "where it is no, every latency of the run is withheld",
)
DEFINITIONS = (TTFT, TTFA, TPOT, ICL, ITL, E2EL, TTFT_SCHEDULED, E2EL_SCHEDULED, STREAMING)


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of one latency by percent, without and with failures, and what they were taken over.

    ``samples_s`` are the observed values in seconds (ascending), for the charts. A percentile that falls on a
    failed request is null with reason ``request_failed``: it is later than anything observed. One of fewer
    than `MIN_VALUES` is null with ``too_few_items``.
    """

    name: str
    answered: dict[int, Value]
    with_failures: dict[int, Value]
    samples_s: tuple[float, ...]
    n_failed: int


def ttft_s(item: Item) -> float | None:
    """Return first generated token of any kind minus first sent: tries that failed were waited for, too."""
    return None if item.t_first is None else (item.t_first - item.t_begin) / 1e9


def ttfa_s(item: Item) -> float | None:
    """Return first token of the visible answer minus first sent."""
    return None if item.t_first_answer is None else (item.t_first_answer - item.t_begin) / 1e9


def in_one_piece(item: Item, chunks: Sequence[Chunk]) -> bool:
    """Tell whether all output of an answer came in one read: nothing of its course was seen."""
    if item.t_first is None:
        return False
    return item.t_end <= item.t_first or (bool(chunks) and all(chunk.coalesced for chunk in chunks[1:]))


def tpot_s(item: Item, chunks: Sequence[Chunk] = ()) -> float | None:
    """Return the mean time per output token after the first.

    Null for fewer than two tokens, and for an answer that came in one piece: its time per token was not seen.
    """
    if item.t_first is None or item.completion_tokens is None or item.completion_tokens < 2:
        return None
    if in_one_piece(item, chunks):
        return None
    return (item.t_end - item.t_first) / 1e9 / (item.completion_tokens - 1)


def e2el_s(item: Item) -> float:
    """Return end minus first sent: the stretch whose energy is the request's."""
    return (item.t_end - item.t_begin) / 1e9


def ttft_scheduled_s(item: Item) -> float | None:
    """Return first generated token minus when the request was due: what it waited to be sent counts."""
    if item.t_first is None or item.t_scheduled is None:
        return None
    return (item.t_first - item.t_scheduled) / 1e9


def e2el_scheduled_s(item: Item) -> float | None:
    """Return end minus when the request was due; attempts that failed are in it."""
    return None if item.t_scheduled is None else (item.t_end - item.t_scheduled) / 1e9


def chunk_gaps_s(chunks: Sequence[Chunk]) -> list[float]:
    """Return the gaps between chunks; a coalesced chunk has none of its own, its gap is the network's."""
    return [(b.t_ns - a.t_ns) / 1e9 for a, b in pairwise(chunks) if not b.coalesced]


def answered_items(items: Sequence[Item]) -> list[Item]:
    """Return the items whose request did not fail."""
    return [item for item in items if not item.failed]


def streaming_used(items: Sequence[Item]) -> bool | None:
    """Tell whether every answered request was streamed; null when nothing was answered."""
    answered = answered_items(items)
    return all(item.streamed is True for item in answered) if answered else None


def _why_no_itl(answered: Sequence[Item], chunks: Mapping[tuple[str, int], Sequence[Chunk]]) -> Reason | None:
    events = [chunk for item in answered for chunk in chunks.get(item.key, ())]
    if any(chunk.tokens is None or chunk.tokens > 1 for chunk in events):
        return Reason.CHUNK_NOT_TOKEN
    if any(chunk.coalesced for chunk in events):
        return Reason.COALESCED
    return None


def _summarised(
    name: str, samples: Sequence[float], n_failed: int, missing: Reason | None, detail: str = ""
) -> Latency:
    ascending = tuple(np.sort(np.asarray(samples, np.float64)).tolist())

    def at(percent: int, failed: int) -> Value:
        n = len(ascending) + failed
        if missing is not None or not ascending:
            return withheld("s", missing or Reason.NO_TOKEN_SEEN, detail=detail, n=n)
        if n < MIN_VALUES[percent]:
            few = f"p{percent} needs {MIN_VALUES[percent]} values; there are {n}."
            return withheld("s", Reason.TOO_FEW_ITEMS, detail=few, n=n)
        found = percentile(ascending, percent, n_failed=failed)
        if math.isinf(found):
            return withheld("s", Reason.REQUEST_FAILED, detail=f"{failed} of {n} failed.", n=n)
        return Value(found, "s", n=n)

    return Latency(
        name,
        {p: at(p, 0) for p in PERCENTILES},
        {p: at(p, n_failed) for p in PERCENTILES},
        ascending if missing is None else (),
        n_failed,
    )


def latencies(items: Sequence[Item], chunks: Mapping[tuple[str, int], Sequence[Chunk]]) -> dict[str, Latency]:
    """Return every latency of a run by name.

    All are withheld for a run of which any answer was not streamed. Chunk gaps are pooled over the answered
    requests; they have no 'with failures' form of their own, since a failed request has no gaps to count.
    """
    answered = answered_items(items)
    n_failed = len(items) - len(answered)
    streamed = streaming_used(items)
    blocked, detail = None, ""
    if streamed is None:
        blocked, detail = Reason.NOTHING_SCORED, NOTHING_COMPLETED
    elif not streamed:
        blocked = Reason.NOT_STREAMED

    def per_item(name: str, of: Callable[[Item], float | None], absent: Reason) -> Latency:
        found = [value for item in answered if (value := of(item)) is not None]
        return _summarised(name, found, n_failed, blocked or (None if found else absent), detail)

    def tpot() -> Latency:
        if blocked is None and counts_contradicted(items):
            return _summarised("tpot", (), n_failed, Reason.NOT_REPORTED, CONTRADICTED)
        whole = any(in_one_piece(item, chunks.get(item.key, ())) for item in answered)
        absent = Reason.COALESCED if whole else Reason.ONE_TOKEN
        return per_item("tpot", lambda item: tpot_s(item, chunks.get(item.key, ())), absent)

    def from_due(name: str, of: Callable[[Item], float | None], absent: Reason) -> Latency:
        if blocked is None and any(item.t_scheduled is None for item in items):
            return _summarised(name, (), n_failed, Reason.NOT_SCHEDULED)
        return per_item(name, of, absent)

    gaps = [gap for item in answered for gap in chunk_gaps_s(chunks.get(item.key, ()))]
    no_gap = None if gaps else Reason.ONE_TOKEN
    return {
        "ttft": per_item("ttft", ttft_s, Reason.NO_TOKEN_SEEN),
        "ttfa": per_item("ttfa", ttfa_s, Reason.NO_ANSWER_TOKEN_SEEN),
        "tpot": tpot(),
        "icl": _summarised("icl", gaps, 0, blocked or no_gap, detail),
        "itl": _summarised("itl", gaps, 0, blocked or no_gap or _why_no_itl(answered, chunks), detail),
        "e2el": per_item("e2el", e2el_s, Reason.NOT_STREAMED),
        "ttft_scheduled": from_due("ttft_scheduled", ttft_scheduled_s, Reason.NO_TOKEN_SEEN),
        "e2el_scheduled": from_due("e2el_scheduled", e2el_scheduled_s, Reason.NOT_STREAMED),
    }
