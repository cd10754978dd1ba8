"""Which joules belong to which item: derived, and can be made again from a run at any time."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.record.reason import Reason


@dataclass(frozen=True, slots=True)
class Attribution:
    """Energy of one item under one method and scope; joules null with a reason.

    ``lo``/``hi`` bound a measured item energy; they are null with reason ``allocated`` where requests
    overlapped and the share is a rule.
    """

    item_id: str
    repeat: int
    segment: int
    method: str
    scope: str
    joules: float | None
    lo: float | None
    hi: float | None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class AttributionCheck:
    """The stored proof that attribution adds up: items + idle + residual = total (joules)."""

    method: str
    scope: str
    total_j: float | None
    items_j: float | None
    idle_j: float | None
    residual_j: float | None
    reason: Reason | None = None
