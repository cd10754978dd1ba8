"""The picker: its page, which works without scripts and by its address alone, and its API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool

from joulemark.board.judging.rung import Rung
from joulemark.board.pages.environment import render
from joulemark.board.picker.answer import answer
from joulemark.board.picker.answer_json import PickAnswer, answer_json
from joulemark.board.picker.candidates import Candidates, candidates
from joulemark.board.picker.pick_query import PickQuery
from joulemark.board.picker.question import FIELDS, PERCENTILES, Asked, Question, read_question
from joulemark.board.picker.shown import shown
from joulemark.board.refusal import Refused
from joulemark.board.standing.remembered import remembered
from joulemark.metrics.grid import grid_table
from joulemark.report.pick_words import OBJECTIVES

JSON, HTML = "application/json", "text/html; charset=utf-8"
_MOST_LISTED = 400
_TYPED: dict[int | str, dict[str, Any]] = {
    200: {"model": PickAnswer, "description": "What to run, and why others were ruled out"}
}


def router() -> APIRouter:
    """Return the routes of the picker."""
    routes = APIRouter(tags=["pick"])
    api = "/api/v1/pick"
    routes.add_api_route(api, get_answer, response_class=Response, responses=_TYPED)
    routes.add_api_route(api, post_answer, methods=["POST"], response_class=Response, responses=_TYPED)
    for method, call in (("GET", get_page), ("POST", post_page)):
        routes.add_api_route(
            "/pick", call, methods=[method], response_class=HTMLResponse, include_in_schema=False
        )
    return routes


def get_answer(request: Request, query: Annotated[PickQuery, Query()]) -> Response:
    """Say which model and configuration to run for a workload, what it costs, and how sure that is."""
    return _answered(request, query)


def post_answer(request: Request, query: PickQuery) -> Response:
    """Answer as GET does, for a sample that is too long for an address."""
    return _answered(request, query)


def get_page(request: Request) -> Response:
    """Show the form and, where it asks for something, the answer; the address is a permanent link to it."""
    return _page(request, dict(request.query_params))


async def post_page(request: Request) -> Response:
    """Answer a form whose sample is too long for an address."""
    async with request.form(max_files=0, max_fields=100, max_part_size=256 << 10) as form:
        given = {name: value for name, value in form.items() if isinstance(value, str)}
    return await run_in_threadpool(_page, request, given)


def _answered(request: Request, query: PickQuery) -> Response:
    asked = read_question(query.model_dump())
    if asked.question is None:
        why = "; ".join(f"{name or 'fields'}: {told}" for name, told in sorted(asked.errors.items()))
        raise Refused(
            422, "the question cannot be answered", why, "the form at /pick says what each field is"
        )
    engine, question = request.app.state.engine, asked.question
    known = candidates(engine)

    def made() -> bytes:
        rates = question.rates.model_dump(exclude_defaults=True)
        return answer_json(answer(known, question), rates)

    key = ("pick", "json", known.version, _key(question))
    return Response(remembered(engine).get(key, made), media_type=JSON)


def _page(request: Request, given: Mapping[str, str]) -> Response:
    engine = request.app.state.engine
    asked = read_question(given) if any(value.strip() for value in given.values()) else Asked({}, None, {})
    status = 422 if asked.errors else 200
    known = candidates(engine)  # asked for once: each time it is a query
    if asked.errors:
        return HTMLResponse(_drawn(known, asked), status)
    key = ("pick", "page", known.version, tuple(sorted(asked.typed.items())))
    return Response(remembered(engine).get(key, lambda: _drawn(known, asked).encode()), media_type=HTML)


def _drawn(known: Candidates, asked: Asked) -> str:
    all_, question = known.among(), asked.question
    found = None if question is None else shown(answer(known, question), question)
    return render(
        "pick",
        path="/pick",
        asked=asked,
        found=found,
        permalink=None if question is None else _permalink(asked, question),
        per_request=None if found is None or question is None else _per_request(asked, question, found),
        objectives=OBJECTIVES,
        zones=_zones(),
        rungs=[("", "any"), *((str(int(rung)), rung.title) for rung in list(Rung)[1:])],
        choices={name: all_.values(name)[:_MOST_LISTED] for name in ("hardware", "model", "task")},
        more=[name for name in FIELDS if name.endswith(PERCENTILES[1:]) and name in asked.typed],
    )


def _per_request(asked: Asked, question: Question, found: Mapping[str, Any]) -> str | None:
    """Return the parameters of the same question, without the accuracy; null: no more are found."""
    lacking = found["lacks_accuracy"]
    if lacking is None:
        return None
    return _permalink(replace(asked, typed={**asked.typed, "by": lacking["by"]}), question)


@cache
def _zones() -> Markup:
    """Return the zones of the grid table as options: they are the same on every page."""
    option = Markup('<option value="{}">{}</option>')
    return Markup("").join(option.format(row.zone, row.name) for row in grid_table().values())


def _permalink(asked: Asked, question: Question) -> str:
    """Return the parameters of the address that asks the same; of a sample, by the mean and the spread."""
    fields = {name: text for name, text in asked.typed.items() if name != "sample"}
    if "sample" in asked.typed:
        workload = question.workload
        for name, mean, variance in (
            ("prompt_tokens", workload.prompt_tokens, workload.covariance[0][0]),
            ("completion_tokens", workload.completion_tokens, workload.covariance[1][1]),
        ):
            fields[name] = f"{mean:.1f}±{variance**0.5:.1f}"
        fields.pop("characters_per_token", None)
    return urlencode(fields)


def _key(question: Question) -> tuple[object, ...]:
    rates = question.rates.model_dump_json(exclude_defaults=True)
    return question.workload, question.wanted, rates, question.rung
