"""What a board is told when it is started."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """``database_url`` is as `read_url` takes it. ``public_url`` is where readers reach the board, null for
    the request's own address.

    ``moderator_key`` opens the moderation pages; null: nobody can. ``submissions_per_hour`` and
    ``requests_per_minute`` are per address of a client, ``submissions_per_key_per_day`` per signer.
    ``behind_proxy``: the address of a client is the last of ``X-Forwarded-For``, which only a proxy may
    write.
    ``body_deadline_s``: seconds that a request's body may take; ``verify_deadline_s``: of the processor's
    time that the examination of a bundle may take.
    ``code_service`` tells whether generated code may be uploaded here.
    """

    database_url: str
    public_url: str | None = None
    moderator_key: str | None = None
    submissions_per_hour: int = 60
    submissions_per_key_per_day: int = 500
    requests_per_minute: int = 600
    behind_proxy: bool = False
    body_deadline_s: float = 60.0
    verify_deadline_s: float = 60.0
    code_service: bool = False
