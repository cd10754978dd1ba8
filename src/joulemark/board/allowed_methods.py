"""Which methods an address of the API takes: for ``Allow``, of which a router knows its first route alone."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI

_PARAMETER = re.compile(r"\\\{[^/{}]*\\\}")
_METHODS = ("get", "head", "post", "put", "patch", "delete", "options")


def allowed_methods(app: FastAPI, path: str) -> list[str]:
    """Return the methods of a path as the schema has them; none for a path that is not in it."""
    found: set[str] = set()
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    for template, item in paths.items():
        pattern = _PARAMETER.sub("[^/]+", re.escape(template))
        if re.fullmatch(pattern, path):
            found |= {method.upper() for method in _METHODS if method in item}
    return sorted(found)
