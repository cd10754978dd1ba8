"""The kernel's calls that Python's library does not offer, by ctypes."""

from __future__ import annotations

import ctypes
import os
import re
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_REMOUNT = 0x20
MS_NOATIME = 0x400
MS_NODIRATIME = 0x800
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
MS_RELATIME = 0x200000
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_READ = 23
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPSET = {"x86_64": 126, "aarch64": 91}
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPABILITY_VERSION_3 = 0x20080522
_MOUNT_SETATTR = 442  # the same on every architecture (Linux 5.12)
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY, _ATTR_NOSUID = 0x1, 0x2

_libc = ctypes.CDLL(None, use_errno=True)


def is_linux() -> bool:
    """Tell whether this is Linux: elsewhere the kernel offers nothing of what is called here."""
    return sys.platform == "linux"


def counts_by_namespace() -> bool:
    """Tell whether the limit of processes counts those of a user namespace, and not all of a user's."""
    found = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return is_linux() and found is not None and (int(found[1]), int(found[2])) >= (5, 14)


def machine() -> str:
    """Return the machine's architecture, as the kernel names it."""
    return os.uname().machine


def call(number: int, *arguments: object) -> int:
    """Make a system call by its number. Raises ``OSError``."""
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *given))


def prctl(option: int, *arguments: int) -> int:
    """Call ``prctl``. Raises ``OSError``."""
    given = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc.prctl(ctypes.c_int(option), *given))


def unshare(flags: int) -> None:
    """Leave the namespaces that ``flags`` name for new ones. Raises ``OSError``."""
    _checked(_libc.unshare(ctypes.c_int(flags)))


def setns(descriptor: int, flags: int) -> None:
    """Enter the namespaces that ``flags`` name of what ``descriptor`` stands for. Raises ``OSError``."""
    _checked(_libc.setns(ctypes.c_int(descriptor), ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Call ``mount``. Raises ``OSError``."""
    _checked(
        _libc.mount(
            source.encode(),
            target.encode(),
            None if kind is None else kind.encode(),
            ctypes.c_ulong(flags),
            None if data is None else data.encode(),
        ),
        target,
    )


def protect(target: str) -> None:
    """Make what is mounted at ``target`` and below it read-only, without set-user-id. Raises ``OSError``.

    ``ENOSYS`` where the kernel is older than 5.12.
    """
    wanted = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID, 0, 0, 0)
    call(
        _MOUNT_SETATTR, _AT_FDCWD, target.encode(), _AT_RECURSIVE, ctypes.byref(wanted), ctypes.sizeof(wanted)
    )


def unmount(target: str) -> None:
    """Detach what is mounted at ``target``. Raises ``OSError``."""
    _checked(_libc.umount2(target.encode(), ctypes.c_int(MNT_DETACH)), target)


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root and put the old root at ``old``. Raises ``OSError``."""
    call(_PIVOT_ROOT[machine()], new.encode(), old.encode())


def bound_capabilities() -> bool:
    """Let no program that is executed from here on gain a capability; children inherit that.

    False where there are some that it may still gain. Those that this process has stay.
    """
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # past the last one this kernel knows
    for capability in range(64):
        try:
            if prctl(PR_CAPBSET_READ, capability):
                return False
        except OSError:
            return capability > 0
    return True


def drop_capabilities(*, bounded: bool = False) -> None:
    """Give up every capability for good; ``bounded``: by `bound_capabilities` before. Raises ``OSError``."""
    if not bounded:
        bound_capabilities()
    prctl(PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    call(_CAPSET[machine()], header, (ctypes.c_uint32 * 6)())


def _checked(result: int, where: str | None = None) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), where)
    return result
