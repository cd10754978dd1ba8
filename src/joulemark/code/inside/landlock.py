"""Landlock: the files a process may still reach, whatever its rights; no root needed (Linux 5.13)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

from joulemark.code.inside.system import call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_ACCESS_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # file rights that each version knows; 5 and later: 16
_FILE_RIGHTS = 0b111 | 1 << 14 | 1 << 15  # execute, write, read, truncate, device control
_NET_BITS = 0b11  # bind and connect of TCP, from version 4
_SCOPE_BITS = 0b11  # abstract sockets and signals, from version 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Return the kernel's version of Landlock, 0 where there is none."""
    try:
        return call(_CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def restrict(readable: Iterable[str], writable: Iterable[str], listable: Iterable[str] = ()) -> bool:
    """Let this process read below ``readable`` and do all below ``writable`` only; false without Landlock.

    Below ``listable`` it may see which files there are. Paths that do not exist are left out. Needs that no
    new privileges can be had. Raises ``OSError``.
    """
    has = version()
    if not has:
        return False
    everything = (1 << _ACCESS_BITS.get(has, 16)) - 1
    wanted = _Ruleset(everything, _NET_BITS if has >= 4 else 0, _SCOPE_BITS if has >= 6 else 0)
    size = 8 if has < 4 else 16 if has < 6 else 24
    ruleset = call(_CREATE_RULESET, ctypes.byref(wanted), size, 0)
    try:
        wished = ((readable, _READ_FILE | _READ_DIR), (writable, everything), (listable, _READ_DIR))
        for paths, rights in wished:
            for path in paths:
                _allow(ruleset, path, rights)
        call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _FILE_RIGHTS
        if not rights:
            return
        rule = _Beneath(rights, place)
        call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)
