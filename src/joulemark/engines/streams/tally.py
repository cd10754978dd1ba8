"""How many tokens each event carried, from whatever in the stream says so."""

from __future__ import annotations

from enum import StrEnum


class CountSource(StrEnum):
    """Where a count came from, in order of trust for the counts of single events."""

    TOKEN_IDS = "choices[].token_ids"
    LOGPROBS = "logprobs.content length"
    LEGACY_LOGPROBS = "logprobs.tokens length"
    RUNNING_USAGE = "continuous usage"
    TIMINGS = "timings.predicted_n"
    PREDICTED = "tokens_predicted"
    ONE_A_CHUNK = "one token a chunk"


# Sources that state a sum so far; the others state the event's own count.
_RUNNING = frozenset({CountSource.RUNNING_USAGE, CountSource.TIMINGS, CountSource.PREDICTED})


class Tally:
    """Collects the counts that events state, by source."""

    def __init__(self) -> None:
        self._stated: dict[CountSource, dict[int, int]] = {}
        self.fell = False

    def state(self, source: CountSource, event: int, count: int) -> None:
        """Note what an event says: its own tokens, or the sum so far for a running source."""
        counts = self._stated.setdefault(source, {})
        if source in _RUNNING:
            counts[event] = count
        else:
            counts[event] = counts.get(event, 0) + count

    def last(self, source: CountSource) -> int | None:
        """Return what ``source`` stated last."""
        counts = self._stated.get(source)
        return None if not counts else next(reversed(counts.values()))

    def per_event(self, n_events: int, outputs: list[int]) -> tuple[CountSource, tuple[int, ...]] | None:
        """Return the most trusted source that speaks of every event with output, and its counts.

        ``outputs`` are the indices of events with output. A running sum needs two statements at least: one
        alone is the total, and says nothing of its events.
        """
        for source in CountSource:
            stated = self._stated.get(source)
            if not stated or not all(event in stated for event in outputs):
                continue
            if source not in _RUNNING:
                return source, tuple(stated.get(event, 0) for event in range(n_events))
            if len(stated) < 2 or not outputs:
                continue
            counts = _differences(stated, n_events)
            if counts is not None:
                return source, counts
            self.fell = True
        return None


def _differences(stated: dict[int, int], n_events: int) -> tuple[int, ...] | None:
    counts = [0] * n_events
    before = 0
    for event, so_far in stated.items():
        if so_far < before:
            return None
        counts[event] = so_far - before
        before = so_far
    return tuple(counts)
