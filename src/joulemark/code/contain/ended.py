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

    ``flags`` say under what the program ran, as in `CodeRun`. Times (ns) are what was seen of it until then:
    CPU and wall time of the call, CPU time outside its calls, and how long it waited for a processor; null
    where it was not in a call, or nobody saw. So it is with memory: resident before the call, and the peak
    above it.
    """

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(outcome, detail)
        self.outcome = outcome
        self.detail = detail
        self.flags: tuple[str, ...] = ()
        self.cpu_ns: int | None = None
        self.wall_ns: int | None = None
        self.queued_ns: int | None = None
        self.cpu_around_ns: int | None = None
        self.resident_bytes: int | None = None
        self.peak_bytes: int | None = None


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


def cpu_of_status(text: bytes) -> int | None:
    """Return the CPU time (ns) of its whole life that the watching process reports, null for none."""
    try:
        found = json.loads(text.splitlines()[-1])["cpu_ns"]
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    return found if type(found) is int and 0 <= found < 2**62 else None


def _by_signal(number: int) -> Ended:
    if number == getattr(signal, "SIGXCPU", None):
        return Ended(Outcome.OVER_CPU, "the kernel's limit of CPU time ended it")
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return Ended(Outcome.CRASHED, f"it was ended by {name}")


def _shown(char: str) -> str:
    if char == "\t" or not unicodedata.category(char).startswith("C"):
        return char
    return char.encode("unicode_escape").decode("ascii")
