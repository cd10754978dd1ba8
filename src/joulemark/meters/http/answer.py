"""An HTTP answer as it comes in: within limits, unpacked, and whole or a reason why not."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime

import httptools

from joulemark.meters.http.deadline import Unanswered

HEAD_LIMIT_BYTES = 32 * 1024  # status line and header fields, those of interim answers included
LATEST_S = 9.2e9  # Unix time: what is later does not fit 64 bits of nanoseconds
_LONGEST_DATE = 60
_GZIP_BITS = 31
_CHUNKED = 6  # bytes that arrive for one byte of a body, in chunks of one byte


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said. Names in ``headers`` are lower-case; of one that came twice the first holds."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def date_s(self) -> float | None:
        """The server's clock by its ``Date`` field (RFC 9110, whole seconds), Unix time; null if untold."""
        return date_s(self.headers.get("date"))


def date_s(text: str | None) -> float | None:
    """Return an HTTP date as Unix time; null for anything else."""
    if text is None or len(text) > _LONGEST_DATE:
        return None
    try:
        stamp = parsedate_to_datetime(text)
        at_s = stamp.replace(tzinfo=stamp.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        return None
    return at_s if 0 <= at_s < LATEST_S else None


def status_reason(status: int) -> str | None:
    """Return the reason code of a status that is no success; null for 200."""
    if status == 200:
        return None
    if 300 <= status < 400:
        return "redirected"
    return {403: "forbidden", 404: "not_found"}.get(status, f"http_{status}")


class NothingCame(Exception):
    """The connection ended before the first byte of an answer."""


class _Surplus(Exception):
    """A second answer began, though one was asked for."""


class Incoming:
    """The answer as it arrives; callbacks are those of `httptools.HttpResponseParser`."""

    def __init__(self, limit_bytes: int) -> None:
        self.complete, self.keep, self.received_bytes = False, False, 0
        self._limit_bytes = limit_bytes
        self._parser = httptools.HttpResponseParser(self)
        self._begin()

    def _begin(self) -> None:
        self._status, self._headers, self._body = 0, dict[str, str](), bytearray()
        self._has_headers = False

    def feed(self, data: bytes) -> None:
        """Take what came; empty data is the end of the stream. Raises `Unanswered`, `NothingCame`."""
        if not data:
            return self._end()
        self.received_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserCallbackError as error:
            if isinstance(error.__context__, Unanswered):
                raise error.__context__ from None
            if not isinstance(error.__context__, _Surplus):
                raise Unanswered("not_http") from error
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise Unanswered("not_http") from error
        # Beside the body only heads and the sizes of chunks can come; what trails it counts as a head.
        most_bytes = HEAD_LIMIT_BYTES + min(_CHUNKED * len(self._body), 2 * self._limit_bytes)
        if self.received_bytes > most_bytes and not self.complete:
            raise self._too_large()
        return None

    def answer(self) -> Answer:
        """Return what came, unpacked. Raises `Unanswered`: ``unknown_encoding``, ``bad_gzip``, ``too_large``.

        The body of an answer that is no success is empty where it cannot be unpacked: its status says enough.
        """
        try:
            body = self._plain()
        except Unanswered:
            if self._status == 200:
                raise
            body = b""
        return Answer(self._status, self._headers, body)

    def _plain(self) -> bytes:
        encoding = self._headers.get("content-encoding", "identity").lower()
        if encoding == "identity":
            return bytes(self._body)
        if encoding != "gzip":
            raise Unanswered("unknown_encoding", f"as {encoding[:20]}")
        unpacker = zlib.decompressobj(_GZIP_BITS)
        try:
            plain = unpacker.decompress(self._body, self._limit_bytes + 1)
        except zlib.error as error:
            raise Unanswered("bad_gzip") from error
        if len(plain) > self._limit_bytes:
            raise self._too_large()
        if not unpacker.eof:
            raise Unanswered("bad_gzip", "it is cut")
        return plain

    def _too_large(self) -> Unanswered:
        return Unanswered("too_large", f"more than {self._limit_bytes:,} bytes")

    def _end(self) -> None:
        if not self.received_bytes:
            raise NothingCame
        length_known = {"content-length", "transfer-encoding"} & self._headers.keys()
        if not self._has_headers or length_known:
            raise Unanswered("cut_off")
        self.complete = True  # HTTP/1.0 style: the end of the stream is the end of the body

    def on_message_begin(self) -> None:
        """Take the beginning of an answer."""
        self.keep = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header field; one that trails the body says nothing any more."""
        if not self._has_headers:
            self._headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())

    def on_headers_complete(self) -> None:
        """Note that the body begins; a second one is not what was asked for."""
        if self.complete:
            raise _Surplus
        self._has_headers = True
        self._status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        if len(self._body) + len(body) > self._limit_bytes:
            raise self._too_large()
        self._body += body

    def on_message_complete(self) -> None:
        """Note that nothing is missing; of an interim answer, that the real one follows."""
        if 100 <= self._status < 200:
            self._begin()
            return
        self.complete = True
        self.keep = bool(self._parser.should_keep_alive())
