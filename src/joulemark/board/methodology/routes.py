"""The methodology: its page, and the definitions as JSON."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from joulemark.board.methodology.page import methodology_page
from joulemark.metrics.catalogue import all_definitions


class Definition(BaseModel):
    """What a figure is; see the methodology page."""

    name: str
    title: str
    unit: str
    latex: str
    inputs: list[str]
    withheld_when: list[str]
    source: str


def router() -> APIRouter:
    """Return the routes of the methodology."""
    routes = APIRouter(tags=["methodology"])
    routes.add_api_route("/api/v1/definitions", definitions_json)
    routes.add_api_route("/methodology", get_page, response_class=HTMLResponse, include_in_schema=False)
    return routes


def definitions_json() -> list[Definition]:
    """Return every figure's definition."""
    return [
        Definition(
            name=one.name,
            title=one.title,
            unit=one.unit,
            latex=one.latex,
            inputs=list(one.inputs),
            withheld_when=list(one.withheld_when),
            source=one.source,
        )
        for one in all_definitions()
    ]


def get_page() -> HTMLResponse:
    """Show how every figure is made, and when there is none."""
    return HTMLResponse(methodology_page())
