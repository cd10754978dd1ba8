"""All pages: each room brings a router of its own, this module only puts them together."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"


def add_pages(app: FastAPI) -> None:
    """Add every page, and the files that they use."""
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
