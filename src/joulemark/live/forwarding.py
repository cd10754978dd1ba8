"""Signals while a program is measured: they are the program's, and its result is told all the same."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType, TracebackType

_FROM_TERMINAL = ("SIGINT", "SIGQUIT")
_FROM_OTHERS = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


class Forwarding:
    """While it is entered, signals to this process go to the program.

    A key at the terminal (Ctrl-C) reaches every process in the foreground, the program too: it is not sent
    twice.
    """

    def __init__(self, send: Callable[[int], None]) -> None:
        self._send = send
        self._before: dict[int, object] = {}

    def __enter__(self) -> Forwarding:
        for name in (*_FROM_TERMINAL, *_FROM_OTHERS):
            number = getattr(signal, name, None)
            # what whoever started us wants ignored (nohup) stays so, here and in the program
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if signal.Signals(number).name in _FROM_TERMINAL and _in_foreground():
            return
        self._send(number)


def _in_foreground() -> bool:
    """Tell whether a terminal's keys reach this process."""
    for stream in (sys.__stdin__, sys.__stderr__, sys.__stdout__):
        try:
            if stream is not None and os.tcgetpgrp(stream.fileno()) == os.getpgrp():
                return True
        except (OSError, ValueError):  # no terminal, or a closed stream
            continue
    return False
