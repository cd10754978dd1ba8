"""An HTTP answer as it comes in: its headers, its body within a limit, and whether it is whole."""

from __future__ import annotations

import contextlib
import json
import zlib
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httptools

_GZIP_BITS = 31


class ScrapeFailed(Exception):
    """Nothing usable came back. ``reason`` is a code for records, ``detail`` words for the user."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class Page:
    """A body and what the server says of it. ``date_s`` is the server's clock in seconds of UTC, if told."""

    body: bytes
    content_type: str = ""
    date_s: float | None = None


class Answering:
    """Takes the parser's calls; the names of its methods are httptools'. Then it is a `page` or a failure."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.parser = httptools.HttpResponseParser(self)
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.has_headers = self.is_whole = False
        self.is_too_large = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1").strip()

    def on_headers_complete(self) -> None:
        """Note that the body begins."""
        self.has_headers = True

    def on_body(self, data: bytes) -> None:
        """Take a piece of the body; what is over the limit is dropped."""
        self.is_too_large = self.is_too_large or len(self.body) + len(data) > self.limit_bytes
        if not self.is_too_large:
            self.body += data

    def on_message_complete(self) -> None:
        """Note that nothing is missing."""
        self.is_whole = True

    @property
    def ends_with_connection(self) -> bool:
        """Whether only the end of the connection tells the end of the body."""
        return self.has_headers and not self.headers.keys() & {"content-length", "transfer-encoding"}

    def page(self) -> Page:
        """Return what came; raises `ScrapeFailed` where that is no whole answer of status 200."""
        if self.is_too_large:
            raise ScrapeFailed("too_large", f"the page is larger than {self.limit_bytes:,} bytes")
        if not self.is_whole and not self.ends_with_connection:
            raise ScrapeFailed("cut", "the connection ended before the answer did")
        status = int(self.parser.get_status_code())
        if status != 200:
            raise ScrapeFailed(f"http_{status}", self._words())
        return Page(self._plain(), self.headers.get("content-type", ""), _date_s(self.headers.get("date")))

    def _words(self) -> str:
        """Return the beginning of an error's body, for a server that says why."""
        text = bytes(self.body[:4096]).decode(errors="replace")
        with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
            text = str(json.loads(text)["error"])  # as a Prometheus server has it
        return "" if "<" in text else " ".join(text.split())[:200]

    def _plain(self) -> bytes:
        encoding = self.headers.get("content-encoding", "identity").lower()
        if encoding == "identity":
            return bytes(self.body)
        if encoding != "gzip":
            raise ScrapeFailed("unknown_encoding", f"the body is encoded as {encoding[:20]}")
        unpacker = zlib.decompressobj(_GZIP_BITS)
        try:
            plain = unpacker.decompress(self.body, self.limit_bytes + 1)
        except zlib.error as error:
            raise ScrapeFailed("bad_gzip", "the compressed body cannot be unpacked") from error
        if len(plain) > self.limit_bytes:
            raise ScrapeFailed("too_large", f"the page is larger than {self.limit_bytes:,} bytes")
        if not unpacker.eof:
            raise ScrapeFailed("bad_gzip", "the compressed body is cut")
        return plain


def _date_s(text: str | None) -> float | None:
    try:
        return None if text is None else parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
