"""Who packed a bundle: an Ed25519 key that stays on this machine. It proves origin, not truth."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from joulemark.files.atomic import create_whole
from joulemark.files.homes import data_home
from joulemark.files.own import read_own
from joulemark.record.errors import InputError

ALGORITHM = "Ed25519"
_CONTEXT = b"joulemark %s v1\n"  # what is signed is of one kind: no bundle's signature is a withdrawal's
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key. Its ``repr`` does not show it."""

    _private: Ed25519PrivateKey

    @classmethod
    def new(cls) -> SigningKey:
        """Return a fresh key that lies nowhere."""
        return cls(Ed25519PrivateKey.generate())

    @property
    def public(self) -> str:
        """The public key, in hex."""
        return self._private.public_key().public_bytes_raw().hex()

    def sign(self, kind: str, message: bytes) -> str:
        """Return the signature of a message of a kind (``bundle``, ``withdrawal``), in hex."""
        return self._private.sign(_CONTEXT % kind.encode() + message).hex()


def key_path() -> Path:
    """Return where this user's key lies."""
    return data_home() / "submission-key"


def load_key(path: Path | None = None) -> SigningKey:
    """Return this user's key, made on first use with mode 0600.

    Raises `InputError` where it can neither be read nor made, and where others may have written it.
    """
    place = path or key_path()
    try:
        if not place.exists():
            create_whole(place, Ed25519PrivateKey.generate().private_bytes_raw())
        raw = read_own(place, most_bytes=_KEY_BYTES)
    except OSError as error:
        raise InputError(
            f"the signing key {place} cannot be used",
            why=error.strerror or str(error),
            fix=f"make {place.parent} writable, or remove the file: a new key makes you a new submitter",
        ) from error
    if len(raw) != _KEY_BYTES:
        raise InputError(
            f"the signing key {place} is damaged",
            why=f"it has {len(raw)} bytes",
            fix=f"rm {place}   # a new one is made; you then count as a new submitter",
        )
    return SigningKey(Ed25519PrivateKey.from_private_bytes(raw))


def is_signed(kind: str, message: bytes, public: str, signature: str) -> bool:
    """Tell whether the holder of a public key (hex) signed a message of a kind."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), _CONTEXT % kind.encode() + message)
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: str) -> str:
    """Return a public key (hex) as people compare it: the first 16 hex digits of its SHA-256 in fours."""
    digest = hashlib.sha256(bytes.fromhex(public)).hexdigest()[:16]
    return " ".join(digest[at : at + 4] for at in range(0, 16, 4))
