"""What prompts and output cost on a loaded server, apart, as figures."""

from __future__ import annotations

from joulemark.metrics.input_aware_fit import InputAwareFit
from joulemark.metrics.loaded_definitions import OUTPUT_TOKEN, PROMPT_SHARE, PROMPT_TOKEN
from joulemark.metrics.student import t_95
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason


def input_aware_figures(fit: InputAwareFit) -> dict[str, Value]:
    """Return the fit's figures by the names of their definitions."""
    prompt_j, output_j, share = fit.joules_per_prompt_token, fit.joules_per_output_token, fit.prompt_share
    if prompt_j is None or output_j is None or share is None or fit.se_prompt_j is None:
        reason = fit.reason or Reason.NOT_IDENTIFIED
        return {
            d.name: withheld(d.unit, reason, detail=fit.detail, n=fit.n or None)
            for d in (PROMPT_TOKEN, OUTPUT_TOKEN, PROMPT_SHARE)
        }
    half = t_95(fit.degrees) * fit.se_prompt_j
    prompt = Value(prompt_j, "J", prompt_j - half, prompt_j + half, "ci95", n=fit.n)
    return {
        PROMPT_TOKEN.name: prompt,
        OUTPUT_TOKEN.name: Value(output_j, "J", n=fit.n),
        PROMPT_SHARE.name: _share(share, prompt),
    }


def _share(share: float, prompt: Value) -> Value:
    """Return what prompts took, as open as the price of a prompt token is: the energy itself is metered."""
    if not prompt.value or prompt.lo is None or prompt.hi is None:
        return Value(share, "1", n=prompt.n)
    lo, hi = (min(1.0, max(0.0, share * end / prompt.value)) for end in (prompt.lo, prompt.hi))
    return Value(share, "1", lo, hi, "ci95", n=prompt.n)
