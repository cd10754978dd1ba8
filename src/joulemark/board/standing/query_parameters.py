"""The questions of readers as parameters of addresses: validated, and never more than values."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query as Parameter

from joulemark.board.refusal import Refused
from joulemark.board.standing.figure_names import NAMES
from joulemark.board.standing.listing import Order, Query
from joulemark.board.standing.repriced import MOST_GRID, MOST_PRICE, OwnRates

_LONGEST = 200
Text = Annotated[str | None, Parameter(max_length=_LONGEST)]
Sort = Annotated[str | None, Parameter(max_length=60, json_schema_extra={"enum": ["", *NAMES]})]
Rate = Annotated[str | None, Parameter(max_length=20, pattern=r"^[0-9]*\.?[0-9]*$")]
"""A number of zero or more as a form sends it; empty for none."""


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
    usd_per_kwh: Rate = None,
    gco2e_per_kwh: Rate = None,
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
        rates=OwnRates(
            _rate(usd_per_kwh, MOST_PRICE, "usd_per_kwh"), _rate(gco2e_per_kwh, MOST_GRID, "gco2e_per_kwh")
        ),
    )


def _rate(text: str | None, most: float, name: str) -> float | None:
    if not text or text == ".":
        return None
    rate = float(text)
    if rate > most:
        raise Refused(422, f"{name} is more than {most:g}", fix="give it a kWh, in US dollars or in grams")
    return rate


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
    told = {name: str(value) for name in names if (value := getattr(query, name)) is not None}
    rates = {"usd_per_kwh": query.rates.usd_per_kwh, "gco2e_per_kwh": query.rates.gco2e_per_kwh}
    return told | {name: f"{rate:g}" for name, rate in rates.items() if rate is not None}


def address(query: Query, **more: str | int) -> str:
    """Return the part of an address behind its path: what leads to the same answer again."""
    told = urlencode({**parameters(query), **{name: str(value) for name, value in more.items()}})
    return f"?{told}" if told else ""
