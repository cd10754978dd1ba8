"""Who a Shelly says it is at ``/shelly``, which needs no login: asked before a password goes anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.plugs.payload import plain

_LONGEST_ID = 64


@dataclass(frozen=True, slots=True)
class Identity:
    """One device. ``unit`` tells it from every other one, ``scheme`` is the login of its generation.

    The first generation has HTTP Basic, which gives the password to whoever asks; later ones have Digest.
    """

    unit: str
    scheme: Literal["basic", "digest"]

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Identity:
        """Read the answer of ``/shelly``; raises `Unanswered` (``wrong_device``) for anything else."""
        generation = facts.get("gen")
        is_first = "gen" not in facts and isinstance(facts.get("type"), str)
        is_later = isinstance(generation, int) and generation >= 2
        unit = plain(facts.get("mac" if is_first else "id"), _LONGEST_ID)
        if unit is None or not (is_first or is_later):
            raise Unanswered("wrong_device")
        return cls(unit, "basic" if is_first else "digest")
