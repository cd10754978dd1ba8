"""Finds out what this machine offers by trying each part in a process of its own; prints it as JSON.

Started as ``python … PLACE own|given``: ``own`` makes namespaces with a root at the empty folder PLACE,
``given`` is already in those that something else has made.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

from joulemark.code.inside import landlock, namespaces, root, seccomp, system

_SMALL = 1 << 20


def main() -> None:
    """Print, for each part, null where it can be had, else why not."""
    place, how = sys.argv[1:3]
    found = {
        "namespaces": _tried(lambda: _own(place)) if how == namespaces.OWN else _tried(_given),
        "per_run": None if how == namespaces.OWN else _tried(_per_run),
        "landlock": _tried(_landlock),
        "seccomp": _tried(_seccomp),
    }
    print(json.dumps(found))  # noqa: T201  # this is its answer


def _own(place: str) -> None:
    if not os.path.exists("/proc/self/stat"):
        raise OSError("there is no /proc, without which neither names nor memory can be seen")
    namespaces.make(place)
    _in_child(_per_run)


def _given() -> None:
    if os.path.exists("/etc/passwd"):
        raise OSError("the root is the system's")


def _per_run() -> None:
    namespaces.make_for_run()
    _in_child(_first_of_run)


def _first_of_run() -> None:
    if os.getpid() != 1:
        raise OSError("processes have the numbers of before")
    root.private_tmp(_SMALL)
    with open("/tmp/trial", "w") as file:
        file.write("written")


def _landlock() -> None:
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if not landlock.restrict([], ["/tmp"]):
        raise OSError("this kernel has none, or it is switched off")
    if _works(lambda: os.listdir("/")):
        raise OSError("it does not keep a program from what it may not read")


def _seccomp() -> None:
    if not seccomp.is_known():
        raise OSError(f"the system calls of {system.machine()} are not known")
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.restrict()
    try:
        child = os.fork()
    except OSError:
        return
    if child == 0:
        os._exit(0)
    raise OSError("it does not keep a program from starting processes")


def _works(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError:
        return False
    return True


def _tried(action: Callable[[], None]) -> str | None:
    """Return null where ``action`` works in a child, else why it does not."""
    try:
        _in_child(action)
    except OSError as error:
        return str(error)
    return None


def _in_child(action: Callable[[], None]) -> None:
    """Do ``action`` in a child. Raises ``OSError`` with its words where it fails."""
    words, end = os.pipe()
    if (child := os.fork()) == 0:
        said = b""
        try:
            action()
        except BaseException as error:
            said = str(error).encode("utf-8", "replace") or b"it failed"
        finally:
            os.write(end, said)
            os._exit(0 if not said else 1)
    os.close(end)
    with open(words, "rb") as reading:
        said = reading.read()
    _, code = os.waitpid(child, 0)
    if said or code:
        raise OSError(said.decode() or f"the trial ended with {code}")
