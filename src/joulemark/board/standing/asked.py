"""The questions of readers as parameters of addresses: validated, and never more than values."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query as Parameter

from joulemark.board.refusal import Refused
from joulemark.board.standing.figure_names import NAMES
from joulemark.board.standing.listing import Order, Query

_LONGEST = 200
Text = Annotated[str | None, Parameter(max_length=_LONGEST)]
Sort = Annotated[str | None, Parameter(max_length=60, json_schema_extra={"enum": ["", *NAMES]})]
Filters = tuple[tuple[str, str], ...]


def query_of(
    task: Text = None,
    table: Text = None,
    hardware: Text = None,
    tier: Literal["A", "B", "C", "none", ""] | None = None,
    engine: Text = None,
    quantization: Text = None,
    kind: Literal["measured", "published", "simulated", ""] | None = None,
    rung: Literal["0", "1", "2", "3", "4", "5", "6", ""] | None = None,
    model: Text = None,
    sort: Sort = None,
    order: Literal["asc", "desc", ""] | None = None,
) -> Query:
    """Return what is asked for. A parameter that is empty, as a form sends it, asks for nothing."""
    if sort and sort not in NAMES:
        raise Refused(422, "there is no such figure to sort by", fix=f"one of: {', '.join(NAMES)}")
    direction: Order | None = order or None
    return Query(
        task=task or None,
        table=table or None,
        hardware=(hardware or "").strip() or None,
        tier=tier or None,
        engine=engine or None,
        quantization=quantization or None,
        kind=kind or None,
        rung=int(rung) if rung else None,
        model=(model or "").strip() or None,
        sort=sort or None,
        order=direction,
    )


def parameters(query: Query) -> dict[str, str]:
    """Return a question as the parameters of an address, those that ask for something."""
    names = (
        "task",
        "table",
        "hardware",
        "tier",
        "engine",
        "quantization",
        "kind",
        "rung",
        "model",
        "sort",
        "order",
    )
    return {name: str(value) for name in names if (value := getattr(query, name)) is not None}


def address(query: Query, **more: str | int) -> str:
    """Return the part of an address behind its path: what leads to the same answer again."""
    told = urlencode({**parameters(query), **{name: str(value) for name, value in more.items()}})
    return f"?{told}" if told else ""
