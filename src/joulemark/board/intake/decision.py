"""What a moderator decides of a submission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy import Connection

from joulemark.board.intake.appeal import has_bundle
from joulemark.board.intake.audit import note
from joulemark.board.intake.standing_changes import set_evidence, set_status
from joulemark.board.refusal import Refused

Decision = Literal["accept", "reject", "quarantine", "audit"]
_STATUS: Mapping[str, str] = {"accept": "accepted", "reject": "rejected", "quarantine": "quarantined"}
_GROUNDS: Mapping[str, tuple[str, str]] = {
    "accept": ("moderated", "a moderator looked at it and accepted it"),
    "reject": ("moderated", "a moderator looked at it and rejected it"),
    "quarantine": ("moderated", "a moderator holds it back"),
}


def decide(
    connection: Connection, actor: str, row: Mapping[str, Any], decision: Decision, words: str
) -> None:
    """Do what was decided, with the moderator's ``words`` in the audit log; raises `Refused` (409).

    What is rejected keeps its bundle, so that an appeal has something to be judged by, and its marks: signed
    by another key it is held back again.
    """
    digest = row["digest"]
    if row["status"] == "withdrawn" or not has_bundle(connection, digest):
        raise Refused(409, "there is nothing to decide", "the submission was withdrawn")
    if decision == "audit":
        if row["status"] != "accepted":
            raise Refused(409, "only what is accepted can be audited", f"it is {row['status']}")
        set_evidence(connection, row, audited=True)
    else:
        code, why = _GROUNDS[decision]
        grounds = [one for one in row["grounds"] if one["code"] != code]
        set_status(connection, row, _STATUS[decision], [*grounds, {"code": code, "why": why}])
    note(connection, actor, decision, digest, note=words)
