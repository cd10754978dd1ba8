"""The members of a bundle from what it is about, and their signature."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.content import Content
from joulemark.bundles.submission.documents import Software, documents, starts_of
from joulemark.bundles.submission.item_lines import item_line
from joulemark.bundles.submission.reading_lines import reading_line
from joulemark.bundles.submission.signing import ALGORITHM, SigningKey


def members_of(content: Content, figures: Mapping[str, Any], software: Software) -> dict[str, bytes]:
    """Return the members that are signed. Raises ``ValueError`` or ``KeyError`` for what none can hold."""
    starts = starts_of(content.manifest)
    found = {name: canonical(document) for name, document in documents(content.manifest, software).items()}
    return {
        **found,
        m.FIGURES: canonical(dict(figures)),
        m.ITEMS: b"".join(item_line(row, starts) + b"\n" for row in content.rows),
        m.TELEMETRY: b"".join(reading_line(one, starts) + b"\n" for one in content.readings),
    }


def sign_members(members: Mapping[str, bytes], key: SigningKey) -> dict[str, bytes]:
    """Return all members: those given, the document that names and hashes them, and its signature."""
    bundle = canonical(
        {
            "format": m.FORMAT,
            "schema_version": m.SCHEMA_VERSION,
            "licence": m.LICENCE,
            "public_key": key.public,
            "members": {
                name: {"bytes": len(members[name]), "sha256": hashlib.sha256(members[name]).hexdigest()}
                for name in m.SIGNED
            },
        }
    )
    signature = canonical(
        {"algorithm": ALGORITHM, "public_key": key.public, "signature": key.sign("bundle", bundle)}
    )
    return {m.BUNDLE: bundle, m.SIGNATURE: signature, **{name: members[name] for name in m.SIGNED}}
