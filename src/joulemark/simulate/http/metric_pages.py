"""Prometheus pages: the engine's own gauges by its own names, and the boards as DCGM's exporter has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor
from time import monotonic_ns

from joulemark.simulate.http.live import LiveServer
from joulemark.simulate.http.profile import MARK

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
AVERAGE_NS = 1_000_000_000
"""What DCGM's power is the mean of: NVML's trailing second."""


@dataclass(frozen=True, slots=True)
class Gauges:
    """What an engine knows of itself; token counts and preemptions since its start."""

    running: int
    waiting: int
    kv_used_share: float
    preemptions: int
    prompt_tokens: int
    generated_tokens: int
    finished: int
    steps: int


Row = tuple[str, str, str, float]
"""Name, type, labels without braces, value."""


def engine_page(profile: str, gauges: Gauges, model_id: str, *, caches: bool, pages: int) -> str | None:
    """Return the page of an engine; null for an engine that has none."""
    model = f'model_name="{model_id}"'
    if profile == "vllm":
        labels = f'engine="0",{model}'
        caching = (
            f'block_size="16",cache_dtype="auto",enable_prefix_caching="{caches}",num_gpu_blocks="{pages}"'
        )
        return _page(
            [
                ("vllm:num_requests_running", "gauge", labels, gauges.running),
                ("vllm:num_requests_waiting", "gauge", labels, gauges.waiting),
                ("vllm:kv_cache_usage_perc", "gauge", labels, gauges.kv_used_share),
                ("vllm:num_preemptions_total", "counter", labels, gauges.preemptions),
                ("vllm:prompt_tokens_total", "counter", labels, gauges.prompt_tokens),
                ("vllm:generation_tokens_total", "counter", labels, gauges.generated_tokens),
                (
                    "vllm:request_success_total",
                    "counter",
                    f'{labels},finished_reason="stop"',
                    gauges.finished,
                ),
                ("vllm:cache_config_info", "gauge", f'{caching},engine="0"', 1),
            ]
        )
    if profile == "sglang":
        return _page(
            [
                ("sglang:num_running_reqs", "gauge", model, gauges.running),
                ("sglang:num_queue_reqs", "gauge", model, gauges.waiting),
                ("sglang:token_usage", "gauge", model, gauges.kv_used_share),
                ("sglang:num_retracted_requests_total", "counter", model, gauges.preemptions),
                ("sglang:prompt_tokens_total", "counter", model, gauges.prompt_tokens),
                ("sglang:generation_tokens_total", "counter", model, gauges.generated_tokens),
                ("sglang:num_requests_total", "counter", model, gauges.finished),
            ]
        )
    if profile == "llamacpp":
        return _page(
            [
                ("llamacpp:requests_processing", "gauge", "", gauges.running),
                ("llamacpp:requests_deferred", "gauge", "", gauges.waiting),
                ("llamacpp:prompt_tokens_total", "counter", "", gauges.prompt_tokens),
                ("llamacpp:tokens_predicted_total", "counter", "", gauges.generated_tokens),
                ("llamacpp:n_decode_total", "counter", "", gauges.steps),
            ]
        )
    if profile == "tgi":
        return _page(
            [
                ("tgi_batch_current_size", "gauge", "", gauges.running),
                ("tgi_queue_size", "gauge", "", gauges.waiting),
                ("tgi_request_success", "counter", "", gauges.finished),
                ("tgi_request_input_length_sum", "counter", "", gauges.prompt_tokens),
                ("tgi_request_generated_tokens_sum", "counter", "", gauges.generated_tokens),
            ]
        )
    return None


class Exporter:
    """The boards of a live server as DCGM's exporter shows them, renewed every ``interval_s``.

    Energy is that of the latest renewal, whoever asks and how often; it counts from the server's start in
    whole millijoules. Power is the mean of the second before, of the time that passes here: where the
    server's clock runs faster, so do its joules.
    """

    def __init__(self, live: LiveServer, *, interval_s: float) -> None:
        self._live, self.interval_ns = live, max(1, round(interval_s * 1e9))

    def renewed_ns(self, now_ns: int | None = None) -> int:
        """Return the monotonic stamp of the latest renewal."""
        now_ns = monotonic_ns() if now_ns is None else now_ns
        begin = self._live.t0_ns
        return begin + (now_ns - begin) // self.interval_ns * self.interval_ns

    def page(self, now_ns: int | None = None) -> str:
        """Return the page as it is at a monotonic stamp that has been; null: now."""
        live, t_ns = self._live, self.renewed_ns(now_ns)
        config = live.server.config
        rows: list[Row] = []
        for device in range(config.devices):
            labels = (
                f'gpu="{device}",UUID="{uuid_of(device)}",device="nvidia{device}",'
                f'modelName="Simulated {config.gpu.name}",Hostname="{MARK}"'
            )
            joules = live.energy_j(device, t_ns)
            watts = (joules - live.energy_j(device, t_ns - AVERAGE_NS)) / (AVERAGE_NS * 1e-9)
            rows += [
                ("DCGM_FI_DEV_POWER_USAGE", "gauge", labels, round(watts, 3)),
                ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", labels, floor(joules * 1000)),
                ("DCGM_FI_DEV_POWER_MGMT_LIMIT", "gauge", labels, config.limit_w * live.speed),
            ]
        return _page(sorted(rows, key=lambda row: row[0]))


def uuid_of(device: int) -> str:
    """Return the UUID of a simulated board; no real one begins like it."""
    return f"GPU-SIMULATED-{device:04d}"


def _page(rows: Iterable[Row]) -> str:
    lines: list[str] = []
    named = ""
    for name, kind, labels, value in rows:
        if name != named:
            lines += [f"# HELP {name} Of a simulated server.", f"# TYPE {name} {kind}"]
            named = name
        lines.append(f"{name}{{{labels}}} {value:.17g}" if labels else f"{name} {value:.17g}")
    return "\n".join(lines) + "\n"
