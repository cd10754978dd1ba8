"""Namespaces of the sandbox's own: for all its processes once, and for each run again."""

from __future__ import annotations

import contextlib
import fcntl
import os

from joulemark.code.inside import root, system

OWN, GIVEN, NONE = "own", "given", "none"
"""Who made the sandbox's namespaces: itself, what started it, or nobody."""
_INSIDE_ID = 1000
_OUT_OF_THE_WAY = 100  # a descriptor above those of a run's channels, which are the lowest
_FOR_ALL = (
    system.CLONE_NEWUSER
    | system.CLONE_NEWNS
    | system.CLONE_NEWPID
    | system.CLONE_NEWNET
    | system.CLONE_NEWIPC
    | system.CLONE_NEWUTS
)
_FOR_RUN = system.CLONE_NEWPID | system.CLONE_NEWNS | system.CLONE_NEWIPC


def make(place: str) -> None:
    """Leave for new namespaces with a read-only root at ``place``; no rights are needed for it.

    Children of this process are in the new process namespace, it is not. Raises ``OSError``.
    """
    uid, gid = os.geteuid(), os.getegid()
    system.unshare(_FOR_ALL)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{_INSIDE_ID} {uid} 1"),
        ("gid_map", f"{_INSIDE_ID} {gid} 1"),
    ):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    root.enter(place)


def make_for_run() -> None:
    """Leave for new process, mount and IPC namespaces within those of the sandbox. Raises ``OSError``."""
    system.unshare(_FOR_RUN)


def make_for_first() -> None:
    """Leave for new mount and IPC namespaces: the process one is new by `Firsts`. Raises ``OSError``."""
    system.unshare(_FOR_RUN & ~system.CLONE_NEWPID)


class Firsts:
    """Forks first processes of new process namespaces, one after another, without one that stands between.

    The namespace that children get can be a new one only from the process's own: it goes back there each
    time. Raises ``OSError`` where the kernel does not let it (before Linux 5.8).
    """

    def __init__(self) -> None:
        handle = os.pidfd_open(os.getpid())
        self._own = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
        os.close(handle)
        self._go_back()

    def fork(self) -> int:
        """Fork; the child is the first of its process namespace. Raises ``OSError``."""
        system.unshare(system.CLONE_NEWPID)
        try:
            child = os.fork()
        except OSError:
            self._go_back()
            raise
        if child:
            self._go_back()
        return child

    def _go_back(self) -> None:
        system.setns(self._own, system.CLONE_NEWPID)
