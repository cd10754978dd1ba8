"""The body of a request as bytes; `joulemark.board.intake.guard` has read it whole by then."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request

ZIP = "application/zip"
ZIP_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {ZIP: {"schema": {"type": "string", "format": "binary"}}}}
}


async def _body(request: Request) -> bytes:
    return await request.body()


Body = Annotated[bytes, Depends(_body)]
