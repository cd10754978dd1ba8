"""What the network did, in words that a user can act on."""

from __future__ import annotations

from joulemark.meters.http.deadline import Unanswered


def cleaned(text: str, longest: int = 60) -> str:
    """Return the beginning of a stranger's text on one line, without what steers a terminal."""
    line = " ".join(text[: 4 * longest].split())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)[:longest]


def network_words(error: Unanswered, host: str, look: str) -> tuple[str, str]:
    """Return why no answer came from ``host`` and what to do; ``look`` is a command that shows what is there.

    A reason that is not the network's is said as its code.
    """
    said = f" ({error.detail})" if error.detail else ""
    table = {
        "name_unknown": (f"no host of that name is known in this network{said}", "use its IP address"),
        "connection_refused": (
            "nothing listens at that address and port",
            f"start it, or mend the port; {look}",
        ),
        "unreachable": (f"that address cannot be reached from this machine{said}", f"ping {host}"),
        "timeout": (
            f"no whole answer came {error.detail or 'in time'}: off, asleep, slow or in another network",
            look,
        ),
        "closed": ("it hung up without an answer", look),
        "cut_off": ("it hung up in the middle of its answer", look),
        "not_http": ("what listens there does not speak HTTP", f"check the port: {look}"),
        "too_large": (f"its answer is too large{said}", look),
        "unknown_encoding": (f"its answer is packed in a way that nobody asked for{said}", look),
        "bad_gzip": (f"its compressed answer cannot be unpacked{said}", look),
        "malformed_request": (
            "the address, the password or the token holds a blank, a line break or a control character",
            "write it without",
        ),
        "tls_failed": (
            f"its https cannot be trusted{said}",
            "use http:// in your own network, or name its certificate: export SSL_CERT_FILE=FILE",
        ),
    }
    return table.get(error.reason, (f"it answered with {error.reason}{said}", look))
