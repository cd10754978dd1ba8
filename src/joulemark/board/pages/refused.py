"""The page of a request that is refused."""

from __future__ import annotations

from fastapi import Request, Response

from joulemark.board.pages.environment import page
from joulemark.board.refusal import Refused


def refused_page(request: Request, error: Refused) -> Response:
    """Say what, why and what to do."""
    answer = page(request, "refused", error.status, error=error)
    answer.headers.update(error.headers)
    return answer
