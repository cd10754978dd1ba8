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
    """What came of one message, and of which board it was asked."""

    message: Waiting
    answer: Answer
    board: str


def deliver(spool: Spool, address: str | None, *, others: bool = False) -> Iterator[Delivery]:
    """Send what waits for the board at ``address``, oldest first, and yield what came of each.

    What was meant for no certain board goes there too; what was meant for another never does. ``others``:
    that is sent as well, each to its own. Once a board does not answer, it is asked no more.
    """
    away: set[str] = set()
    for one in spool.waiting():
        board = one.board or address
        if board is None or board in away or (board != address and not others):
            continue
        path = SUBMISSIONS if one.kind == "submission" else f"{SUBMISSIONS}/{one.digest}/withdrawals"
        content_type = "application/zip" if one.kind == "submission" else "application/json"
        try:
            body = one.read()
        except FileNotFoundError:
            continue  # another process has sent it meanwhile
        answer = post(board, path, body, content_type, one.digest)
        if answer.state != "away":
            now = datetime.now(UTC).isoformat(timespec="seconds")
            facts = {"board": board, "at_utc": now, "why": answer.why, "answer": answer.facts or {}}
            spool.done(one, answer.state, facts)
        yield Delivery(one, answer, board)
        if answer.state == "away":
            away.add(board)


def withdrawal(digest: str, key: SigningKey) -> bytes:
    """Return the signed statement that a bundle is withdrawn: only its own signer can make it."""
    statement = {"bundle": digest, "format": WITHDRAWAL, "schema_version": "1"}
    return canonical(
        {**statement, "public_key": key.public, "signature": key.sign("withdrawal", canonical(statement))}
    )
