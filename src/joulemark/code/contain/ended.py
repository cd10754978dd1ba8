"""How a program ended when it was not by answering."""

from __future__ import annotations

import json
import os
import signal
import unicodedata
from collections.abc import Mapping
from typing import Any

from joulemark.record.code_run import Outcome

_DETAIL_CHARS = 500


class Ended(Exception):
    """A program ended in another way than by answering; ``detail`` is for a reader.

    ``flags`` say under what the program ran, as in `CodeRun`.
    """

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(outcome, detail)
        self.outcome = outcome
        self.detail = detail
        self.flags: tuple[str, ...] = ()


def said(message: Mapping[str, Any], key: str) -> str:
    """Return what a program says, as text that can be shown and stored whatever it is.

    A program could send lone surrogates, which no file takes, or sequences that a terminal obeys.
    """
    text = message.get(key)
    if not isinstance(text, str):
        return ""
    return "".join(map(_shown, text[:_DETAIL_CHARS]))


def by_status(text: bytes) -> Ended:
    """Return the end that the watching process reports: lines of JSON, the last with the exit status."""
    try:
        code = int(json.loads(text.splitlines()[-1])["code"])
    except (ValueError, KeyError, TypeError, IndexError):
        return Ended(Outcome.EXITED, "it ended without an answer")
    if os.WIFSIGNALED(code):
        return _by_signal(os.WTERMSIG(code))
    return Ended(Outcome.EXITED, f"it ended itself with code {os.WEXITSTATUS(code)} and without an answer")


def _by_signal(number: int) -> Ended:
    if number == getattr(signal, "SIGXCPU", None):
        return Ended(Outcome.OVER_CPU, "the kernel's limit of CPU time ended it")
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return Ended(Outcome.CRASHED, f"it was ended by {name}")


def _shown(char: str) -> str:
    if char in "\n\t" or not unicodedata.category(char).startswith("C"):
        return char
    return char.encode("unicode_escape").decode("ascii")
