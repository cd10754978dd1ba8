"""How many output tokens were made up to an instant, from what the client saw of the streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.latency import answered_items
from joulemark.metrics.token_doubt import counts_contradicted
from joulemark.record.energy import Withheld
from joulemark.record.item import Chunk, Item, Phase
from joulemark.record.reason import Reason

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TokenBasis = Literal["exact", "spread_over_chunks", "spread_over_time"]
_ORDER: tuple[TokenBasis, ...] = ("exact", "spread_over_chunks", "spread_over_time")


@dataclass(frozen=True, slots=True)
class TokenCourse:
    """Tokens made by all requests of a segment together, as a piecewise linear function of time.

    Piece k makes ``tokens[k]`` evenly from ``begin_ns[k]`` to ``end_ns[k]``, all float64[n] or int64[n]; one
    without length makes them at once. ``basis`` is the weakest source of a count among the requests.
    """

    begin_ns: Ints
    end_ns: Ints
    tokens: Floats
    basis: TokenBasis

    def until(self, t_ns: Ints) -> Floats:
        """Return the tokens made up to and including each instant int64[m], as float64[m]."""
        if not len(self.tokens):
            return np.zeros(len(t_ns))
        origin = int(self.begin_ns.min())
        begin, end, at = (_seconds(t, origin) for t in (self.begin_ns, self.end_ns, t_ns))
        long = end > begin
        rate = self.tokens[long] / (end[long] - begin[long])
        made = _ramps(begin[long], rate, at) - _ramps(end[long], rate, at)
        return np.asarray(made + _steps(end[~long], self.tokens[~long], at), np.float64)

    def between(self, edges_ns: Ints) -> Floats:
        """Return the tokens float64[m] made between neighbouring instants int64[m + 1]."""
        return np.diff(self.until(edges_ns))


def token_course(
    items: Sequence[Item], chunks: Mapping[tuple[str, int], Sequence[Chunk]]
) -> TokenCourse | Withheld:
    """Return the course of the output tokens of requests of one segment, or why it is not known.

    ``items`` are all of the segment, whatever their phase. A failed request and one that was cut off counts
    with what was seen of it. Withheld where an answered request has no count, or the counts are contradicted.
    """
    if items and counts_contradicted(items):
        return Withheld(Reason.NOT_REPORTED, "The engine's token counts contradict what was seen.")
    known = {item.key for item in answered_items(items) if item.phase != Phase.ABANDONED}
    missing = 0
    begin: list[int] = []
    end: list[int] = []
    tokens: list[float] = []
    weakest = 0
    for item in items:
        pieces, basis = _pieces(item, chunks.get(item.key, ()))
        if pieces is None:
            missing += item.key in known
            continue
        weakest = max(weakest, basis)
        for t0, t1, n in pieces:
            begin.append(t0)
            end.append(t1)
            tokens.append(n)
    if missing:
        return Withheld(Reason.NOT_REPORTED, f"{missing} of {len(items)} requests have no token count.")
    return TokenCourse(np.array(begin, np.int64), np.array(end, np.int64), np.array(tokens), _ORDER[weakest])


def tokens_made(item: Item, chunks: Sequence[Chunk]) -> float | None:
    """Return the output tokens of a request: the engine's count, else the sum over its chunks; else null."""
    if item.completion_tokens is not None:
        return float(item.completion_tokens)
    counts = [chunk.tokens for chunk in chunks]
    if not counts or any(count is None for count in counts):
        return None
    return float(sum(count or 0 for count in counts))


def output_pieces(item: Item, chunks: Sequence[Chunk]) -> list[tuple[int, int, float]] | None:
    """Return a request's output as (begin, end, tokens), stamps in ns; null where it is not known."""
    return _pieces(item, chunks)[0]


def _pieces(item: Item, chunks: Sequence[Chunk]) -> tuple[list[tuple[int, int, float]] | None, int]:
    """Return (begin, end, tokens) of a request's output, and how well its counts are known."""
    total = tokens_made(item, chunks)
    if total is None:
        return None, 0
    if not total:
        return [], 0
    if not chunks:
        return [(item.t_sent, item.t_end, total)], 2
    counts = [chunk.tokens for chunk in chunks]
    seen = sum(count or 0 for count in counts)
    each_known = all(count is not None for count in counts) and seen > 0
    # as many chunks as tokens are a token each, whether they say so or not
    exact = (each_known and seen == total) or (not each_known and len(chunks) == total)
    # an end token that no chunk carries is spread over those that carry the others
    each = [(count or 0) * total / seen if each_known else total / len(chunks) for count in counts]
    before = [chunks[0].t_ns, *(chunk.t_ns for chunk in chunks[:-1])]
    pieces = [(min(t0, c.t_ns), c.t_ns, n) for t0, c, n in zip(before, chunks, each, strict=True) if n]
    return pieces, 0 if exact else 1


def _seconds(t_ns: Ints, origin: int) -> Floats:
    return np.asarray((t_ns - origin) * 1e-9, np.float64)


def _ramps(start_s: Floats, rate: Floats, at_s: Floats) -> Floats:
    """Return the sum over k of rate[k] × max(0, at − start[k])."""
    order = np.argsort(start_s, kind="stable")
    start_s, rate = start_s[order], rate[order]
    rates = np.concatenate([[0.0], np.cumsum(rate)])
    moments = np.concatenate([[0.0], np.cumsum(rate * start_s)])
    place = np.searchsorted(start_s, at_s, "right")
    return np.asarray(rates[place] * at_s - moments[place], np.float64)


def _steps(start_s: Floats, height: Floats, at_s: Floats) -> Floats:
    order = np.argsort(start_s, kind="stable")
    heights = np.concatenate([[0.0], np.cumsum(height[order])])
    return np.asarray(heights[np.searchsorted(start_s[order], at_s, "right")], np.float64)
