"""Names that cannot be traced: device identities leave this machine only as salted hashes.

The salt is random, local and never shared. Deleting its file gives the machine a new identity.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
from pathlib import Path

from joulemark.files.atomic import create_whole
from joulemark.files.homes import data_home
from joulemark.record.errors import InputError

_SALT_BYTES = 32


def salt_path() -> Path:
    """Return where the salt lies."""
    return data_home() / "salt"


def load_salt(path: Path | None = None) -> bytes:
    """Return the local salt, made on first use with mode 0600.

    Raises `InputError` where it can neither be read nor made.
    """
    place = path or salt_path()
    try:
        with contextlib.suppress(FileNotFoundError):
            return _checked(place)
        create_whole(place, secrets.token_bytes(_SALT_BYTES))
        return _checked(place)
    except OSError as error:
        fix = f"make {place.parent} writable, or set XDG_DATA_HOME to a directory that is"
        raise InputError(
            f"the local salt {place} cannot be used", why=str(error.strerror), fix=fix
        ) from error


def hashed(identity: str, salt: bytes) -> str:
    """Return HMAC-SHA256 of ``identity`` under ``salt``, as 32 hex digits."""
    return hmac.new(salt, identity.encode(), hashlib.sha256).hexdigest()[:32]


def _checked(place: Path) -> bytes:
    salt = place.read_bytes()
    if len(salt) < _SALT_BYTES:
        fix = f"rm {place}   # a new one is made; this machine then counts as a new one"
        raise InputError(f"the local salt {place} is damaged", why=f"it has {len(salt)} bytes", fix=fix)
    return salt
