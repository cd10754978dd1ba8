"""The extra that a board needs, and a plain word where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from joulemark.record.errors import InputError

_NEEDED = (
    "fastapi",
    "uvicorn",
    "sqlalchemy",
    "alembic",
    "pg8000",
    "python_multipart",
    "latex2mathml",
    "markdown_it",
)


def require_board() -> None:
    """Raise `InputError` where a package of the extra ``board`` is missing."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            "a board needs packages that are not installed",
            why=f"missing: {', '.join(missing)}",
            fix="pip install 'joulemark[board]'",
        )
