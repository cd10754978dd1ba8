"""The evidence of a run: what its bundle holds, recomputed, as a page without any text of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.board.judging.rung import Rung
from joulemark.board.pages.environment import render
from joulemark.board.standing.submitted import Submitted
from joulemark.board.standing.words import task_words
from joulemark.bundles.submission.refusal import NotABundle
from joulemark.bundles.submission.verification import CHECKS, ORIGIN
from joulemark.bundles.submission.verify import verify
from joulemark.report.html import report_values
from joulemark.report.wording import printable

MEANS: Mapping[str, str] = {
    "limits": "no larger than a bundle may be",
    "structure": "its members and no others",
    "hashes": "each member is what the signed list says",
    "signature": "signed by the key that stands in it",
    "schema": "every member is what a packer writes, byte for byte",
    "ids": "no answer stands twice, token counts are possible",
    "stamps": "times are in order and inside their segment",
    "overlap": "no two requests at once where one at a time is said",
    "verdicts": "verdict, correctness and score agree",
    "recompute": "figures follow from answers and readings",
    "figures": "what it states is what follows",
}
_UNREADABLE = "Its bundle cannot be read by this version."
STATUS = {
    "accepted": "",
    "quarantined": "This run is in quarantine: it is shown with its reasons, and enters no row of the board.",
    "rejected": "This run was rejected: it is shown with its reasons, and enters no row of the board.",
}


def evidence_html(data: bytes) -> str:
    """Return what of the page depends on the bundle alone; the same bytes give the same."""
    try:
        found = verify(data)
    except NotABundle:
        return no_evidence(_UNREADABLE)
    if found.view is None or found.summary is None:
        return no_evidence(_UNREADABLE)
    failed = {one.check: printable(one.why) for one in found.findings}
    checks = [(check, MEANS[check], failed.get(check, ""), check in found.passed) for check in CHECKS]
    return render(
        "evidence_parts",
        path="",
        page=report_values(found.summary, found.view),
        checks=checks,
        n_failed=len(CHECKS) - len(found.passed),
        origin=ORIGIN,
        joulemark_version=found.joulemark_version,
        is_same_source=found.is_same_source,
    )


def no_evidence(why: str) -> str:
    """Return what stands in place of the evidence."""
    return render("evidence_none", path="", why=why)


def head_values(found: Submitted) -> dict[str, Any]:
    """Return what of the page depends on how the submission stands."""
    row = found.row
    return {
        "run": found,
        "row": row,
        "task": "" if row is None else task_words(row),
        "rungs": [(rung, rung <= found.rung) for rung in Rung if rung is not Rung.PUBLISHED],
        "stands": STATUS.get(found.status, f"This run is {found.status}."),
        "grounds": [(printable(one.get("code", "")), printable(one.get("why", ""))) for one in found.grounds],
    }
