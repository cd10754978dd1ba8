"""What prompts and output cost on a loaded server, apart, as figures."""

from __future__ import annotations

from joulemark.metrics.input_aware_fit import InputAwareFit
from joulemark.metrics.loaded_definitions import OUTPUT_TOKEN, PROMPT_SHARE, PROMPT_TOKEN
from joulemark.metrics.student import MIN_DEGREES, t_95
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

_COLUMNS = 4


def input_aware_figures(fit: InputAwareFit) -> dict[str, Value]:
    """Return the fit's figures by the names of their definitions."""
    prompt_j, output_j, share = fit.joules_per_prompt_token, fit.joules_per_output_token, fit.prompt_share
    if prompt_j is None or output_j is None or share is None or fit.se_prompt_j is None:
        reason = fit.reason or Reason.NOT_IDENTIFIED
        return {
            d.name: withheld(d.unit, reason, detail=fit.detail, n=fit.n or None)
            for d in (PROMPT_TOKEN, OUTPUT_TOKEN, PROMPT_SHARE)
        }
    half = t_95(max(MIN_DEGREES, fit.n - _COLUMNS)) * fit.se_prompt_j
    return {
        PROMPT_TOKEN.name: Value(prompt_j, "J", prompt_j - half, prompt_j + half, "ci95", n=fit.n),
        OUTPUT_TOKEN.name: Value(output_j, "J", n=fit.n),
        PROMPT_SHARE.name: Value(share, "1", n=fit.n),
    }
