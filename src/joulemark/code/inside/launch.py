"""The sandbox's first process: it goes into the containment, then makes one fresh process a run.

Started as ``python -P -s -S -B`` with the settings as JSON in its first argument and a control socket as its
descriptor 3. For each byte on the socket, which comes with two descriptors, it forks: a warden (which makes
new namespaces) > the first process of those (which watches, and whose end ends all others) > the worker.
No program under test ever runs in this process, so that every fork starts from the same clean memory.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
from typing import Any

from joulemark.code.inside import landlock, root, seccomp, system
from joulemark.code.inside.worker import serve

_CONTROL = 3
_PRELOADED = (
    "abc", "array", "ast", "bisect", "cmath", "collections", "contextlib",
    "copy", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools",
    "hashlib", "heapq", "itertools", "json", "math", "numbers", "operator",
    "queue", "random", "re", "statistics", "string", "struct", "textwrap",
    "threading", "time", "typing", "zlib",
)  # fmt: skip
"""What programs import: loaded once, before any of them, so that no run is charged for it."""
_NAMESPACES = (
    system.CLONE_NEWUSER
    | system.CLONE_NEWNS
    | system.CLONE_NEWPID
    | system.CLONE_NEWNET
    | system.CLONE_NEWIPC
    | system.CLONE_NEWUTS
)
_INSIDE_ID = 1000


def main() -> None:
    """Set the sandbox up, tell the parent, and fork workers until the control socket is closed."""
    settings: dict[str, Any] = json.loads(sys.argv[1])
    control = socket.socket(fileno=_CONTROL)
    _preload()
    if settings["cpu"] is not None:
        os.sched_setaffinity(0, [settings["cpu"]])
    try:
        if settings["namespaces"]:
            _enter_namespaces(settings["root"])
            first = os.fork()
            if first:
                control.close()
                _wait_for(first)
                return
            _die_with_parent()
    except OSError as error:
        control.sendall(json.dumps({"error": f"{error}"}).encode() + b"\n")
        return
    _silence()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # wardens are reaped by the kernel
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    readable = root.readable_paths()
    gc.collect()
    gc.freeze()
    control.sendall(b'{"ready":true}\n')
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not message:
            return
        if os.fork() == 0:
            control.close()
            _ward(settings, readable, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _preload() -> None:
    for name in _PRELOADED:
        importlib.import_module(name)


def _enter_namespaces(place: str) -> None:
    uid, gid = os.geteuid(), os.getegid()
    system.unshare(_NAMESPACES)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{_INSIDE_ID} {uid} 1"),
        ("gid_map", f"{_INSIDE_ID} {gid} 1"),
    ):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    root.enter(place)


def _ward(settings: dict[str, Any], readable: list[str], wire: int, status: int) -> None:
    """Make namespaces for one run and its first process; wait for that. Never returns."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _die_with_parent()
        if settings["namespaces"]:
            system.unshare(system.CLONE_NEWPID | system.CLONE_NEWNS | system.CLONE_NEWIPC)
        if (first := os.fork()) == 0:
            _watch(settings, readable, wire, status)
        os.close(wire)
        os.close(status)
        _wait_for(first)
    finally:
        os._exit(0)


def _watch(settings: dict[str, Any], readable: list[str], wire: int, status: int) -> None:
    """As the first process of the namespaces: start the worker, say how it ended. Never returns."""
    try:
        _die_with_parent()
        os.setsid()
        if settings["namespaces"]:
            root.private_tmp(settings["tmp_bytes"])
        os.write(status, b"\n")  # tells the parent who is to be killed
        if (worker := os.fork()) == 0:
            os.close(status)
            _work(settings, readable, wire)
        os.close(wire)
        while True:
            ended, code, usage = os.wait3(0)
            if ended == worker:
                break
        cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)
        os.write(status, json.dumps({"code": code, "cpu_ns": cpu_ns}).encode() + b"\n")
    finally:
        os._exit(0)


def _work(settings: dict[str, Any], readable: list[str], wire: int) -> None:
    """Give up every right and serve. Never returns."""
    try:
        _die_with_parent()
        _limit(settings["limits"])
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
        if settings["landlock"]:
            writable = ["/tmp", "/dev/null"] if settings["namespaces"] else ["/dev/null"]
            landlock.restrict([*readable, *root.DEVICES], writable)
        if settings["namespaces"]:
            system.drop_capabilities()
        system.prctl(system.PR_SET_DUMPABLE, 1)  # else its memory cannot be read from outside
        if settings["seccomp"]:
            seccomp.restrict()
        serve(wire)
    finally:
        os._exit(0)


def _limit(limits: dict[str, int]) -> None:
    """Set resource limits, each at most what the hard limit allows."""
    for name, wanted in limits.items():
        which = getattr(resource, name, None)
        if which is None:
            continue
        _, hard = resource.getrlimit(which)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (value, value))


def _silence() -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _die_with_parent() -> None:
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait_for(process: int) -> None:
    while True:
        try:
            os.waitpid(process, 0)
            return
        except InterruptedError:
            continue
        except ChildProcessError:
            return
