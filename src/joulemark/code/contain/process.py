"""A process of this machine, held so that its number never comes to mean another one."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from joulemark.code.inside.family import end_descendants


class Process:
    """A process that this one did not start itself: it can be ended and waited for.

    Where the kernel has no handles for processes (before Linux 5.3, macOS) its number has to do.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle: int | None = None
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self._handle = os.pidfd_open(pid)

    def kill(self) -> None:
        """End it, if it still runs."""
        with contextlib.suppress(OSError):
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)

    def kill_family(self) -> None:
        """End it, what it leads and what it has started: for where no namespace ends with it."""
        end_descendants(self.pid)
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        self.kill()

    def wait(self, timeout_s: float) -> bool:
        """Wait until it has ended; false where it has not in that time."""
        if self._handle is not None:
            ended = select.poll()
            ended.register(self._handle, select.POLLIN)
            return bool(ended.poll(timeout_s * 1000))
        until = time.monotonic() + timeout_s
        while _exists(self.pid):
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True

    def close(self) -> None:
        """Let go of it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
