"""Commitments to answers: they can be opened one by one later, for an audit, and not be forged now.

Each answer has a key of its own, derived from this machine's, so that opening one tells nothing of any other.
"""

from __future__ import annotations

import hashlib
import hmac

from joulemark.meters.privacy import load_salt

KEY_BYTES = 32


def commitment_key() -> bytes:
    """Return this machine's key for commitments, derived from its local salt."""
    return hmac.new(load_salt(), b"answer commitments", hashlib.sha256).digest()


def answer_key(key: bytes, item_id: str, repeat: int) -> bytes:
    """Return the key of one answer's commitment: what is given away when it is opened."""
    place = b"\0".join((b"answer", item_id.encode(), str(repeat).encode()))
    return hmac.new(key, place, hashlib.sha256).digest()


def commit(key: bytes, item_id: str, repeat: int, answer: str) -> str:
    """Return the commitment to an answer under this machine's key, in hex."""
    return committed(answer_key(key, item_id, repeat), answer)


def committed(one_key: bytes, answer: str) -> str:
    """Return HMAC-SHA-256 of an answer under its own key of `KEY_BYTES`, in hex."""
    return hmac.new(one_key, answer.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
