"""The line to an instrument: one VISA session with short timeouts, whose errors have names."""

from __future__ import annotations

import contextlib
import time
from functools import cache
from typing import Any

from joulemark.meters.source import SourceLost

NOT_INSTALLED = "pyvisa_not_installed"
REFUSED, LOST, TIMEOUT, UNREACHABLE = "connection_refused", "connection_lost", "timeout", "unreachable"
DEFAULT_TIMEOUT_MS = 1500
LONGEST_TIMEOUT_MS = 2000
_AGAIN_S = (0.05, 0.2)


class LinkLost(SourceLost):
    """The line is dead: the message is the reason for the record, ``detail`` what the library said."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.detail = detail


def greet(resource: str, timeout_ms: int) -> tuple[Link, str]:
    """Open a session and ask the instrument who it is; return both. Raises `LinkLost`.

    An instrument that serves one program at a time may not yet have noticed that the last one left, so it is
    asked again twice.
    """
    for pause_s in _AGAIN_S:
        try:
            return _ask_who(Link(resource, timeout_ms))
        except LinkLost as error:
            if str(error) not in (REFUSED, LOST):
                raise
        time.sleep(pause_s)
    return _ask_who(Link(resource, timeout_ms))


def _ask_who(link: Link) -> tuple[Link, str]:
    try:
        return link, link.query("*IDN?")
    except LinkLost:
        link.close()
        raise


@cache
def _manager() -> Any:
    """Return the process's one resource manager, which closes itself at exit.

    Making one costs half a second: the library runs programs to look for a VISA of the instrument's maker.
    """
    import pyvisa

    return pyvisa.ResourceManager()


class Link:
    """An open session. Every call returns within the timeout or raises `LinkLost`.

    After a `LinkLost` the session is of no use: a late answer may still be under way, and would be taken for
    that of the next query.
    """

    def __init__(self, resource: str, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> None:
        try:
            import pyvisa  # costs 0.2 s, so only who has an analyzer pays
        except ImportError as error:
            raise LinkLost(NOT_INSTALLED, str(error)) from error
        self._visa_error: type[Exception] = pyvisa.errors.VisaIOError
        try:
            self._device = _manager().open_resource(
                resource, open_timeout=LONGEST_TIMEOUT_MS, timeout=timeout_ms
            )
            self._device.read_termination = self._device.write_termination = "\n"
        except Exception as error:  # each kind of line fails in the words of the library below it
            raise self._lost(error, UNREACHABLE) from error

    def query(self, message: str) -> str:
        """Send ``message`` and return the answer without its end; raises `LinkLost`."""
        try:
            return str(self._device.query(message)).strip()
        except Exception as error:
            raise self._lost(error, LOST) from error

    def close(self) -> None:
        """Let the instrument go, so that another program may have it."""
        with contextlib.suppress(Exception):  # a dead line may fail to close
            self._device.close()

    def _lost(self, error: Exception, otherwise: str) -> LinkLost:
        detail = f"{type(error).__name__}: {error}"
        if isinstance(error, ConnectionRefusedError):
            return LinkLost(REFUSED, detail)
        if isinstance(error, self._visa_error):
            return LinkLost(TIMEOUT if getattr(error, "abbreviation", "") == "VI_ERROR_TMO" else LOST, detail)
        return LinkLost(otherwise, detail)
