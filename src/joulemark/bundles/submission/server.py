"""The board that bundles go to: where it is, and one request to it."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Literal
from urllib.parse import urlsplit

import orjson

import joulemark
from joulemark.record.errors import InputError

VARIABLE = "JOULEMARK_BOARD"
SUBMISSIONS = "/api/v1/submissions"
_TIMEOUT_S = 60.0
_MOST_BYTES = 64 * 1024  # of an answer
_TEXT = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request. ``refused``: the board has read it and does not take it; ``why`` in words.

    ``away``: no board answered, or it could not do it now: to be tried again.
    """

    state: Literal["sent", "refused", "away"]
    why: str = ""
    facts: dict[str, Any] | None = None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A board that sends us elsewhere may be no board: nothing is sent on."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow none."""


def address_of(given: str | None, on_file: str | None) -> str | None:
    """Return the board's address: as given, else by the environment, else on file; null for none.

    Raises `InputError` for what is no address of a board.
    """
    text = given or os.environ.get(VARIABLE) or on_file
    if not text:
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise _no_address(text, str(error)) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _no_address(text, "it does not begin with https:// (or http://) and a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise _no_address(text, "user names, questions and fragments are no part of it")
    return text.rstrip("/")


def post(address: str, path: str, body: bytes, content_type: str, digest: str) -> Answer:
    """Send a body to the board. It may be sent twice: ``digest`` tells the board that it is the same."""
    headers = {"Content-Type": content_type, "Idempotency-Key": digest}
    return _answer(urllib.request.Request(f"{address}{path}", data=body, method="POST", headers=headers))


def fetch(address: str, path: str, *, timeout_s: float = _TIMEOUT_S) -> Answer:
    """Ask the board for a document."""
    return _answer(urllib.request.Request(f"{address}{path}"), timeout_s)


def _answer(request: urllib.request.Request, timeout_s: float = _TIMEOUT_S) -> Answer:
    request.add_header("User-Agent", f"joulemark/{joulemark.__version__}")
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=timeout_s) as response:
            return Answer("sent", facts=_facts(response.read(_MOST_BYTES)))
    except urllib.error.HTTPError as error:
        told = _facts(error.read(_MOST_BYTES))
        why = f"HTTP {error.code}" + (f": {_sentence(told)}" if _sentence(told) else "")
        final = 400 <= error.code < 500 and error.code not in (401, 403, 404, 408, 425, 429)
        return Answer("refused" if final else "away", why, told)
    except (OSError, HTTPException, ValueError) as error:
        return Answer(
            "away", _printable(str(getattr(error, "reason", None) or error)) or type(error).__name__
        )


def _facts(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _sentence(facts: dict[str, Any]) -> str:
    told = next((facts[name] for name in ("detail", "reason", "error") if facts.get(name)), "")
    return _printable(told if isinstance(told, str) else str(told))


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable())[:_TEXT]


def _no_address(text: str, why: str) -> InputError:
    shown = _printable(text.rpartition("@")[2])  # a password may stand before it
    return InputError(
        f"{shown!r} is no address of a board", why=why, fix="write it as --server https://board.example.org"
    )
