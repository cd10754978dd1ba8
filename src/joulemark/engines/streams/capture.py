"""Reading a captured response body from a file."""

from __future__ import annotations

from pathlib import Path

from joulemark.engines.streams.parse import parse
from joulemark.engines.streams.reply import Reply
from joulemark.record.errors import InputError

_CONTENT_TYPES = {
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
}


def parse_file(path: Path | str, read_size: int | None = None) -> Reply:
    """Read a captured body; ``read_size`` cuts it into reads of that many bytes.

    A file has no times: the stamps are the ordinals of the reads. The content type is guessed from the
    suffix, and from the bytes where that says nothing. Raises `InputError` if the file cannot be read.
    """
    path = Path(path)
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read the captured response {path}",
            why=error.strerror or str(error),
            fix="save a response body with `curl -sN … -o body.sse` and give its path",
        ) from None
    size = read_size or len(body) or 1
    if size < 0:
        raise InputError(f"a read of {size} bytes is none", fix="give a positive --read-size")
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    content_type = _CONTENT_TYPES.get(path.suffix.lower())
    return parse(list(enumerate(pieces)), content_type=content_type, status=None, t_end=len(pieces))
