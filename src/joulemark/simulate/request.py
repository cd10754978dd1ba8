"""What a simulated server is asked, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PREFIX_BLOCK_TOKENS = 512
"""Tokens that one hash of ``SimRequest.prefix`` stands for."""


@dataclass(frozen=True, slots=True)
class SimRequest:
    """A request of ``prompt_tokens`` that generates exactly ``output_tokens``.

    ``prefix`` are the hash ids of the prompt's 512-token blocks, each hash including those before it; a last
    block that is not full is never reused. Raises ``ValueError`` for fewer than one token of either.
    """

    request_id: str
    prompt_tokens: int
    output_tokens: int
    prefix: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.prompt_tokens < 1 or self.output_tokens < 1:
            raise ValueError(f"{self.request_id}: a request has at least one token in and one out")


@dataclass(frozen=True, slots=True)
class Finished:
    """A request that ended. Times are ns on the server's clock, energies are the truth of ADR 10 in J.

    ``token_ns`` (int64, one stamp a token that was generated) begins with ``t_first_ns`` and ends with
    ``t_end_ns``. ``energy_j = idle_j + prefill_j + decode_j``. ``cached_tokens`` of the prompt lay in the
    prefix cache when the request was first admitted.
    """

    request: SimRequest
    t_arrival_ns: int
    t_first_ns: int
    token_ns: NDArray[np.int64]
    t_end_ns: int
    energy_j: float
    idle_j: float
    prefill_j: float
    decode_j: float
    preemptions: int
    cached_tokens: int
