"""A verified bundle in the terminal: what was checked, every figure as recomputed, and what that proves."""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.bundles.submission.signing import fingerprint
from joulemark.bundles.submission.verification import CHECKS, ORIGIN, Verification
from joulemark.report.busy import NOTE, is_busy, marked
from joulemark.report.latency_table import latency_rows
from joulemark.report.wording import printable, shown

_SAYS = {
    "limits": "sizes and counts are within the limits",
    "structure": "the archive holds the members of a bundle and nothing else",
    "hashes": "each member has the hash that is signed",
    "signature": "the signature is that of its key",
    "schema": "every member is as a packer writes it",
    "ids": "no answer stands twice",
    "stamps": "time stamps are in order",
    "overlap": "requests overlap only where the load says so",
    "verdicts": "verdicts do not contradict themselves",
    "recompute": "figures follow from answers and readings",
    "figures": "what it states is what follows",
}
_MARKS = {"passed": "ok", "failed": "FAILED", "not reached": "not reached"}
_MOST = 10


def verification_lines(found: Verification) -> Iterator[str]:
    """Yield the lines; foreign words are shown without control characters."""
    told = found.to_json()["checks"]
    yield f"bundle {found.digest}"
    for check in CHECKS:
        yield f"  {_MARKS[told[check]]:<12}{_SAYS[check]}"
    for finding in found.findings:
        yield f"! {finding.check}: {printable(finding.why)}"
    for one in found.differences[:_MOST]:
        yield f"! {printable(one.place)}: {one.stated!r} is stated, {one.recomputed!r} follows"
    if len(found.differences) > _MOST:
        yield f"! and {len(found.differences) - _MOST} more; --json lists all"
    if found.public_key is not None:
        yield f"signed by {found.public_key} (fingerprint {fingerprint(found.public_key)})"
    if found.joulemark_version is not None:
        same = (
            "the program that verifies"
            if found.is_same_source
            else "another source than the one that verifies"
        )
        yield f"packed by joulemark {printable(found.joulemark_version)}, {same}"
    if found.summary is not None:
        yield from _figures(found)
    yield ""
    yield "VERIFIED" if found.verified else "DOES NOT VERIFY"
    yield ORIGIN


def _figures(found: Verification) -> Iterator[str]:
    summary = found.summary
    assert summary is not None
    yield ""
    yield printable(
        f"{summary.model} · {summary.engine} · {summary.task}: recomputed from {summary.n_requests} answers"
    )
    for caveat in summary.caveats:
        if caveat.loud:
            yield f"! {printable(caveat.text)}"
    tier = summary.measurement_tier
    reason = "" if summary.tier_reason is None else f" ({summary.tier_reason.text})"
    yield f"  {'Tier':<44} {tier if tier is not None else '—' + reason}"
    for figure in shown(summary):
        title = marked(figure.name, figure.title, summary)
        yield f"  {printable(title):<44} {figure.text}  {figure.interval or figure.why}".rstrip()
    for row in latency_rows(summary):
        cells = "  ".join(cell.text for cell in row.cells)
        yield f"  {printable(row.title):<44} {cells}"
    if is_busy(summary):
        yield f"  {NOTE}"
