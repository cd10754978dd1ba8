"""How a server wants its requests written: found out once, by one small request."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which optional fields a server takes.

    ``include_usage``: ``stream_options.include_usage``; ``seed``: a seed; ``limit_name``: the name of the
    limit on generated tokens.
    """

    include_usage: bool = True
    seed: bool = True
    limit_name: str = "max_tokens"

    def adjusted(self, refusal: str) -> Dialect | None:
        """Return the dialect to try after the server refused a request with ``refusal``.

        Null when the refusal names nothing that may be left out.
        """
        if self.include_usage and re.search(r"stream_options|include_usage", refusal):
            return replace(self, include_usage=False)
        if self.limit_name == "max_tokens" and "max_completion_tokens" in refusal:
            return replace(self, limit_name="max_completion_tokens")
        if self.seed and re.search(r"\bseed\b", refusal):
            return replace(self, seed=False)
        return None
