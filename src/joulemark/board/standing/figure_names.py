"""The figures of a row by name: what the leaderboard shows, sorts by and exports."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

HEADLINE, ENERGY = "joules_per_correct_answer", "energy_j"
PLAIN = (
    "accuracy",
    "mean_score",
    "joules_per_token",
    "ipj",
    "accuracy_per_watt",
    "net_joules",
    "usd_per_correct_answer",
    "gco2e_per_correct_answer",
    "cpu_seconds_per_correct_answer",
    "tokens_per_second",
    "mean_completion_tokens",
    "mean_power_w",
    "thermal_throttle_pct",
    "power_cap_throttle_pct",
    "power_brake_throttle_pct",
    "counter_vs_integration_pct_diff",
)
"""Those of a run's summary, by its names."""
LATENCIES = ("ttft_p50", "ttft_p95", "tpot_mean", "e2el_mean", "e2el_p50", "e2el_p95")
"""Those of an operating point, failed requests counted as infinitely late in the percentiles."""
NAMES = (HEADLINE, ENERGY, *PLAIN, *LATENCIES)
LARGER_IS_BETTER = frozenset({"accuracy", "mean_score", "ipj", "accuracy_per_watt", "tokens_per_second"})
AT_OWN_RATES = frozenset({"usd_per_correct_answer", "gco2e_per_correct_answer"})
"""Each at the price or grid of who measured it: sorted by when asked for, never ranked."""
NO_ORDER = frozenset(
    {
        "counter_vs_integration_pct_diff",
        "mean_completion_tokens",
        "thermal_throttle_pct",
        "power_cap_throttle_pct",
        "power_brake_throttle_pct",
        "mean_power_w",
        "net_joules",
        *AT_OWN_RATES,
    }
)
"""Of which less or more is not better in itself, or not comparable between runs."""
TIMED = frozenset({"cpu_seconds_per_correct_answer", "tokens_per_second", *LATENCIES})
"""What the clock or the processor told: not comparable where the machine was busy."""
OF_ENERGY = (
    HEADLINE,
    ENERGY,
    "joules_per_token",
    "ipj",
    "accuracy_per_watt",
    "net_joules",
    "usd_per_correct_answer",
    "gco2e_per_correct_answer",
    "mean_power_w",
)
"""What is made of the joules, and doubted with them."""
SHORT: Mapping[str, str] = MappingProxyType(
    {
        HEADLINE: "J / correct",
        ENERGY: "J / request",
        "accuracy": "Accuracy",
        "mean_score": "Mean score",
        "joules_per_token": "J / token",
        "ipj": "Correct / J",
        "accuracy_per_watt": "Accuracy / W",
        "net_joules": "Net J",
        "usd_per_correct_answer": "$ / correct",
        "gco2e_per_correct_answer": "gCO2e / correct",
        "cpu_seconds_per_correct_answer": "CPU s / correct",
        "tokens_per_second": "Tokens / s",
        "mean_completion_tokens": "Tokens / answer",
        "mean_power_w": "Mean W",
        "thermal_throttle_pct": "Throttled by heat",
        "power_cap_throttle_pct": "Held by power cap",
        "power_brake_throttle_pct": "Power brake",
        "counter_vs_integration_pct_diff": "Counter vs integral",
        "ttft_p50": "First token p50",
        "ttft_p95": "First token p95",
        "tpot_mean": "Per token mean",
        "e2el_mean": "Whole answer mean",
        "e2el_p50": "Whole answer p50",
        "e2el_p95": "Whole answer p95",
    }
)
"""What the head of a column says."""
