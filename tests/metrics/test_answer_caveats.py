"""What became of the requests, told loudly where it bears on the figures."""

from __future__ import annotations

import dataclasses

import pytest

from doubles import run_views
from doubles.run_views import T0, S, item
from joulemark.metrics.answer_caveats import of_answers
from joulemark.metrics.caveat import Caveat
from joulemark.record.item import Attempt
from joulemark.record.manifest import Load

LOADED = Load(mode="closed", concurrency=4)


def _tried_again(load: Load, n: int) -> Caveat:
    """Return what is told of 200 requests of which ``n`` took two tries."""
    tries = (Attempt(T0 - S, T0 - S + 9, "http_503"), Attempt(T0, T0 + S))
    items = tuple(item(k, attempts=tries if k < n else tries[1:]) for k in range(200))
    view = run_views.with_counter()
    manifest = view.manifest.model_copy(update={"load": load})
    view = dataclasses.replace(view, items=items, attributions=(), manifest=manifest)
    (caveat,) = [one for one in of_answers(view) if one.code == "retried"]
    return caveat


@pytest.mark.parametrize(("load", "n", "loud"), [(LOADED, 3, True), (LOADED, 2, False), (Load(), 99, False)])
def test_retries_of_more_than_one_in_a_hundred_under_load_are_told_loudly(
    load: Load, n: int, loud: bool
) -> None:
    caveat = _tried_again(load, n)
    assert caveat.loud is loud
    assert caveat.text.startswith(f"{n} of 200 answers")
    assert "latencies are from the first sending" in caveat.text
