"""The secret of a job: who has it may cancel it, and read the programs in it. Only its hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass

LEAST_KEY_CHARS, MOST_KEY_CHARS = 16, 200


@dataclass(frozen=True, slots=True)
class Identity:
    """The id of a job and its secret."""

    job_id: str
    secret: str

    @property
    def secret_hash(self) -> str:
        """Return what is kept of the secret."""
        return hash_of(self.secret)


def new_identity() -> Identity:
    """Return an id and a secret that nobody can guess."""
    return Identity(secrets.token_hex(16), secrets.token_urlsafe(24))


def identity_of(key: str, request_digest: str) -> Identity:
    """Return the id and the secret that belong to an ``Idempotency-Key`` and what was sent with it.

    The same request gives both again, so that an answer that was lost can be had a second time.
    """
    job_id = hashlib.sha256(b"job\0" + key.encode()).hexdigest()[:32]
    mixed = hmac.digest(key.encode(), b"secret\0" + request_digest.encode(), "sha256")
    return Identity(job_id, urlsafe_b64encode(mixed[:24]).decode())


def hash_of(secret: str) -> str:
    """Return the SHA-256 of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def opens(secret: str | None, secret_hash: str) -> bool:
    """Tell whether a secret is the one that was hashed."""
    return secret is not None and hmac.compare_digest(hash_of(secret), secret_hash)
