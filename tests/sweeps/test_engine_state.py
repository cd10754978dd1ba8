"""How an engine was while a point was measured: the figures of its run, and no arithmetic of its own."""

from __future__ import annotations

from doubles.run_views import with_counter
from joulemark.metrics.summary import summarize
from joulemark.sweeps.engine_state import ENGINE_FIGURES, engine_state


def test_the_figures_of_the_run_are_told_as_they_are() -> None:
    summary = summarize(with_counter())
    found = engine_state(summary)
    assert found.figures == {name: summary.figures[name] for name in ENGINE_FIGURES}
    assert found.to_json()["reasons"].keys() == set(ENGINE_FIGURES)  # type: ignore[index,union-attr,call-overload]
