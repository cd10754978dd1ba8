"""What became of the requests, where it bears on the figures: failed, cut short, asked again, cut off."""

from __future__ import annotations

import math
from collections.abc import Iterator

from joulemark.metrics.caveat import Caveat
from joulemark.metrics.run_view import RunView
from joulemark.metrics.score import LOUD_UNSCORED_SHARE, unscored
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict

LOUD_TRUNCATED_SHARE = 0.2
LOUD_UNPARSED_SHARE = 0.2
LOUD_RETRIED_SHARE = 0.01  # under load: they wait while their places stand empty
LOUD_FAILED_SHARE = 0.01  # under load: what fails makes room for the others, and is paid by them


def of_answers(run: RunView) -> Iterator[Caveat]:
    """Yield the warnings about failed, unscored, truncated, unparsed, retried and abandoned requests."""
    items = run.measured_items
    count = {verdict: sum(item.verdict is verdict for item in items) for verdict in Verdict}
    failed, truncated = count[Verdict.FAILED], count[Verdict.TRUNCATED]
    loaded = run.manifest.load.mode != "sequential"
    if failed:
        yield Caveat(
            "failed_requests",
            f"{failed} of {len(items)} requests ({100 * failed / len(items):.1f} %) failed. They count as "
            "not correct and their energy is charged.",
            loud=2 * failed > len(items) or (loaded and failed >= LOUD_FAILED_SHARE * len(items)),
        )
    n_unscored, told = unscored(items)
    if run.real_valued and LOUD_UNSCORED_SHARE * len(items) < n_unscored < len(items):
        text = f"{told}: the mean is that of the others."
        yield Caveat("unscored_answers", text, loud=True)
    if truncated:
        yield Caveat(
            "truncated",
            f"{truncated} of {len(items)} answers hit their token limit; a higher `--max-tokens` may change "
            "accuracy and energy.",
            loud=truncated > LOUD_TRUNCATED_SHARE * len(items),
        )
    unparsed = count[Verdict.UNPARSED]
    if unparsed > LOUD_UNPARSED_SHARE * len(items):
        yield Caveat(
            "unparsed",
            f"In {unparsed} of {len(items)} replies no answer was found: they count as not correct. "
            "`joulemark report RUN --answers` shows what was asked and answered.",
            loud=True,
        )
    retried = sum(item.n_tries > 1 for item in items)
    if retried:
        yield Caveat(
            "retried",
            f"{retried} of {len(items)} answers took more than one try. The energy of every try is charged, "
            "and the waits between them count: latencies are from the first sending.",
            loud=loaded and retried > LOUD_RETRIED_SHARE * len(items),
        )
    resent = sum(len(item.attempts) > item.n_tries for item in items)
    if resent:
        requests, were = (f"{resent} requests", "were") if resent > 1 else ("1 request", "was")
        yield Caveat(
            "sent_again",
            f"{requests} met the closing of a kept connection and {were} sent again. Energy and latencies "
            "count from the first sending.",
        )
    if run.abandoned_items:
        yield Caveat("abandoned_requests", _abandoned(run))


def _abandoned(run: RunView) -> str:
    n = len(run.abandoned_items)
    were, their = ("requests were", "their") if n > 1 else ("request was", "its")
    cut = f"{n} {were} cut off by the end of a segment and left out of every count"
    if isinstance(run.headline_energy, Withheld):
        return f"{cut}."
    rows = run.abandoned_attributions()
    known = [row.joules for row in rows if row.joules is not None]
    if len(known) < len(rows):
        return f"{cut}; part of {their} energy is inside the joules, how much is not known."
    joules = math.fsum(known)
    if joules > 0:
        # the measured window ends with the last stored answer
        return f"{cut}; {their} energy up to the last stored answer, {joules:,.1f} J, is inside the joules."
    return f"{cut}; {their} energy is left out of the joules."
