"""A candidate of the picker as plain JSON and back, exactly: what a board keeps of a run to price with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from joulemark.metrics.picking import Candidate
from joulemark.record.manifest import Rates
from joulemark.record.published import Unit


class _Document(BaseModel):
    """The config holds for every part below: no unknown field, no foreign type, no number that is none."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)

    candidate: Candidate


# names that the candidate's modules import for type checkers alone
_Document.model_rebuild(_types_namespace={"Candidate": Candidate, "Rates": Rates, "Unit": Unit})


def to_json(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate as plain JSON values; fields that are as their defaults are left out."""
    found: dict[str, Any] = _Document.model_construct(candidate=candidate).model_dump(
        mode="json", exclude_defaults=True
    )["candidate"]
    return found


def of_json(document: Mapping[str, Any]) -> Candidate:
    """Return the candidate of a document; raises ``ValueError`` for one that `to_json` did not write."""
    return of_text(json.dumps(document, allow_nan=False))  # orjson knows no integer beyond 64 bits


def of_text(text: str | bytes) -> Candidate:
    """Return the candidate of a document as text, the quickest way: some 20 µs; raises ``ValueError``."""
    whole = text if isinstance(text, bytes) else text.encode()
    return _Document.model_validate_json(b'{"candidate":' + whole + b"}").candidate
