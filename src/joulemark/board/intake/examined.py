"""What a board learns of a bundle by recomputing it, before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from joulemark.board.judging.facts import RunFacts
from joulemark.board.standing.run_columns import RunColumns

Follows = Literal["follow", "differ", "unknown"]


@dataclass(frozen=True, slots=True)
class Examined:
    """A bundle that verifies.

    ``marks`` are of `joulemark.board.judging.marks`; ``candidate`` is JSON of `joulemark.board.picker`, null
    where the run cannot price. ``order`` tells whether the questions are those, in that order, which the
    run's nonce picks; ``unknown`` where there is no nonce, or the board does not have the questions.
    """

    facts: RunFacts
    columns: RunColumns
    candidate: Mapping[str, Any] | None
    marks: tuple[int, ...]
    joulemark_version: str | None
    order: Follows

    @property
    def digest(self) -> str:
        """SHA-256 of the bundle, in hex."""
        return self.facts.digest


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Bytes that are no bundle (``check`` is null), or a bundle that does not verify, and why."""

    check: str | None
    why: str
