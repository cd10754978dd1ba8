"""All pages: each room brings a router of its own, this module only puts them together."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from joulemark.board.code_service import page_routes as code
from joulemark.board.code_service.wish_pages import wish_router
from joulemark.board.intake import moderation_pages, submit_pages
from joulemark.board.methodology import routes as methodology
from joulemark.board.picker import routes as picker
from joulemark.board.standing.page_routes import page_router

STATIC = Path(__file__).parent / "static"


def add_pages(app: FastAPI) -> None:
    """Add every page, and the files that they use."""
    app.include_router(page_router())
    app.include_router(submit_pages.router())
    app.include_router(moderation_pages.router())
    app.include_router(picker.router())
    app.include_router(methodology.router())
    app.include_router(code.page_router())
    app.include_router(wish_router())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
