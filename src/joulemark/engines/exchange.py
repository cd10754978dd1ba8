"""What the hot path hands to the cold path: raw bytes with stamps, nothing parsed."""

from __future__ import annotations

from dataclasses import dataclass, field

_SHORTEST_SECRET = 6  # a shorter one would blot out words that have nothing to do with it


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP exchange as received. Stamps are monotonic ns.

    ``reads`` are the body bytes (transfer coding removed) of each socket read with its stamp, in order.
    ``t_sent``: just before the request was handed to the socket; ``t_end``: the read that ended the answer
    (``[DONE]``, the message's end, or the failure). ``error`` is a code for a transport failure: ``refused``,
    ``reset``, ``cut``, ``stall``, ``timeout``, ``too_large``, ``tls``, ``dns``, ``bad_http``; null otherwise.
    ``detail`` says more. ``unheard``: when an earlier sending of the same request went out and ended that met
    the closing of a kept connection; null where there was none.
    """

    t_sent: int
    t_end: int
    status: int | None
    headers: dict[str, str] = field(default_factory=dict)
    reads: tuple[tuple[int, bytes], ...] = ()
    error: str | None = None
    detail: str = ""
    unheard: tuple[int, int] | None = None

    @property
    def t_begin(self) -> int:
        """When the request was first handed to a socket."""
        return self.t_sent if self.unheard is None else self.unheard[0]

    @property
    def body(self) -> bytes:
        """The whole body in one piece."""
        return b"".join(data for _, data in self.reads)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go: ``path`` is the chat endpoint's; ``headers`` may hold a key and are never stored."""

    scheme: str
    host: str
    port: int
    path: str = "/v1/chat/completions"
    headers: dict[str, str] = field(default_factory=dict, repr=False)

    def conceal(self, text: str) -> str:
        """Return a server's words without the secrets that it was sent: some servers echo them."""
        for value in self.headers.values():
            for secret in (value, value.rpartition(" ")[2]):
                if len(secret) >= _SHORTEST_SECRET:
                    text = text.replace(secret, "[key]")
        return text

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.host}:{self.port}"
