"""What a reader must know of a load, and of others on the engine, before believing its figures."""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.metrics.caveat import Caveat
from joulemark.metrics.foreign_load import foreign_in, is_watched, measured_loads
from joulemark.metrics.loaded_rates import power_change_pct
from joulemark.metrics.page_doubt import doubt_in
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason

POWER_CHANGE_PCT = 5.0
_NOT_WATCHED = Caveat(
    "engine_not_watched",
    "The engine did not show its requests: whether others used it beside this run was not seen.",
)


def of_load(run: RunView) -> Iterator[Caveat]:
    """Yield who else used the engine, why a loaded run has no steady state, and what moved within its own."""
    window, load = run.steady.window, run.steady.load
    foreign = foreign_in(run)
    doubt = doubt_in(run)
    if doubt:
        yield Caveat(
            "gauge_contradicted",
            f"The engine's page tells of less than was asked of it: {doubt} It is stale, another engine's or"
            " one of several's, so its batch is not believed, and whether others used the engine beside this"
            " run was not seen.",
            loud=True,
        )
    if foreign is not None:
        yield Caveat(
            "foreign_load",
            f"{foreign.reason.text} {foreign.detail} A request that this client gave up on and the engine"
            " goes on with counts as another's. No joules of this run are of its own requests alone.",
            loud=True,
        )
    if isinstance(window, Withheld):
        if foreign is None and window.reason is not Reason.NOT_LOADED:
            told = " ".join(filter(None, (window.reason.text, window.detail)))
            yield Caveat(
                "no_steady_state",
                f"No steady state: {told} What is told of the whole run holds the start and the drain too.",
                loud=True,
            )
        elif foreign is None and not doubt and not _is_watched(run):
            yield _NOT_WATCHED
        return
    if load is not None and not doubt and not is_watched(load, window.part.t0, window.part.t1):
        yield _NOT_WATCHED
    change = power_change_pct(run.steady).value
    if change is not None and abs(change) > POWER_CHANGE_PCT:
        arrivals = run.manifest.load.mode in ("open", "trace") and run.manifest.load.arrival != "at_once"
        yield Caveat(
            "power_changed",
            f"Power changed by {change:+.0f} % within the steady state: "
            + (
                "it follows the arrivals, which come as they come; so can heat, clocks or a prefix cache that"
                " fills change it. More requests (--requests) even arrivals out."
                if arrivals
                else "heat, clocks or a prefix cache that fills do that. A longer lead (--lead) lets them"
                " settle."
            ),
        )
    if window.token_basis != "exact":
        yield Caveat(
            "tokens_spread",
            "The engine does not say how many tokens a chunk holds: each request's count is spread evenly"
            f" over its {'chunks' if window.token_basis == 'spread_over_chunks' else 'time'}.",
        )


def _is_watched(run: RunView) -> bool:
    measured = measured_loads(run.manifest, run.loads)
    return all(is_watched(*one) for one in measured)
