"""Judge a run against those that were accepted before it; all of it within the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from joulemark.board.database.tables import run_marks, runs, submissions
from joulemark.board.intake.examined import Examined
from joulemark.board.judging.facts import RunFacts, facts_of_json
from joulemark.board.judging.judgement import Judgement, judge
from joulemark.board.judging.marks import share_of_counts

_MOST_PEERS = 300
_MOST_OF_A_SIGNER = 10
_MOST_COPIES = 50


def judged(connection: Connection, examined: Examined) -> Judgement:
    """Return what `joulemark.board.judging` says of a run, its peers and the copies of it."""
    return judge(examined.facts, _peers(connection, examined), _copies(connection, examined))


def _peers(connection: Connection, examined: Examined) -> list[RunFacts]:
    """Return accepted runs of the same model on the same device: the latest of each signer first.

    Of each signer a few, and one of everybody before a second of anybody: nobody crowds the others out by
    submitting often, nor with a handful of keys.
    """
    device = examined.columns.device
    nth = func.row_number().over(
        partition_by=submissions.c.signer, order_by=(submissions.c.received_at.desc(), submissions.c.digest)
    )
    found = (
        select(runs.c.digest, submissions.c.received_at, nth.label("nth"))
        .join(submissions, submissions.c.digest == runs.c.digest)
        .where(
            submissions.c.status == "accepted",
            runs.c.model == examined.columns.model,
            runs.c.device.is_(None) if device is None else runs.c.device == device,
        )
        .subquery()
    )
    wanted = (
        select(runs.c.facts)
        .join(found, found.c.digest == runs.c.digest)
        .where(found.c.nth <= _MOST_OF_A_SIGNER)
        .order_by(found.c.nth, found.c.received_at.desc(), found.c.digest)
        .limit(_MOST_PEERS)
    )
    return [facts_of_json(facts) for facts in connection.execute(wanted).scalars()]


def _copies(connection: Connection, examined: Examined) -> Mapping[str, float]:
    """Return the share of marks that this run has in common with others, by digest (`share_of_marks`).

    Whatever became of the others: what was withdrawn, adjusted and sent again is held back too.
    """
    marks = sorted(set(examined.marks))
    if not marks:
        return {}
    n = func.count().label("n")
    wanted = (
        select(run_marks.c.digest, n)
        .where(run_marks.c.mark.in_(marks))
        .group_by(run_marks.c.digest)
        .order_by(n.desc(), run_marks.c.digest)
        .limit(_MOST_COPIES)
    )
    common = {row.digest: row.n for row in connection.execute(wanted)}
    sizes = (
        select(run_marks.c.digest, n).where(run_marks.c.digest.in_(list(common))).group_by(run_marks.c.digest)
    )
    return {
        digest: share_of_counts(common[digest], len(marks), size)
        for digest, size in connection.execute(sizes)
    }
