"""One answer while it is being received. The hot path: a read costs a stamp, a parse and an append."""

from __future__ import annotations

import ssl

import httptools

from joulemark.engines.exchange import Exchange
from joulemark.engines.streams import EndDetector

UNHEARD_NS = 500_000_000  # longer than a closing travels; an engine that took longer may have worked
MAX_READS = 1_000_000  # a read takes ~130 bytes beside its data, which ``max_bytes`` does not count
_BODYLESS = (204, 304)
_PARSER_ERRORS = (httptools.HttpParserError, httptools.HttpParserUpgrade)


class Answer:
    """Takes the bytes of one response as they come and knows when it is over.

    It is the callback object of its parser, which looks the names ``on_…`` up once. ``t_last`` is the stamp
    of the latest read (at first: of sending), ``t_end`` that of the end, null while there is none.
    ``unheard``: the connection was gone at once, before one byte had come. On a connection that had served
    before, the server was closing it when the request was written.
    """

    __slots__ = (
        "_body_parts",
        "_close_delimited",
        "_detector",
        "_feed",
        "_parser",
        "_parts",
        "_reads",
        "_room",
        "complete",
        "detail",
        "error",
        "headers",
        "keep_alive",
        "max_bytes",
        "on_body",
        "status",
        "t_end",
        "t_last",
        "t_sent",
        "unheard",
    )

    def __init__(self, t_sent: int, max_bytes: int) -> None:
        self.t_sent = self.t_last = t_sent
        self.t_end: int | None = None
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.error: str | None = None
        self.detail = ""
        self.complete = False
        self.unheard = False
        self.keep_alive = False
        self.max_bytes = self._room = max_bytes
        self._reads: list[tuple[int, bytes]] = []
        self._close_delimited = False
        self._body_parts = 0
        self._detector = EndDetector()
        # The parser calls list.append itself: no Python frame for each chunk of the transfer coding.
        self._parts: list[bytes] = []
        self.on_body = self._parts.append
        self._parser: httptools.HttpResponseParser | None = httptools.HttpResponseParser(self)
        self._feed = self._parser.feed_data

    # -- what the connection says ------------------------------------------------------------------------

    def take(self, t_ns: int, data: bytes) -> bool:
        """Take one read of the socket and tell whether the exchange is over (then ``t_end`` is set)."""
        self.t_last = t_ns
        self._room -= len(data)
        broken: Exception | None = None
        try:
            self._feed(data)
        except _PARSER_ERRORS as exc:
            broken = exc
            self.keep_alive = False
        parts = self._parts
        if parts:
            if self.complete:
                del parts[self._body_parts :]
            body = parts[0] if len(parts) == 1 else b"".join(parts)
            parts.clear()
            self._reads.append((t_ns, body))
            if self._detector.feed(body) and self.error is None:
                self.t_end = t_ns
                return True
        if self.complete or self.error is not None:
            self.t_end = t_ns
            return True
        if broken is not None:
            self.fail(t_ns, "bad_http", f"not an HTTP/1.1 answer: {broken}")
            return True
        if self._room < 0 or len(self._reads) > MAX_READS:
            self.fail(
                t_ns, "too_large", f"the answer is longer than {self.max_bytes} bytes or too many reads"
            )
            return True
        return False

    def drain(self, data: bytes) -> bool:
        """Take what follows the end of the stream and tell whether the message is over with it."""
        try:
            self._feed(data)
        except _PARSER_ERRORS:
            self.keep_alive = False
            return True
        self._parts.clear()
        return self.complete

    def lost(self, t_ns: int, exc: Exception | None) -> None:
        """The connection is gone: the end of a close-delimited body, a failure of any other."""
        self.unheard = self._room == self.max_bytes and t_ns - self.t_sent < UNHEARD_NS
        if exc is None and self._close_delimited:
            self.complete, self.t_end = True, t_ns
        elif exc is None:
            self.fail(t_ns, "cut", f"the server closed the connection {self._how_far()}")
        else:
            code = "tls" if isinstance(exc, ssl.SSLError) else "reset"
            self.fail(t_ns, code, f"the connection broke {self._how_far()}: {exc or type(exc).__name__}")

    def fail(self, t_ns: int, error: str, detail: str) -> None:
        """End the exchange with a transport failure; what was received stays."""
        self.t_end, self.error, self.detail = t_ns, error, detail

    def release(self) -> None:
        """Break the reference cycle with the parser, for windows without a garbage collector."""
        self._parser = None
        del self._feed, self.on_body

    def exchange(self) -> Exchange:
        """Return what was received; the answer is over."""
        t_end = self.t_last if self.t_end is None else self.t_end
        return Exchange(
            self.t_sent, t_end, self.status, self.headers, tuple(self._reads), self.error, self.detail
        )

    def _how_far(self) -> str:
        if self.status is None:
            return "before the head of an answer"
        return f"{sum(len(body) for _, body in self._reads)} bytes into the body"

    # -- what the parser says ----------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Notice an answer that nobody asked for, behind the one that was: the connection is spoilt."""
        if self.complete:
            self.keep_alive = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header field; repeated ones join as HTTP says."""
        if self.complete:
            return
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        self.headers[key] = f"{self.headers[key]}, {text}" if key in self.headers else text

    def on_headers_complete(self) -> None:
        """Learn how the body ends; interim answers (1xx) are passed over."""
        if self.complete or self._parser is None:
            return
        status = self._parser.get_status_code()
        if status < 200:
            self.headers.clear()  # 101, which was not asked for, makes the parser stop
            return
        if not self._parser.get_http_version().startswith("1."):
            self.error, self.detail = "bad_http", "the server does not speak HTTP/1.1"
        self.status = status
        self.keep_alive = self._parser.should_keep_alive()
        headers = self.headers
        chunked = headers.get("transfer-encoding", "").lower().rsplit(",", 1)[-1].strip() == "chunked"
        self._close_delimited = not chunked and "content-length" not in headers and status not in _BODYLESS
        coding = headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("identity", ""):
            self.error = "bad_http"
            self.detail = f"the answer is {coding}-encoded although identity was asked for"

    def on_message_complete(self) -> None:
        """End the answer, unless that was only an interim one."""
        if self.status is not None and not self.complete:
            self.complete = True
            self._body_parts = len(self._parts)
