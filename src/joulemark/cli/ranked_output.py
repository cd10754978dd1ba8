"""What ``pick`` and ``recommend`` print of their answer: JSON, or words, and where the page lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from joulemark.bundles.each_once import Unread


def page_fix(page: Path) -> str:
    """Return what to do where the page cannot be written."""
    return f"make {page.parent} a folder that you may write in, or name another file with --html"


def show(
    document: Mapping[str, Any],
    print_words: Callable[[Console], None],
    *,
    unread: Unread,
    page: Path | None,
    as_json: bool,
) -> None:
    """Print ``document`` with what could not be read and the page, or let ``print_words`` say it."""
    if as_json:
        import orjson

        told = {
            **document,
            "unread": [{"path": path, "why": why} for path, why in unread],
            "page": None if page is None else str(page),
        }
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    print_words(Console())
    if page is not None:
        click.echo(f"\npage: {page.resolve()}")
