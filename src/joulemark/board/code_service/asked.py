"""The questions of readers of the code-efficiency leaderboard, as parameters of addresses."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends
from fastapi import Query as Parameter

from joulemark.board.code_service.figures import NAMES, View
from joulemark.board.code_service.standings import Query
from joulemark.board.refusal import Refused

Text = Annotated[str | None, Parameter(max_length=120)]
Sort = Annotated[str | None, Parameter(max_length=60, json_schema_extra={"enum": ["", *NAMES]})]
Order = Annotated[str | None, Parameter(pattern="^(asc|desc)?$")]


def query_of(
    dataset: Text = None,
    environment: Text = None,
    model: Text = None,
    figures: View = View.PAPER,
    sort: Sort = None,
    order: Order = None,
) -> Query:
    """Return what is asked for. A parameter that is empty, as a form sends it, asks for nothing."""
    if sort and sort not in NAMES:
        raise Refused(422, "there is no such figure to sort by", fix=f"one of: {', '.join(NAMES)}")
    return Query(
        dataset=dataset or None,
        environment=environment or None,
        model=(model or "").strip() or None,
        view=figures,
        sort=sort or "pass_at_1",
        descending=None if not order else order == "desc",
    )


Asked = Annotated[Query, Depends(query_of)]


def address(query: Query, **changed: str | None) -> str:
    """Return a question as the part of an address behind the path, with some of it changed."""
    said = {
        "dataset": query.dataset,
        "environment": query.environment,
        "model": query.model,
        "figures": None if query.view is View.PAPER else query.view.value,
        "sort": None if query.sort == "pass_at_1" else query.sort,
        "order": None if query.descending is None else ("desc" if query.descending else "asc"),
        **changed,
    }
    told = urlencode({name: value for name, value in said.items() if value})
    return f"?{told}" if told else ""
