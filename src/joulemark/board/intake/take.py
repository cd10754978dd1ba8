"""From bytes that somebody sent to what is stored: the one path of the API and of the form."""

from __future__ import annotations

import hashlib
import re

from fastapi import Request

from joulemark.board.apart import Broke, Busy, TookTooLong, Worker
from joulemark.board.intake.examine import examine
from joulemark.board.intake.examined import Examined, NotTaken
from joulemark.board.intake.ingest import Stored, TooMany, ingest, submission
from joulemark.board.refusal import Refused
from joulemark.bundles.submission.members import MAX_PACKED

_VERIFY = "`joulemark verify FILE` says what is wrong with it"
_QUOTED = re.compile(r"'[^']*(?:'|$)|\"[^\"]*(?:\"|$)")
_HOUR = {"Retry-After": "3600"}


def take(request: Request, data: bytes, *, counts: bool = True) -> Stored:
    """Verify, judge and store a bundle, or return what is stored of it; raises `Refused`.

    ``counts``: it counts among those that an address may send in an hour.
    """
    state = request.app.state
    digest = hashlib.sha256(data).hexdigest()
    with state.engine.connect() as connection:
        known = submission(connection, digest)
    if known is not None:
        return Stored(_not_withdrawn(known), False)
    if len(data) > MAX_PACKED:
        raise Refused(413, "the bundle is too large", f"{MAX_PACKED:,} bytes is the most")
    if counts:
        state.rates.count(request, "submission")
    found = _examined(request, data)
    try:
        stored = ingest(state.engine, found, data, most_a_day=state.settings.submissions_per_key_per_day)
    except TooMany:
        most = state.settings.submissions_per_key_per_day
        raise Refused(
            429, "this key has submitted enough for a day", f"{most:,} is the most", headers=_HOUR
        ) from None
    return Stored(_not_withdrawn(stored.row), stored.is_new)


def _examined(request: Request, data: bytes) -> Examined:
    try:
        worker: Worker = request.app.state.worker
        found = worker.run(examine, data)
    except Busy:
        why = "other bundles are being examined"
        raise Refused(429, "the board is busy", why, "send it again", headers={"Retry-After": "30"}) from None
    except TookTooLong:
        seconds = request.app.state.settings.verify_deadline_s
        raise Refused(
            413, "the bundle takes too long to examine", f"{seconds:g} s of the processor is the most"
        ) from None
    except Broke:
        raise Refused(422, "the bundle cannot be examined", "doing so ended the process", _VERIFY) from None
    if isinstance(found, NotTaken):
        if found.check is None:
            raise Refused(422, "this is no bundle", _unechoed(found.why), _VERIFY)
        raise Refused(422, f"the bundle does not verify ({found.check})", _unechoed(found.why), _VERIFY)
    return found


def _unechoed(why: str) -> str:
    """Return a reason without what it quotes of the bundle: that may be anything."""
    return _QUOTED.sub("…", why)


def _not_withdrawn(row: object) -> dict[str, object]:
    assert isinstance(row, dict)
    if row["status"] == "withdrawn":
        raise Refused(
            410,
            "the bundle was withdrawn by its signer",
            "what was taken back is not taken again",
            "its signer may appeal on the page of the submission",
        )
    return row
