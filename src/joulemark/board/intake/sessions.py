"""Moderators that are signed in: kept in the memory of this process, gone when it ends."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from dataclasses import dataclass

LIFE_S = 8 * 3600.0
COOKIE = "board_session"
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Session:
    """``csrf`` stands in every form of the session, which another site cannot read.

    ``key_hash`` is of the key that it was opened with: it ends when that is revoked.
    """

    actor: str
    key_hash: str
    csrf: str
    ends_s: float


class Sessions:
    """The open sessions, by the hash of the token that the cookie holds."""

    def __init__(self) -> None:
        self._open: dict[str, Session] = {}
        self._lock = threading.Lock()

    def begin(self, actor: str, key_hash: str) -> str:
        """Open a session of who holds a key and return its token."""
        token, now = secrets.token_urlsafe(32), time.monotonic()
        made = Session(actor, key_hash, secrets.token_urlsafe(24), now + LIFE_S)
        with self._lock:
            self._open = {key: one for key, one in self._open.items() if one.ends_s > now}
            if len(self._open) >= _MOST:
                self._open.pop(next(iter(self._open)))
            self._open[_hash(token)] = made
        return token

    def find(self, token: str | None) -> Session | None:
        """Return the session of a token, null where it is none or over."""
        with self._lock:
            found = self._open.get(_hash(token or ""))
        return found if found is not None and found.ends_s > time.monotonic() else None

    def end(self, token: str | None) -> None:
        """Close the session of a token, where there is one."""
        with self._lock:
            self._open.pop(_hash(token or ""), None)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
