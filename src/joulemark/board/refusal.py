"""What a board answers to a request that it does not do: a status, what, why, and what to do instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel


@dataclass
class Refused(Exception):
    """A request that is refused. ``status`` is one of HTTP's 4xx; no word of the request is echoed."""

    status: int
    what: str
    why: str = ""
    fix: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, str]:
        """Return the answer's body; ``detail`` is the sentence that `joulemark bench submit` prints."""
        detail = self.what + (f": {self.why}" if self.why else "")
        return {"detail": detail, "what": self.what, "why": self.why, "fix": self.fix}


class Refusal(BaseModel):
    """The body of an answer that refuses. ``detail`` is all of it in one sentence."""

    detail: str
    what: str
    why: str
    fix: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": told}
    for status, told in (
        (400, "It cannot be read"),
        (408, "The body took too long"),
        (413, "The body is too large"),
        (422, "It is read, and not taken: why stands in the answer"),
        (429, "Too often; Retry-After says when again"),
    )
}
"""What every route may answer; one that answers more declares it with `refusals`."""


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the declaration of further refusals, for a route's ``responses``."""
    told = {
        401: "No key, or none that is known",
        403: "Not with this key",
        404: "There is none",
        409: "It contradicts what is stored",
        410: "It was withdrawn",
        415: "Another type of content",
        503: "Not now",
    }
    return {status: {"model": Refusal, "description": told[status]} for status in statuses}
