"""How a simulated server is set up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from joulemark.record.errors import InputError
from joulemark.simulate.gpu import GpuModel
from joulemark.simulate.model import ModelShape

KV_BLOCK_TOKENS = 16
"""Tokens in a page of the context's memory."""

MEMORY_FOR_ENGINE = 0.9
"""The part of a board's memory that weights and context may fill."""

Preemption = Literal["recompute", "swap"]


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A server: one instance on ``tensor_parallel`` devices, or prefill and decode instances apart.

    ``max_batch`` requests run at once in an instance; a step works on at most ``max_batched_tokens`` tokens,
    one for each decoding request first, the rest chunks of prompts. ``kv_tokens`` of context fit into an
    instance (null: what its memory leaves). When they do not, the request that came last is preempted:
    ``recompute`` drops its context and prefills it again, ``swap`` moves it to the host and back.
    ``prefill_instances`` and ``decode_instances`` are both 0, or both at least 1; each has
    ``tensor_parallel`` devices of its own. ``power_limit_w`` is a device's (null: its TDP).
    ``overhead_s`` is the fixed time of a step, ``request_overhead_s`` what each running request adds to it.
    Raises ``InputError`` for a set-up that no engine would start with.
    """

    gpu: GpuModel
    model: ModelShape
    max_batch: int = 32
    max_batched_tokens: int = 2048
    kv_tokens: int | None = None
    preemption: Preemption = "recompute"
    tensor_parallel: int = 1
    prefill_instances: int = 0
    decode_instances: int = 0
    power_limit_w: float | None = None
    prefix_cache: bool = False
    overhead_s: float = 0.003
    request_overhead_s: float = 25e-6

    def __post_init__(self) -> None:
        _require(self.max_batch >= 1, "max_batch is below 1", "give at least 1")
        _require(
            self.max_batched_tokens >= self.max_batch,
            f"max_batched_tokens {self.max_batched_tokens} is below max_batch {self.max_batch}",
            f"give at least {self.max_batch}: each running request needs a token a step",
        )
        _require(self.tensor_parallel >= 1, "tensor_parallel is below 1", "give at least 1")
        _require(
            self.preemption in ("recompute", "swap"),
            f"no preemption {self.preemption!r}",
            "recompute or swap",
        )
        split = (self.prefill_instances, self.decode_instances)
        _require(
            split == (0, 0) or min(split) >= 1,
            f"{split[0]} prefill and {split[1]} decode instances",
            "give at least one of each, or none of both",
        )
        limit_w = self.power_limit_w
        _require(
            limit_w is None or (math.isfinite(limit_w) and limit_w > 1.1 * self.gpu.idle_w),
            f"a power limit of {limit_w} W leaves {self.gpu.name} nothing to work with",
            f"give more than {1.1 * self.gpu.idle_w:.0f} W",
        )
        _require(
            min(self.overhead_s, self.request_overhead_s) >= 0 and math.isfinite(self.overhead_s),
            "an overhead is below 0",
            "give 0 or more seconds",
        )
        _require(
            self.kv_capacity_tokens >= KV_BLOCK_TOKENS,
            f"{self.model.name} leaves no memory for context on {self.tensor_parallel} × {self.gpu.name}"
            if self.kv_tokens is None
            else f"kv_tokens {self.kv_tokens} is below one page",
            "give more devices by tensor_parallel, a smaller model, or a larger kv_tokens",
        )

    @property
    def disaggregated(self) -> bool:
        """Whether prefill and decode run in instances of their own."""
        return self.prefill_instances > 0

    @property
    def instances(self) -> int:
        """Instances in all; prefill comes first."""
        return self.prefill_instances + self.decode_instances if self.disaggregated else 1

    @property
    def devices(self) -> int:
        """Devices in all; instance i has devices i × tensor_parallel and following."""
        return self.instances * self.tensor_parallel

    @property
    def limit_w(self) -> float:
        """What a device may draw: its TDP, or less where a limit is set."""
        return self.gpu.tdp_w if self.power_limit_w is None else min(self.power_limit_w, self.gpu.tdp_w)

    @property
    def kv_capacity_tokens(self) -> int:
        """Tokens of context that fit into an instance, in whole pages."""
        if self.kv_tokens is not None:
            tokens = float(self.kv_tokens)
        else:
            left = self.tensor_parallel * self.gpu.memory_bytes * MEMORY_FOR_ENGINE - self.model.weight_bytes
            tokens = max(0.0, left / self.model.kv_bytes_per_token)
        return int(tokens) // KV_BLOCK_TOKENS * KV_BLOCK_TOKENS


def _require(holds: bool, what: str, fix: str) -> None:
    if not holds:
        raise InputError(what, fix=fix)
