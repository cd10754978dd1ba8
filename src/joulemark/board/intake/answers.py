"""What the API of submissions takes and answers, as its schema states it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from joulemark.board.standing.api_types import GroundJson

Status = Literal["accepted", "quarantined", "rejected", "withdrawn"]
HEX_64 = "^[0-9a-f]{64}$"
Digest = Annotated[str, Path(pattern=HEX_64, description="SHA-256 of the bundle, in hex")]
ChallengeId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
AppealId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Key = Annotated[str, StringConstraints(pattern=HEX_64)]
Signature = Annotated[str, StringConstraints(pattern="^[0-9a-f]{128}$")]
Words = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=3, max_length=2000, pattern=r"^[^\x00]*$")
]
"""Words that both databases can keep: PostgreSQL has no character 0."""


class ChallengeAnswer(BaseModel):
    """A challenge: which answers are to be opened, until when, and what came of it."""

    id: str
    digest: str
    issued_at: str
    due_at: str
    state: Literal["open", "passed", "failed", "lapsed"]
    asked: list[AskedAnswer]
    closed_at: str | None
    finding: list[FoundAnswer] | None


class AskedAnswer(BaseModel):
    """An answer that is to be opened."""

    item_id: str
    repeat: int


class FoundAnswer(AskedAnswer):
    """What came of opening it: ``same``, ``commitment`` (another answer), ``verdict`` (graded otherwise)."""

    outcome: Literal["same", "commitment", "verdict"]


class SubmissionAnswer(BaseModel):
    """A submission as it stands. ``appeal`` says how to appeal, null where there is nothing to appeal."""

    digest: str
    status: Status
    rung: int
    rung_title: str
    grounds: list[GroundJson]
    received_at: str
    signer: str
    run_id: str
    size_bytes: int
    joulemark_version: str | None
    nonce_fresh: bool
    reproduced_by: str | None
    challenges: list[ChallengeAnswer]
    page: str
    status_page: str
    appeal: str | None
    is_new: bool


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class WithdrawalGiven(_Given):
    """The signed statement of `joulemark.bundles.submission.submitting.withdrawal`."""

    bundle: Key
    format: Literal["joulemark-withdrawal"]
    schema_version: Literal["1"]
    public_key: Key
    signature: Signature


class WithdrawnAnswer(BaseModel):
    """What is left of a withdrawn submission."""

    digest: str
    status: Literal["withdrawn"]


class AppealGiven(_Given):
    """An appeal in words; with key and signature it counts as the submitter's own."""

    words: Words
    public_key: Key | None = None
    signature: Signature | None = None


class AppealAnswer(BaseModel):
    """An appeal as it stands."""

    id: str
    digest: str
    at: str
    is_signed: bool
    state: Literal["open", "granted", "denied"]


class ChallengeGiven(_Given):
    """How many answers are to be opened."""

    n: Annotated[int, Field(ge=1, le=64)] = 12
    due_days: Annotated[int, Field(ge=1, le=90)] = 14


class OpeningGiven(_Given):
    """An answer with the key of its commitment (32 bytes, hex)."""

    item_id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    repeat: int
    key: Key
    answer: Annotated[str, StringConstraints(max_length=1_000_000)]


class OpeningsGiven(_Given):
    """Every answer that a challenge asks for, signed by the bundle's key."""

    bundle: Key
    challenge: Annotated[str, StringConstraints(pattern="^[0-9a-f]{32}$")]
    answers: Annotated[list[OpeningGiven], Field(min_length=1, max_length=64)]
    format: Literal["joulemark-openings"]
    schema_version: Literal["1"]
    public_key: Key
    signature: Signature


class NonceGiven(_Given):
    """The task that a nonce is for."""

    task: Annotated[str, StringConstraints(pattern="^[a-z0-9_-]{1,60}$")]


class NonceAnswer(BaseModel):
    """A nonce, and the command that uses it."""

    nonce: str
    task: str
    issued_at: str
    expires_at: str
    command: str


class DecisionGiven(_Given):
    """What a moderator decides of a submission, with a note."""

    decision: Literal["accept", "reject", "quarantine", "audit"]
    note: Words


class AppealDecisionGiven(_Given):
    """Whether an appeal is granted, with a note."""

    grant: bool
    note: Words


class AuditLine(BaseModel):
    """What was done to a submission. Of moderators only that it was one."""

    id: int
    at: str
    actor: str
    action: str
    subject: str
    details: dict[str, Any]


class AuditAnswer(BaseModel):
    """Lines of the audit log, the newest first; ``before`` of the next page, null where there is none."""

    lines: list[AuditLine]
    before: int | None


ChallengeAnswer.model_rebuild()
