"""The filter of system calls, on both architectures, by carrying out its instructions."""

from __future__ import annotations

import errno
import os
import struct
from types import SimpleNamespace

import pytest

from joulemark.code.inside import seccomp

_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE, _NONE = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_PID = 4242


def _verdict(code: bytes, number: int, *arguments: int, arch: int) -> int:
    """Carry out the filter on a call: a small machine of its own, by the definition of classic BPF."""
    data = struct.pack("=iIQ6Q", number, arch, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    steps = [struct.unpack("=HBBI", code[at : at + 8]) for at in range(0, len(code), 8)]
    at = held = 0
    while True:
        operation, if_true, if_false, constant = steps[at]
        at += 1
        if operation == 0x20:
            held = struct.unpack_from("=I", data, constant)[0]
        elif operation == 0x54:
            held &= constant
        elif operation == 0x06:
            return int(constant)
        else:
            holds = {
                0x15: held == constant,
                0x25: held > constant,
                0x35: held >= constant,
                0x45: held & constant,
            }
            at += if_true if holds[operation] else if_false


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A machine of an architecture, as the kernel names it."""
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine=request.param))
    return str(request.param)


def _asked(machine: str, number: int, *arguments: int, **how: bool) -> int:
    return _verdict(seccomp.filter_program(_PID, **how), number, *arguments, arch=_AUDIT[machine])


def test_what_is_on_the_list_is_allowed_and_all_else_is_refused(machine: str) -> None:
    allowed = seccomp.allowed()
    code = seccomp.filter_program(_PID)
    for number in range(450):
        given = _verdict(code, number, arch=_AUDIT[machine])
        if number not in allowed.values():
            assert given == (_NONE if number == 435 else _REFUSE), number
    ruled = {
        "mmap",
        "fcntl",
        "ioctl",
        "futex",
        "tgkill",
        "prlimit64",
        "setrlimit",
        "setitimer",
        "clock_nanosleep",
        "madvise",
        "socketpair",
    }
    for name, number in allowed.items():
        if name not in ruled:
            assert _verdict(code, number, arch=_AUDIT[machine]) == _ALLOW, name


def test_calls_that_are_newer_than_the_list_do_not_exist(machine: str) -> None:
    for number in (450, 462, 1000, 0x40000000, 0x40000039):
        assert _asked(machine, number) == _NONE


def test_another_architecture_ends_the_process(machine: str) -> None:
    assert _verdict(seccomp.filter_program(_PID), 0, arch=0x40000003) == _KILL


def test_threads_are_allowed_and_processes_and_namespaces_are_not(machine: str) -> None:
    clone = {"x86_64": 56, "aarch64": 220}[machine]
    thread = 0x003D0F00
    assert _asked(machine, clone, thread) == _ALLOW
    assert _asked(machine, clone, 17) == _REFUSE  # fork
    assert _asked(machine, clone, 0x4111) == _REFUSE  # vfork
    for namespace in (0x10000000, 0x20000000, 0x40000000, 0x00020000, 0x08000000, 0x04000000, 0x02000000):
        assert _asked(machine, clone, thread | namespace) == _REFUSE


@pytest.mark.parametrize(
    ("name", "arguments", "verdict"),
    [
        ("mmap", (0, 4096, 3, 0x22), _ALLOW),  # private and anonymous
        ("mmap", (0, 4096, 1, 0x01), _ALLOW),  # a file, shared
        ("mmap", (0, 4096, 3, 0x21), _REFUSE),
        ("mmap", (0, 4096, 3, 0x23), _REFUSE),
        ("mmap", (0, 4096, 3, 0x40022), _REFUSE),
        ("fcntl", (3, 1), _ALLOW),
        ("fcntl", (3, 6), _REFUSE),  # a lock
        ("fcntl", (3, 8), _REFUSE),  # whom to signal
        ("fcntl", (3, 10), _REFUSE),
        ("fcntl", (3, 1024), _REFUSE),  # a lease
        ("ioctl", (0, 0x5401), _ALLOW),
        ("ioctl", (0, 0x5412), _REFUSE),  # type into a terminal
        ("futex", (0, 128), _ALLOW),  # private: wait
        ("futex", (0, 129), _ALLOW),  # private: wake
        ("futex", (0, 393), _ALLOW),
        ("futex", (0, 265), _ALLOW),  # the end of a thread
        ("futex", (0, 1), _REFUSE),  # a page of a file is shared with whoever maps it
        ("futex", (0, 10), _REFUSE),
        ("futex", (0, 5), _REFUSE),
        ("tgkill", (_PID, _PID, 6), _ALLOW),
        ("tgkill", (1, 1, 9), _REFUSE),
        ("prlimit64", (0, 3, 0, 1), _ALLOW),
        ("prlimit64", (_PID, 3, 1, 0), _ALLOW),
        ("prlimit64", (1, 3, 1, 0), _REFUSE),
        ("prlimit64", (0, 0, 1, 0), _REFUSE),
        ("setrlimit", (3, 1), _ALLOW),
        ("setrlimit", (0, 1), _REFUSE),
        ("setitimer", (0, 1), _ALLOW),
        ("setitimer", (1, 1), _REFUSE),
        ("setitimer", (2, 1), _REFUSE),
        ("clock_nanosleep", (1, 0), _ALLOW),
        ("clock_nanosleep", (2, 0), _REFUSE),
        ("madvise", (0, 0, 4), _ALLOW),
        ("madvise", (0, 0, 21), _REFUSE),
        ("socketpair", (1, 1), _ALLOW),
        ("socketpair", (1, 0x80001), _ALLOW),
        ("socketpair", (1, 2), _REFUSE),  # datagrams
        ("socketpair", (2, 1), _REFUSE),
        ("socketpair", (30, 1), _REFUSE),  # TIPC
    ],
)
def test_arguments_are_looked_at(machine: str, name: str, arguments: tuple[int, ...], verdict: int) -> None:
    assert _asked(machine, seccomp.allowed()[name], *arguments) == verdict


def test_nothing_tells_which_pages_are_cached_and_no_socket_grows() -> None:
    allowed = seccomp.allowed()
    for name in ("mincore", "fadvise64", "cachestat", "preadv2", "readahead", "setsockopt", "sendmsg"):
        assert name not in allowed


def test_without_files_of_its_own_a_program_changes_none(machine: str) -> None:
    allowed = seccomp.allowed()
    assert _asked(machine, allowed["openat"], 0, 0, os.O_RDONLY | os.O_CLOEXEC, private_files=False) == _ALLOW
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_CREAT, os.O_RDONLY | os.O_TRUNC):
        assert _asked(machine, allowed["openat"], 0, 0, flags, private_files=False) == _REFUSE
        assert _asked(machine, allowed["openat"], 0, 0, flags) == _ALLOW
    for name in ("unlinkat", "renameat", "mkdirat", "fchmod", "fchmodat", "utimensat", "linkat", "truncate"):
        assert _asked(machine, allowed[name], private_files=False) == _REFUSE
        assert _asked(machine, allowed[name]) == _ALLOW


def test_without_devices_of_its_own_a_program_changes_no_rights(machine: str) -> None:
    allowed = seccomp.allowed()
    for name in ("fchmod", "fchmodat", "utimensat"):
        assert _asked(machine, allowed[name], attributes=False) == _REFUSE
    assert _asked(machine, allowed["mkdirat"], attributes=False) == _ALLOW


def test_an_unknown_architecture_is_said_to_be_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    assert not seccomp.is_known()
