"""The body of an upload: a form with a file, or the file alone."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, BinaryIO

from fastapi import Depends, Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from joulemark.board.code_service.uploads import MAX_UPLOAD_BYTES
from joulemark.board.refusal import Refused

FORM = "multipart/form-data"
LINES = ("application/x-ndjson", "application/jsonl", "application/json")
_MAX_FIELDS = 16
_MAX_FIELD_BYTES = 16 << 10


@dataclass(frozen=True, slots=True)
class Received:
    """The texts of a form, or of the query where the body is the file itself; ``file`` is null for none."""

    fields: Mapping[str, str]
    file: BinaryIO | None


async def received(request: Request) -> AsyncIterator[Received]:
    """Yield what a request brings; its file is gone afterwards. Raises `Refused` (400, 413, 415)."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (FORM, *LINES):
        raise Refused(
            415,
            "the upload is of a kind that is not taken here",
            f"it is sent as {FORM}, or the file alone as one of {', '.join(LINES)}",
        )
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "the upload is packed", fix="send it as it is")
    if kind == FORM:
        found = await _form(request)
    else:
        found = Received(dict(request.query_params), io.BytesIO(await request.body()))
    try:
        if found.file is not None and found.file.seek(0, io.SEEK_END) > MAX_UPLOAD_BYTES:
            raise Refused(
                413,
                "the file is too large",
                f"at most {MAX_UPLOAD_BYTES >> 20} MiB are taken",
                "of each row only the id and the program are read: leave the rest out",
            )
        yield found
    finally:
        if found.file is not None:
            found.file.close()


Upload = Annotated[Received, Depends(received)]


async def _form(request: Request) -> Received:
    parser = MultiPartParser(
        request.headers,
        request.stream(),
        max_files=1,
        max_fields=_MAX_FIELDS,
        max_part_size=_MAX_FIELD_BYTES,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, UnicodeDecodeError, KeyError, ValueError) as error:
        raise Refused(
            400, "the form is malformed", f"one file and at most {_MAX_FIELDS} short fields are taken"
        ) from error
    fields: dict[str, str] = {}
    file: Any = None
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            file = value.file
        elif name in fields:
            raise Refused(400, "the form is malformed", "a field stands twice in it")
        elif value.strip():
            fields[name] = value.strip()
    return Received(fields, file)
