"""The templates of the board: where they lie and what every page is given."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from fastapi import Request
from fastapi.responses import HTMLResponse

import joulemark
from joulemark.report.templates import coded

STATIC = Path(__file__).parent / "static"
"""Style sheets and scripts, which a server mounts and a site copies."""


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        # the parts of a run's report are those of its evidence
        loader=jinja2.ChoiceLoader(
            [
                jinja2.PackageLoader("joulemark.board.pages", "templates"),
                jinja2.PackageLoader("joulemark.report", ""),
            ]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["coded"] = coded
    return environment


def render(name: str, root: str = "", **given: Any) -> str:
    """Return a page as text. ``root`` stands before every address: empty on a server, relative in files."""
    return (
        _environment()
        .get_template(f"{name}.html.jinja")
        .render(root=root, version=joulemark.__version__, **given)
    )


def page(request: Request, name: str, status: int = 200, **given: Any) -> HTMLResponse:
    """Answer with a page; ``request`` is there so that a page can link to itself."""
    return HTMLResponse(render(name, path=request.url.path, **given), status)
