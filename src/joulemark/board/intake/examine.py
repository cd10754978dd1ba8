"""Recompute a bundle and say what a board wants to know of it. No database, no clock, no network."""

from __future__ import annotations

from joulemark.board.intake.examined import Examined, NotTaken
from joulemark.board.intake.questions import order_by_nonce
from joulemark.board.judging.facts_of_bundle import facts_of
from joulemark.board.judging.marks import marks_of
from joulemark.board.picker import candidate_json
from joulemark.board.standing.run_columns import columns_of
from joulemark.bundles.submission.refusal import NotABundle
from joulemark.bundles.submission.verification import Verification
from joulemark.bundles.submission.verify import verify
from joulemark.metrics.picking import measured_candidate
from joulemark.metrics.run_point import run_point


def examine(data: bytes) -> Examined | NotTaken:
    """Verify the bytes of a bundle and derive what is stored of it."""
    try:
        found = verify(data)
    except NotABundle as error:
        return NotTaken(None, error.why or "it is none")
    if found.findings:
        return NotTaken(found.findings[0].check, found.findings[0].why)
    if not found.verified:
        return NotTaken("recompute", "no figures follow from it")
    return examined(found)


def examined(found: Verification) -> Examined:
    """Return what is stored of a bundle that verified."""
    view, summary = found.view, found.summary
    assert view is not None
    assert summary is not None
    candidate = measured_candidate(view, run_point(view, summary, found.digest), None)
    return Examined(
        facts=facts_of(found),
        columns=columns_of(view, summary, found.digest),
        candidate=candidate_json.to_json(candidate),
        marks=marks_of(found),
        joulemark_version=found.joulemark_version,
        order=order_by_nonce(view.manifest, [item.item_id for item in view.measured_items]),
    )
