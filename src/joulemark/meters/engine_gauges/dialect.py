"""By which names an engine shows its batch on its page of metrics.

The names were read in the engines' own sources; ``docs/engine-gauges.md`` lists them with their places.
"""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.record.telemetry import Quantity


@dataclass(frozen=True, slots=True)
class Shown:
    """One quantity: the first of ``names`` that is on the page counts.

    Where several engines stand behind the page (data parallel) their values are added, but of a ``is_share``
    the mean is taken. ``zero_beside``: a series of the releases that have this counter; where it is there and
    the counter is not, nothing was counted yet.
    """

    quantity: Quantity
    names: tuple[str, ...]
    is_share: bool = False
    zero_beside: str | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one kind of engine shows its batch.

    ``ranks`` are labels of processes that share one batch, each of which may show all of it. ``is_filtered``:
    the page takes the names that are wanted, which spares the engine writing the rest of it. ``switch`` is
    what the user starts the engine with to have the page, empty where it is always there.
    """

    shown: tuple[Shown, ...]
    ranks: frozenset[str] = frozenset()
    is_filtered: bool = False
    switch: str = ""

    @property
    def names(self) -> frozenset[str]:
        """All series that are looked at."""
        besides = [one.zero_beside for one in self.shown if one.zero_beside]
        return frozenset([name for one in self.shown for name in one.names] + besides)


_VLLM = Dialect(
    (
        Shown(Quantity.REQUESTS_RUNNING, ("vllm:num_requests_running",)),
        Shown(Quantity.REQUESTS_WAITING, ("vllm:num_requests_waiting",)),
        Shown(
            Quantity.KV_USED_SHARE, ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"), is_share=True
        ),
        Shown(Quantity.PREEMPTIONS, ("vllm:num_preemptions_total", "vllm:num_preemptions")),
        Shown(Quantity.PROMPT_TOKENS, ("vllm:prompt_tokens_total", "vllm:prompt_tokens")),
        Shown(Quantity.GENERATION_TOKENS, ("vllm:generation_tokens_total", "vllm:generation_tokens")),
    ),
    is_filtered=True,
)
_SGLANG = Dialect(
    (
        Shown(Quantity.REQUESTS_RUNNING, ("sglang:num_running_reqs",)),
        Shown(Quantity.REQUESTS_WAITING, ("sglang:num_queue_reqs",)),
        Shown(Quantity.KV_USED_SHARE, ("sglang:token_usage",), is_share=True),
        # the gauge sglang:num_retracted_reqs is of the last batch only
        Shown(
            Quantity.PREEMPTIONS,
            ("sglang:num_retracted_requests_total",),
            zero_beside="sglang:kv_used_tokens",
        ),
        Shown(Quantity.PROMPT_TOKENS, ("sglang:prompt_tokens_total",)),
        Shown(Quantity.GENERATION_TOKENS, ("sglang:generation_tokens_total",)),
    ),
    ranks=frozenset({"tp_rank", "pp_rank", "moe_ep_rank"}),
    is_filtered=True,
    switch="--enable-metrics",
)
_LLAMA_CPP = Dialect(
    (
        Shown(Quantity.REQUESTS_RUNNING, ("llamacpp:requests_processing",)),
        Shown(Quantity.REQUESTS_WAITING, ("llamacpp:requests_deferred",)),
        Shown(Quantity.KV_USED_SHARE, ("llamacpp:kv_cache_usage_ratio",), is_share=True),
        Shown(Quantity.PROMPT_TOKENS, ("llamacpp:prompt_tokens_total",)),
        Shown(Quantity.GENERATION_TOKENS, ("llamacpp:tokens_predicted_total",)),
    ),
    switch="--metrics",
)
_TGI = Dialect(
    (
        Shown(Quantity.REQUESTS_RUNNING, ("tgi_batch_current_size",)),
        Shown(Quantity.REQUESTS_WAITING, ("tgi_queue_size",)),
        Shown(Quantity.PROMPT_TOKENS, ("tgi_request_input_length_sum",)),
        Shown(Quantity.GENERATION_TOKENS, ("tgi_request_generated_tokens_sum",)),
    ),
)

LLAMA_CPP_KINDS = frozenset({"llama.cpp", "embedded"})
DIALECTS = {
    "vllm": _VLLM,
    "sglang": _SGLANG,
    **dict.fromkeys(LLAMA_CPP_KINDS, _LLAMA_CPP),
    "tgi": _TGI,
}
"""By the kind of engine as ``joulemark.engines.kinds`` calls it; others are not asked."""
