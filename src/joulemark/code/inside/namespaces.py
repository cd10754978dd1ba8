"""Namespaces of the sandbox's own: for all its processes once, and for each run again."""

from __future__ import annotations

import contextlib
import os

from joulemark.code.inside import root, system

OWN, GIVEN, NONE = "own", "given", "none"
"""Who made the sandbox's namespaces: itself, what started it, or nobody."""
_INSIDE_ID = 1000
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
