"""A recorded run at other rates; its record keeps those it was made with."""

from __future__ import annotations

import dataclasses

from joulemark.metrics.rate_steps import has_steps
from joulemark.metrics.run_view import RunView
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.runs.effective_rates import wall_spans
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.view import view_of


def repriced(view: RunView, layout: RunLayout, declared: DeclaredRates) -> RunView:
    """Return ``view`` (of the run at ``layout``) with what was declared; raises `InputError` for bad rates.

    Rates that change with time need the energy between their steps, so the run is then read again.
    """
    if not declared.given:
        return view
    rates = rates_of(declared, view.manifest.rates, wall_spans(view.manifest))
    if has_steps(rates):
        run = read_run(layout.root)
        run.manifest.rates = rates
        return view_of(run)
    manifest = view.manifest.model_copy(update={"rates": rates})
    return dataclasses.replace(view, manifest=manifest, effective_rates=None)
