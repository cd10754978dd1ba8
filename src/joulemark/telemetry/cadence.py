"""How often meters update and are read, where nothing better is known, and how late an edge may be read."""

from __future__ import annotations

DEFAULT_UPDATE_S = 0.1  # NVML's, where the self-test saw no update
POLL_JITTER = 0.2  # share of the poll period; keeps polls from beating with a periodic load
GAP_POLLS = 5  # so many poll periods without a reading are a gap
LEAST_SLACK_NS = 5_000_000
SLACK_UPDATES = 0.25
LOOK_SHARE = 0.5  # of the slack; the rest is for waking up and for reading the sources before this one


def edge_slack_ns(update_ns: int) -> int:
    """Return how far from an edge a read of a counter, updated every ``update_ns``, may lie and bound it.

    The bound is wider by what may have been drawn in between; of a read that lies farther away it knows
    nothing but that energy does not fall.
    """
    return max(LEAST_SLACK_NS, round(SLACK_UPDATES * update_ns))


def latest_look_ns(update_ns: int) -> int:
    """Return how long an edge of such a counter may wait for a read that is made anyway.

    No less than an eighth of an update, at which a counter is watched after an edge: while it is, nobody has
    to be woken for its sake.
    """
    return round(LOOK_SHARE * edge_slack_ns(update_ns))
