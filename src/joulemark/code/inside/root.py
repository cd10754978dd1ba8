"""A root of its own for the sandbox: the interpreter's library read-only and a private ``/tmp``."""

from __future__ import annotations

import errno
import os
import sys

from joulemark.code.inside import system
from joulemark.code.inside.program import OWN_FILES
from joulemark.code.inside.system import MS_BIND, MS_NODEV, MS_NOSUID, MS_RDONLY, MS_REC, MS_REMOUNT

DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
"""No ``/dev/zero``: mapped as shared it is memory that no limit of a process counts."""
STREAMS = {f"/dev/{os.path.basename(file)}": file for file in OWN_FILES}
"""Names of the standard streams, and the files behind them."""
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_LOADER_CACHE = "/etc/ld.so.cache"
_TIME_ZONES = "/usr/share/zoneinfo"
_PACKAGES = ("site-packages", "dist-packages")
_MAX_FILES = 4096  # each takes memory of the kernel's that is no part of the file system's size


def readable_paths() -> list[str]:
    """Return what a program needs to read: shared libraries and the interpreter's own library."""
    found = [*_LIBRARIES, _LOADER_CACHE, _TIME_ZONES, os.path.dirname(os.__file__)]
    found += [path for path in sys.path if path.endswith("lib-dynload")]
    base = os.path.join(sys.base_prefix, "lib")
    found += [os.path.join(base, name) for name in _named(base) if name.startswith("libpython")]
    return [path for path in dict.fromkeys(found) if os.path.exists(path)]


def hidden_paths() -> list[str]:
    """Return folders of installed packages below `readable_paths`: they may hold solutions, this one does."""
    library = os.path.dirname(os.__file__)
    found = {os.path.join(one, name) for one in (library, os.path.realpath(library)) for name in _PACKAGES}
    for folder in map(os.path.realpath, _LIBRARIES):
        for interpreter in _named(folder):
            if interpreter.startswith(("python", "pypy")):
                found |= {os.path.join(folder, interpreter, name) for name in _PACKAGES}
    return sorted(path for path in found if os.path.isdir(path))


def readable_parts() -> list[str]:
    """Return `readable_paths` without `hidden_paths`, for where these cannot be covered."""
    hidden = set(hidden_paths())
    return [part for path in readable_paths() for part in _without(os.path.realpath(path), hidden)]


def enter(place: str) -> None:
    """Make a read-only root at the empty folder ``place`` and move into it. Needs a mount namespace of ours.

    Raises ``OSError``.
    """
    system.mount("none", "/", None, system.MS_REC | system.MS_PRIVATE)
    system.mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    for path in (*readable_paths(), *DEVICES):
        _show(place, path)
    for path in hidden_paths():
        if os.path.isdir(place + path):
            system.mount("tmpfs", place + path, "tmpfs", MS_NOSUID | MS_NODEV | MS_RDONLY, "size=4k,mode=555")
    for folder in ("/tmp", "/old"):
        os.makedirs(place + folder, exist_ok=True)
    for link, file in STREAMS.items():
        os.symlink(file, place + link)
    system.pivot_root(place, place + "/old")
    os.chdir("/")
    system.unmount("/old")
    os.rmdir("/old")
    system.mount("none", "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def private_tmp(size_bytes: int) -> None:
    """Put an empty file system of limited size at ``/tmp``, for one process and what it starts."""
    limits = f"size={size_bytes},nr_inodes={_MAX_FILES},mode=700"
    system.mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, limits)
    os.chdir("/tmp")


def _show(place: str, path: str) -> None:
    """Make a path of the old root visible in the new one, read-only; a link stays a link.

    Devices too: a device is written to all the same, but its owner cannot change its rights.
    """
    there = place + path
    if os.path.lexists(there):
        return
    os.makedirs(os.path.dirname(there), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), there)
        return
    if os.path.isdir(path):
        os.makedirs(there)
    else:
        os.close(os.open(there, os.O_CREAT | os.O_WRONLY, 0o600))
    system.mount(path, there, None, MS_BIND | MS_REC)
    try:
        system.protect(there)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        protect_each(there)


def protect_each(there: str) -> None:
    """Make a mount and those below it read-only one by one, for kernels older than 5.12."""
    for point in mount_points(there):
        # Flags that the original carries are locked in a user namespace and have to be repeated.
        flags = os.statvfs(point).f_flag
        kept = flags & 0xF | _access_times(flags)
        system.mount("none", point, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | kept)


def mount_points(there: str) -> list[str]:
    """Return ``there`` and what is mounted below it, by the kernel's own list."""
    with open("/proc/self/mountinfo", "rb") as file:
        points = {_unescaped(line.split()[4]) for line in file}
    return sorted(one for one in points | {there} if one == there or one.startswith(there.rstrip("/") + "/"))


def _unescaped(point: bytes) -> str:
    for code in (b"\\040", b"\\011", b"\\012", b"\\134"):
        point = point.replace(code, bytes([int(code[1:], 8)]))
    return os.fsdecode(point)


def _access_times(flags: int) -> int:
    """Return the mount flags of ``ST_NOATIME``, ``ST_NODIRATIME`` and ``ST_RELATIME``."""
    return (
        (system.MS_NOATIME if flags & 0x400 else 0)
        | (system.MS_NODIRATIME if flags & 0x800 else 0)
        | (system.MS_RELATIME if flags & 0x1000 else 0)
    )


def _without(path: str, hidden: set[str]) -> list[str]:
    if path in hidden:
        return []
    if not any(one.startswith(path.rstrip("/") + "/") for one in hidden):
        return [path]
    return [part for name in _named(path) for part in _without(os.path.join(path, name), hidden)]


def _named(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
