"""Send what waits, and withdraw what was sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.server import SUBMISSIONS, Answer, post
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.spool import Spool, Waiting

WITHDRAWAL = "joulemark-withdrawal"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of one message."""

    message: Waiting
    answer: Answer


def deliver(spool: Spool, address: str) -> Iterator[Delivery]:
    """Send everything that waits, oldest first, and yield what came of each.

    Ends at the first that finds no board: the others would find none either.
    """
    for one in spool.waiting():
        path = SUBMISSIONS if one.kind == "submission" else f"{SUBMISSIONS}/{one.digest}/withdrawals"
        content_type = "application/zip" if one.kind == "submission" else "application/json"
        try:
            body = one.read()
        except FileNotFoundError:
            continue  # another process has sent it meanwhile
        answer = post(address, path, body, content_type, one.digest)
        if answer.state != "away":
            now = datetime.now(UTC).isoformat(timespec="seconds")
            facts = {"board": address, "at_utc": now, "why": answer.why, "answer": answer.facts or {}}
            spool.done(one, answer.state, facts)
        yield Delivery(one, answer)
        if answer.state == "away":
            return


def withdrawal(digest: str, key: SigningKey) -> bytes:
    """Return the signed statement that a bundle is withdrawn: only its own signer can make it."""
    statement = {"bundle": digest, "format": WITHDRAWAL, "schema_version": "1"}
    return canonical(
        {**statement, "public_key": key.public, "signature": key.sign("withdrawal", canonical(statement))}
    )
