"""A root of its own for the sandbox: the interpreter's library read-only and a private ``/tmp``."""

from __future__ import annotations

import os
import sys

from joulemark.code.inside import system
from joulemark.code.inside.system import MS_BIND, MS_NODEV, MS_NOSUID, MS_RDONLY, MS_REC, MS_REMOUNT

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_LOADER_CACHE = "/etc/ld.so.cache"
_TIME_ZONES = "/usr/share/zoneinfo"


def readable_paths() -> list[str]:
    """Return what a program needs to read: shared libraries and the interpreter's own library."""
    found = [*_LIBRARIES, _LOADER_CACHE, _TIME_ZONES, os.path.dirname(os.__file__)]
    found += [path for path in sys.path if path.endswith("lib-dynload")]
    base = os.path.join(sys.base_prefix, "lib")
    found += [os.path.join(base, name) for name in _named(base) if name.startswith("libpython")]
    return [path for path in dict.fromkeys(found) if os.path.exists(path)]


def enter(place: str) -> None:
    """Make a read-only root at the empty folder ``place`` and move into it. Needs a mount namespace of ours.

    Raises ``OSError``.
    """
    system.mount("none", "/", None, system.MS_REC | system.MS_PRIVATE)
    system.mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    for path in readable_paths():
        _show(place, path)
    for path in DEVICES:
        _show(place, path, read_only=False)
    for folder in ("/tmp", "/old"):
        os.makedirs(place + folder, exist_ok=True)
    system.pivot_root(place, place + "/old")
    os.chdir("/")
    system.unmount("/old")
    os.rmdir("/old")
    system.mount("none", "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def private_tmp(size_bytes: int) -> None:
    """Put an empty file system of limited size at ``/tmp``, for one process and what it starts."""
    system.mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, f"size={size_bytes},mode=700")
    os.chdir("/tmp")


def _show(place: str, path: str, *, read_only: bool = True) -> None:
    """Make a path of the old root visible in the new one; a link stays a link."""
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
    if read_only:
        # Flags that the original carries are locked in a user namespace and have to be repeated.
        kept = os.statvfs(there).f_flag & 0xF | _access_times(os.statvfs(there).f_flag)
        system.mount("none", there, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | kept)


def _access_times(flags: int) -> int:
    """Return the mount flags of ``ST_NOATIME``, ``ST_NODIRATIME`` and ``ST_RELATIME``."""
    return (
        (system.MS_NOATIME if flags & 0x400 else 0)
        | (system.MS_NODIRATIME if flags & 0x800 else 0)
        | (system.MS_RELATIME if flags & 0x1000 else 0)
    )


def _named(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
