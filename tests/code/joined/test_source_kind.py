"""What joules are called is asked of the run: a trace and a simulation are no measurement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doubles import run_views
from joulemark.code.joined.source_kind import SourceKind, source_kind
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import Withheld
from joulemark.record.manifest import Meter
from joulemark.record.reason import Reason

LIVE = run_views.with_counter()


def with_engine(view: RunView, kind: str) -> RunView:
    engine = view.manifest.engine.model_copy(update={"kind": kind})
    return replace(view, manifest=view.manifest.model_copy(update={"engine": engine}))


def on_simulated_boards(view: RunView) -> RunView:
    boards = [
        Meter.of(replace(one, info=replace(one.info, device_name="Simulated H100")), 0)
        for one in view.sources
    ]
    return replace(view, manifest=view.manifest.model_copy(update={"meters": boards}))


def without_joules(view: RunView) -> RunView:
    return replace(view, headline_energy=Withheld(Reason.NOT_MEASURED, "no meter"), cpu_seconds=6.0)


@pytest.mark.parametrize(
    ("view", "kind"),
    [
        (LIVE, SourceKind.MEASURED),
        (run_views.replayed(), SourceKind.REPLAYED),
        (on_simulated_boards(LIVE), SourceKind.SIMULATED),
        (with_engine(LIVE, "simulated:server"), SourceKind.SIMULATED),
        # processor time stands in then, which is this machine's whatever trace was played beside it
        (without_joules(run_views.replayed()), SourceKind.MEASURED),
        (with_engine(without_joules(LIVE), "simulated:server"), SourceKind.SIMULATED),
    ],
)
def test_joules_are_called_what_they_are(view: RunView, kind: SourceKind) -> None:
    assert source_kind(view) is kind
