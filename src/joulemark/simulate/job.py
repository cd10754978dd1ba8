"""A request on its way through a server."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joulemark.simulate.request import Finished, SimRequest


class Job:
    """What is known of a request that has not ended.

    ``left`` tokens are still to be generated. ``context`` tokens are in memory; while the job decodes it has
    ``offset`` + n of them at the beginning of its instance's n-th step. ``target`` tokens have to be there
    before it decodes (again). ``shared`` are the blocks it holds in the prefix cache. ``ends_at`` is the step
    after which it has its last token, ``stamped_from`` the first step whose end is not in ``parts`` yet.
    """

    __slots__ = (
        "arrived_ns",
        "at_entry",
        "at_start",
        "cached_tokens",
        "context",
        "decode_j",
        "decoding",
        "ends_at",
        "first_ns",
        "idle_j",
        "left",
        "number",
        "offset",
        "parts",
        "preemptions",
        "prefill_j",
        "request",
        "shared",
        "stamped_from",
        "target",
    )

    def __init__(self, request: SimRequest, arrived_ns: int) -> None:
        self.request = request
        self.arrived_ns = arrived_ns
        self.left = request.output_tokens
        self.context = 0
        self.target = request.prompt_tokens
        self.shared: tuple[int, ...] = ()
        self.number = -1  # of its admission
        self.decoding = False
        self.offset = self.stamped_from = self.ends_at = 0
        self.parts: list[NDArray[np.int64]] = []
        self.first_ns = -1
        self.at_entry = 0.0  # the instance's idle share of one request, when this one was admitted
        self.at_start = (0.0, 0.0, 0.0)  # the instance's decode totals, when this one began to decode
        self.idle_j = self.prefill_j = self.decode_j = 0.0
        self.preemptions = 0
        self.cached_tokens = -1

    @property
    def spent_j(self) -> float:
        """Joules of the steps that were booked on the request so far."""
        return self.idle_j + self.prefill_j + self.decode_j

    def finished(self) -> Finished:
        """Return the request as one that has ended."""
        token_ns = self.parts[0] if len(self.parts) == 1 else np.concatenate(self.parts)
        return Finished(
            request=self.request,
            t_arrival_ns=self.arrived_ns,
            t_first_ns=self.first_ns,
            token_ns=token_ns,
            t_end_ns=int(token_ns[-1]),
            energy_j=self.spent_j,
            idle_j=self.idle_j,
            prefill_j=self.prefill_j,
            decode_j=self.decode_j,
            preemptions=self.preemptions,
            cached_tokens=max(0, self.cached_tokens),
        )
