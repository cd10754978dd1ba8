"""What a step costs: its time by a roofline, its power by a concave curve, and whose work it was.

A step reads the weights once, reads the context of each request, and multiplies. Memory and arithmetic
overlap, so the longer of the two counts; the engine's overhead and the exchange between devices come on
top. Only ``+ - * /`` and square roots are used: numpy then gives to the last bit what Python gives, and
many steps at once are exactly the steps one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from joulemark.simulate.config import KV_BLOCK_TOKENS, ServerConfig

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StepCost:
    """The coefficients of an instance: seconds of all its devices at work together, watts of each.

    ``weights_s`` reads what one token needs of the weights, ``all_weights_s`` all of them. ``token_s`` is
    the arithmetic of a token, ``pair_s`` that of a token of a prompt looking at one token before it,
    ``context_s`` reads one token of context. ``fixed_s``, ``request_s`` and ``exchange_s`` are the engine's
    overhead, what a running request adds to it, and what a token adds to the exchange between devices.
    ``page_s`` moves a page of context to the host, ``handover_s`` a token of context to another instance.
    """

    devices: int
    idle_w: float
    room_w: float
    compute_w: float
    memory_w: float
    transfer_w: float
    bend: float
    static_share: float
    decode_share: float
    weights_s: float
    all_weights_s: float
    token_s: float
    pair_s: float
    context_s: float
    fixed_s: float
    request_s: float
    exchange_s: float
    page_s: float
    handover_s: float

    def weights_read_s(self, tokens: int) -> float:
        """Return the time to read the weights that ``tokens`` tokens need: more experts for more tokens."""
        if self.weights_s == self.all_weights_s:
            return self.weights_s
        return self.all_weights_s * tokens / (tokens + (self.all_weights_s / self.weights_s - 1.0))

    def step(
        self, decoding: int, context: int, prompt: int, pairs: float, prompt_context: int, running: int
    ) -> tuple[float, float]:
        """Return one step's seconds and the watts above idle of each device.

        ``decoding`` requests with ``context`` tokens in all decode a token each; ``prompt`` tokens are
        prefilled, which look at ``pairs`` tokens before them and read ``prompt_context``.
        """
        tokens = decoding + prompt
        memory_s = self.weights_read_s(tokens) + self.context_s * (context + prompt_context)
        decode_s = self.token_s * decoding
        prefill_s = self.token_s * prompt + self.pair_s * pairs
        busy_s = decode_s + prefill_s
        if memory_s > busy_s:
            busy_s = memory_s
        took_s = busy_s + (self.fixed_s + self.request_s * running + self.exchange_s * tokens)
        computing = (prefill_s + self.decode_share * decode_s) / took_s
        reading = memory_s / took_s
        bend = self.bend
        above_w = self.compute_w * (computing * (1.0 + bend) / (computing + bend)) + self.memory_w * (
            reading * (1.0 + bend) / (reading + bend)
        )
        if above_w > self.room_w:
            static = self.static_share
            clock = (sqrt(static * static + 4.0 * (1.0 - static) * (self.room_w / above_w)) - static) / (
                2.0 * (1.0 - static)
            )
            return took_s / clock, self.room_w
        return took_s, above_w

    def decode_steps(self, decoding: int, context: int, steps: int, running: int) -> tuple[Floats, Floats]:
        """Return `step` for ``steps`` steps in a row that only decode, as two arrays of that length."""
        contexts = context + decoding * np.arange(steps, dtype=np.int64)
        memory_s = self.weights_read_s(decoding) + self.context_s * contexts
        decode_s = self.token_s * decoding
        busy_s = np.maximum(memory_s, decode_s)
        took_s = busy_s + (self.fixed_s + self.request_s * running + self.exchange_s * decoding)
        computing = self.decode_share * decode_s / took_s
        reading = memory_s / took_s
        bend = self.bend
        above_w = self.compute_w * (computing * (1.0 + bend) / (computing + bend)) + self.memory_w * (
            reading * (1.0 + bend) / (reading + bend)
        )
        if above_w.max() > self.room_w:
            static = self.static_share
            clock = (np.sqrt(static * static + 4.0 * (1.0 - static) * (self.room_w / above_w)) - static) / (
                2.0 * (1.0 - static)
            )
            capped = above_w > self.room_w
            took_s = np.where(capped, took_s / clock, took_s)
            above_w = np.where(capped, self.room_w, above_w)
        return took_s, above_w


def step_cost(config: ServerConfig) -> StepCost:
    """Return the coefficients of each instance of ``config``."""
    gpu, model, tp = config.gpu, config.model, config.tensor_parallel
    memory = gpu.memory_bytes_per_s * gpu.memory_share * tp
    flops = gpu.peak_flops * gpu.flops_share * tp
    exchanges = (
        2 * model.layers if tp > 1 else 0
    )  # an all-reduce after attention and one after the feed-forward
    exchanged = 2 * (tp - 1) / tp * model.hidden * 2  # bytes a token that each device sends in a ring
    return StepCost(
        devices=tp,
        idle_w=gpu.idle_w,
        room_w=config.limit_w - gpu.idle_w,
        compute_w=gpu.compute_w,
        memory_w=gpu.memory_w,
        transfer_w=gpu.transfer_w,
        bend=gpu.bend,
        static_share=gpu.static_share,
        decode_share=gpu.decode_power_share,
        weights_s=model.active * model.bytes_per_parameter / memory,
        all_weights_s=model.weight_bytes / memory,
        token_s=2 * model.active / flops,
        pair_s=4 * model.layers * model.hidden / flops,
        context_s=model.kv_bytes_per_token / (gpu.memory_bytes_per_s * gpu.kv_share * tp),
        fixed_s=config.overhead_s + exchanges * gpu.link_latency_s * (tp - 1) ** 0.5,
        request_s=config.request_overhead_s,
        exchange_s=exchanges * exchanged / gpu.link_bytes_per_s,
        page_s=KV_BLOCK_TOKENS * model.kv_bytes_per_token / (gpu.host_bytes_per_s * tp),
        handover_s=model.kv_bytes_per_token / (gpu.link_bytes_per_s * tp),
    )
