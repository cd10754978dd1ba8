"""Names that cannot be traced: device identities leave this machine only as salted hashes.

The salt is random, local and never shared. Deleting its file gives the machine a new identity.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from joulemark.record.errors import InputError

_SALT_BYTES = 32


def data_home() -> Path:
    """Return the directory for the user's data (XDG base directory specification)."""
    configured = os.environ.get("XDG_DATA_HOME", "")
    # the specification wants relative paths ignored
    base = Path(configured) if os.path.isabs(configured) else Path.home() / ".local" / "share"
    return base / "joulemark"


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
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create(place)
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


def _create(place: Path) -> None:
    """Write a whole salt under its final name at once, so that a second process never sees half of it."""
    draft = place.with_name(f".salt-{os.getpid()}-{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_SALT_BYTES))
            file.flush()
            os.fsync(file.fileno())
        # a link fails where another process was first, and then that one's salt holds
        with contextlib.suppress(FileExistsError):
            _link(draft, place)
    finally:
        draft.unlink(missing_ok=True)


def _link(draft: Path, place: Path) -> None:
    try:
        os.link(draft, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        draft.rename(place)
