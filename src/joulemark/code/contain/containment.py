"""Which containment this machine offers, and what is missing where it is less than the whole."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Containment:
    """What holds a program: the whole, or less with ``missing`` saying what.

    ``namespaces``: own user, process, network, mount, IPC and host name spaces with a read-only root and a
    private ``/tmp``; ``landlock``: files by the kernel's Landlock; ``seccomp``: a list of allowed system
    calls, without which a program may start processes.
    """

    namespaces: bool
    landlock: bool
    seccomp: bool
    missing: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return self.namespaces and self.landlock and self.seccomp


WHOLE = Containment(namespaces=True, landlock=True, seccomp=True)


def linux() -> bool:
    """Tell whether this is Linux: elsewhere the kernel offers none of it."""
    return sys.platform == "linux"
