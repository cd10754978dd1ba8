"""Running totals from which a request's share of many steps is a difference of two reads (ADR 10)."""

from __future__ import annotations


class Shares:
    """What one request would have been charged since the first step, by kind.

    ``idle_j``: the idle share of one request. ``head_j``: of one decoding request, its part of reading the
    weights and its own arithmetic. ``token_j``: per token of context read; ``token_step_j`` the same weighted
    by the number of the step, since a decoding request's context grows by one token a step.
    """

    __slots__ = ("head_j", "idle_j", "token_j", "token_step_j")

    def __init__(self) -> None:
        self.idle_j = self.head_j = self.token_j = self.token_step_j = 0.0

    def decoding(self) -> tuple[float, float, float]:
        """Return the three totals of decoding, to be kept until `decoded_j`."""
        return self.head_j, self.token_j, self.token_step_j

    def decoded_j(self, since: tuple[float, float, float], offset: int) -> float:
        """Return the joules of a request that had ``offset`` + n tokens of context at step n since then."""
        head_j, token_j, token_step_j = since
        return (self.head_j - head_j) + offset * (self.token_j - token_j) + (self.token_step_j - token_step_j)
