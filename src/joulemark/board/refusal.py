"""What a board answers to a request that it does not do: a status, what, why, and what to do instead."""

from __future__ import annotations

from dataclasses import dataclass, field


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
