"""Commitments to answers: they can be opened later, for an audit, and not be forged now."""

from __future__ import annotations

import hashlib
import hmac

from joulemark.meters.privacy import load_salt


def commitment_key() -> bytes:
    """Return this machine's key for commitments, derived from its local salt."""
    return hmac.new(load_salt(), b"answer commitments", hashlib.sha256).digest()


def commit(key: bytes, item_id: str, repeat: int, answer: str) -> str:
    """Return HMAC-SHA-256 over the item and its answer, in hex."""
    message = b"\0".join((item_id.encode(), str(repeat).encode(), answer.encode("utf-8", "surrogatepass")))
    return hmac.new(key, message, hashlib.sha256).hexdigest()
