"""What a reader must know of a load before believing its figures."""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.metrics.caveat import Caveat
from joulemark.metrics.loaded_rates import power_change_pct
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason

POWER_CHANGE_PCT = 5.0


def of_load(run: RunView) -> Iterator[Caveat]:
    """Yield why a loaded run has no steady state, and what moved within the one it has."""
    window = run.steady.window
    if isinstance(window, Withheld):
        if window.reason is not Reason.NOT_LOADED:
            told = " ".join(filter(None, (window.reason.text, window.detail)))
            yield Caveat(
                "no_steady_state",
                f"No steady state: {told} What is told of the whole run holds the start and the drain too.",
                loud=True,
            )
        return
    change = power_change_pct(run.steady).value
    if change is not None and abs(change) > POWER_CHANGE_PCT:
        yield Caveat(
            "power_changed",
            f"Power changed by {change:+.0f} % within the steady state: heat, clocks or a prefix cache that"
            " fills do that. A longer lead (--lead) lets them settle.",
        )
    if window.token_basis != "exact":
        yield Caveat(
            "tokens_spread",
            "The engine does not say how many tokens a chunk holds: each request's count is spread evenly"
            f" over its {'chunks' if window.token_basis == 'spread_over_chunks' else 'time'}.",
        )
