"""llama.cpp's list of its slots, ``/slots``: how many are at work. It is on where ``/metrics`` is not."""

from __future__ import annotations

import json

from joulemark.meters.engine_gauges.page import Account
from joulemark.meters.http.deadline import Unanswered
from joulemark.record.telemetry import Quantity

_BUSY = "is_processing"


def account_of_slots(body: bytes) -> Account:
    """Return how many slots are at work; raises `Unanswered` (``not_slots``) for anything but their list."""
    try:
        slots = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unanswered("not_slots", "it is no JSON") from error
    busy = [slot.get(_BUSY) for slot in slots if isinstance(slot, dict)] if isinstance(slots, list) else []
    if not busy or not all(isinstance(one, bool) for one in busy):
        raise Unanswered("not_slots", "it is no list of slots")
    return Account({Quantity.REQUESTS_RUNNING.value: float(busy.count(True))})
