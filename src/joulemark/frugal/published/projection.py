"""What the same items would cost with another model: modelled, from its verbosity, prices and emissions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joulemark.frugal.outcomes.outcomes import Floats, Outcomes

_MILLION = 1e6
_THOUSAND = 1e3


@dataclass(frozen=True, slots=True)
class OtherModel:
    """What is declared of another model; null is unknown.

    ``verbosity``: its output tokens over those of the model that was run. Prices in USD per million tokens,
    emissions in gCO2e per 1,000 output tokens, time in seconds per output token. ``chars_per_token`` turns
    lengths in characters into tokens where the items hold no tokens, ``prompt_tokens`` (a prompt, on average)
    stands for prompts that they do not hold.
    """

    name: str
    verbosity: float = 1.0
    usd_in: float | None = None
    usd_out: float | None = None
    gco2e_per_1k_tokens: float | None = None
    s_per_token: float | None = None
    chars_per_token: float | None = None
    prompt_tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Projected:
    """A modelled criterion of all items and of the cut-off's share of them; ``why`` where it is unknown."""

    name: str
    title: str
    total: float | None = None
    saved: float | None = None
    why: str = ""


def project(other: OtherModel, outcomes: Outcomes, fraction: float) -> tuple[Projected, ...]:
    """Return cost, latency and carbon of the other model; ``fraction`` of the items are asked."""
    out, why_out = _tokens(outcomes, "completion_tokens", "output_chars", other.chars_per_token)
    prompt, why_prompt = _tokens(outcomes, "prompt_tokens", "prompt_chars", other.chars_per_token)
    if other.prompt_tokens is not None:
        prompt, why_prompt = other.prompt_tokens * len(outcomes), ""
    n_out = None if out is None else out * other.verbosity
    usd: float | None = None
    if other.usd_in is not None and other.usd_out is not None and n_out is not None and prompt is not None:
        usd = (prompt * other.usd_in + n_out * other.usd_out) / _MILLION
    no_price = (
        "" if other.usd_in is not None and other.usd_out is not None else "usd_in and usd_out not given"
    )
    seconds = _product(n_out, other.s_per_token)
    grams = _product(
        n_out, None if other.gco2e_per_1k_tokens is None else other.gco2e_per_1k_tokens / _THOUSAND
    )
    rows = (
        ("usd", "cost", usd, no_price or why_out or why_prompt),
        ("e2el_s", "latency", seconds, "s_per_token not given" if other.s_per_token is None else why_out),
        (
            "gco2e",
            "carbon",
            grams,
            "gco2e_per_1k_tokens not given" if other.gco2e_per_1k_tokens is None else why_out,
        ),
    )
    return tuple(
        Projected(name, title, why=why)
        if total is None
        else Projected(name, title, total, total * (1.0 - fraction))
        for name, title, total, why in rows
    )


def _product(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a * b


def _tokens(
    outcomes: Outcomes, tokens: str, chars: str, chars_per_token: float | None
) -> tuple[float | None, str]:
    """Return the tokens of all items, items without any taken for the mean; or why they are unknown."""
    if tokens in outcomes.costs:
        return _total(outcomes.costs[tokens], tokens)
    if chars not in outcomes.costs:
        return None, f"the items hold neither {tokens} nor {chars}"
    if chars_per_token is None:
        return None, f"the items hold {chars} and no {tokens}; chars_per_token not given"
    total, why = _total(outcomes.costs[chars], chars)
    return (None if total is None else total / chars_per_token), why


def _total(column: Floats, name: str) -> tuple[float | None, str]:
    there = column[np.isfinite(column)]
    if not len(there):
        return None, f"no item has {name}"
    return float(there.mean()) * len(column), ""
