"""Answering the challenge of a server that wants a password: HTTP Basic, and Digest with SHA-256.

Digest is RFC 7616, section 3.4, as Shelly's second generation and later use it (user ``admin``, ``qop=auth``,
``algorithm=SHA-256``; shelly-api-docs.shelly.cloud/gen2/General/Authentication). Firmware from 2.0.0 on takes
one nonce for many requests with a rising ``nc``; older firmware asks anew each time, which costs a second
request.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass

_PARAMETER = re.compile(r'([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_LONGEST = 4096


@dataclass(slots=True)
class Challenge:
    """What a ``WWW-Authenticate`` field asks for. ``uses`` counts the requests made with its nonce."""

    scheme: str
    parameters: dict[str, str]
    uses: int = 0

    @classmethod
    def parse(cls, field: str) -> Challenge | None:
        """Read the field's value; null where it asks for something that is not spoken here."""
        scheme, _, rest = field[:_LONGEST].strip().partition(" ")
        found = {m[1].lower(): m[3] if m[2] is None else m[2] for m in _PARAMETER.finditer(rest)}
        if scheme.lower() == "basic":
            return cls("basic", found)
        spoken = found.get("algorithm", "").upper() == "SHA-256" and "auth" in re.split(
            r"[\s,]+", found.get("qop", "")
        )
        if scheme.lower() == "digest" and spoken and found.get("nonce") and "realm" in found:
            return cls("digest", found)
        return None

    def authorization(self, user: str, password: str, path: str) -> str:
        """Return the ``Authorization`` field for the next GET of ``path``."""
        if self.scheme == "basic":
            return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.uses += 1
        realm, nonce = self.parameters["realm"], self.parameters["nonce"]
        count, cnonce = f"{self.uses:08x}", secrets.token_hex(16)
        secret = _sha256(f"{user}:{realm}:{password}")
        response = _sha256(f"{secret}:{nonce}:{count}:{cnonce}:auth:{_sha256(f'GET:{path}')}")
        parts = [
            f'username="{user}"',
            f'realm="{realm}"',
            f'nonce="{nonce}"',
            f'uri="{path}"',
            "algorithm=SHA-256",
            "qop=auth",
            f"nc={count}",
            f'cnonce="{cnonce}"',
            f'response="{response}"',
        ]
        if opaque := self.parameters.get("opaque"):
            parts.append(f'opaque="{opaque}"')
        return "Digest " + ", ".join(parts)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
