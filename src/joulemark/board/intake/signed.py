"""Statements that the signer of a bundle makes about it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.signing import is_signed

APPEAL = "joulemark-appeal"


def is_by(signer: str, kind: str, given: BaseModel, **more: Any) -> bool:
    """Tell whether ``given`` is signed by ``signer`` (public key, hex): all of it but key and signature.

    ``more`` are parts of the statement that are not sent with it. Only the key of the bundle itself counts.
    """
    document = given.model_dump(mode="json")
    public, signature = document.pop("public_key"), document.pop("signature")
    if public != signer or signature is None:
        return False
    try:
        message = canonical({**document, **more})
    except ValueError:
        return False
    return is_signed(kind, message, public, signature)
