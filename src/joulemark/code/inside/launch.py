"""The sandbox's first process: it goes into the containment, then makes one fresh process a run.

Started as ``python -P -s -S -B`` with its settings as JSON in its first argument, which name the descriptor
of a control socket and one that tells when the parent is gone. For each byte on the socket, which comes with
two descriptors, it forks: the first process of new namespaces (which watches, and whose end ends all others)
> the worker. Where namespaces cannot be had that way, or are made for all runs together, a warden stands
between, of which that process is a child. No program under test ever runs in this process, so that every
fork starts from the same clean memory; and no descriptor but its own channel is left to a worker.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from typing import Any

from joulemark.code.inside import landlock, namespaces, root, seccomp, system
from joulemark.code.inside.family import end_descendants
from joulemark.code.inside.limit import limit
from joulemark.code.inside.program import text_files
from joulemark.code.inside.worker import serve

_PRELOADED = (
    "abc", "array", "ast", "bisect", "cmath", "collections", "contextlib",
    "copy", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools",
    "hashlib", "heapq", "itertools", "json", "math", "numbers", "operator",
    "queue", "random", "re", "statistics", "string", "struct", "textwrap",
    "threading", "time", "typing", "zlib",
)  # fmt: skip
"""What programs import: loaded once, before any of them, so that no run is charged for it."""
_MAX_PROCESSES = 512  # threads too; behind the parent's own limit, of all runs of the sandbox together
_WORKER = 2  # its number in namespaces of its own
_NAME = "solution.py"  # of the program that was started, as far as a program can see
_MANY = 1 << 16  # descriptors above every one that was passed on


def main() -> None:
    """Set the sandbox up, tell the parent, and fork workers until the parent closes the socket or is gone."""
    settings: dict[str, Any] = json.loads(sys.argv[1])
    sys.argv, sys.orig_argv = [_NAME], [sys.executable, _NAME]  # nothing of this machine's, no argument
    control = socket.socket(fileno=settings["control"])
    for name in _PRELOADED:
        importlib.import_module(name)
    try:
        if settings["cpu"] is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, [settings["cpu"]])
        if settings["namespaces"] == namespaces.OWN:
            namespaces.make(settings["root"])
            first = os.fork()
            if first:
                control.close()
                _wait_for(first)
                return
            _die_with_parent()
        elif settings["per_run"]:
            for device in root.DEVICES:
                system.protect(device)  # whoever made the namespaces gives them writable, and root owns them
    except OSError as error:
        control.sendall(json.dumps({"error": f"{error}"}).encode() + b"\n")
        return
    _silence()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # wardens are reaped by the kernel
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings["readable"] = root.readable_paths()
    if settings["namespaces"] == namespaces.NONE:
        _adopt_orphans()
        settings["readable"], settings["listable"] = root.readable_parts(), root.readable_paths()
    if settings["seccomp"] and settings["per_run"]:
        settings["filter"] = seccomp.filter_program(_WORKER, **_filtered(settings))  # once for all runs
    settings["bounded"] = system.is_linux() and system.bound_capabilities()  # once for all runs
    gc.collect()
    gc.freeze()
    control.sendall(json.dumps({"ready": True, "pid": os.getpid()}).encode() + b"\n")
    _serve_orders(control, settings)
    if settings["namespaces"] == namespaces.NONE:
        end_descendants(os.getpid())


def _serve_orders(control: socket.socket, settings: dict[str, Any]) -> None:
    parent: int | None = settings["parent"]
    firsts = _firsts(settings)
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    if parent is not None:
        waiting.register(parent, select.POLLIN)  # a copy of the other end may outlive the parent; this tells
    while True:
        if parent in dict(waiting.poll()):
            return
        message, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not message:
            return
        try:
            child = os.fork() if firsts is None else firsts.fork()
        except OSError:
            child = -1  # the parent sees that the run's channels are closed
        if child == 0:
            try:
                control.close()
                if firsts is None:
                    _ward(settings, *descriptors)
                _begin_watch(settings, *descriptors)
            finally:
                os._exit(1)
        for descriptor in descriptors:
            os.close(descriptor)


def _firsts(settings: dict[str, Any]) -> namespaces.Firsts | None:
    if not settings["per_run"]:
        return None
    try:
        return namespaces.Firsts()
    except (OSError, AttributeError):
        return None


def _begin_watch(settings: dict[str, Any], wire: int, status: int) -> None:
    """As the first process of a namespace: make the others of the run, and watch. Never returns."""
    _close_all_but(wire, status)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    namespaces.make_for_first()
    _watch(settings, wire, status)


def _ward(settings: dict[str, Any], wire: int, status: int) -> None:
    """Make namespaces for one run and its first process; wait for that. Never returns."""
    try:
        _close_all_but(wire, status)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _die_with_parent()
        if settings["per_run"]:
            namespaces.make_for_run()
        if (first := os.fork()) == 0:
            _watch(settings, wire, status)
        os.close(wire)
        os.close(status)
        _wait_for(first)
    finally:
        os._exit(0)


def _watch(settings: dict[str, Any], wire: int, status: int) -> None:
    """As the first process of the namespaces: start the worker, say how it ended. Never returns."""
    try:
        _die_with_parent()
        os.setsid()
        if settings["per_run"]:
            root.private_tmp(settings["tmp_bytes"])
        elif settings["namespaces"] == namespaces.NONE:
            _adopt_orphans()
        os.write(status, json.dumps({"pid": os.getpid()}).encode() + b"\n")  # who is to be killed
        if (worker := os.fork()) == 0:
            os.close(status)
            _work(settings, wire)
        os.close(wire)
        while True:
            ended, code, usage = os.wait3(0)
            if ended == worker:
                break
        cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)
        os.write(status, json.dumps({"code": code, "cpu_ns": cpu_ns}).encode() + b"\n")
        if settings["namespaces"] == namespaces.NONE:
            end_descendants(os.getpid())
    finally:
        os._exit(0)


def _work(settings: dict[str, Any], wire: int) -> None:
    """Give up every right and serve. Never returns."""
    try:
        _die_with_parent()
        _close_all_but(wire)
        _silence()  # flags of an open file are shared by all who hold it, from one run to the next
        files = None if _has_own_files(settings) else text_files()
        limit(settings["limits"])
        if system.is_linux():
            _confine(settings)
        serve(wire, files)
    finally:
        os._exit(0)


def _has_own_files(settings: dict[str, Any]) -> bool:
    """Tell whether all files that a run can write are its own."""
    return bool(settings["namespaces"] != namespaces.NONE)


def _confine(settings: dict[str, Any]) -> None:
    private_files = _has_own_files(settings)
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if settings["landlock"]:
        writable = ["/tmp", "/dev/null"] if private_files else ["/dev/null"]
        readable = [*settings["readable"], *root.DEVICES]
        landlock.restrict(readable, writable, settings.get("listable", ()))
    system.drop_capabilities(bounded=settings["bounded"])
    system.prctl(system.PR_SET_DUMPABLE, 1)  # else its memory cannot be read from outside
    if private_files and system.counts_by_namespace():
        limit({"RLIMIT_NPROC": _MAX_PROCESSES})
    if settings["seccomp"]:
        if "filter" in settings and os.getpid() == _WORKER:
            seccomp.put(settings["filter"])
        else:
            seccomp.restrict(**_filtered(settings))


def _filtered(settings: dict[str, Any]) -> dict[str, bool]:
    """Return what the filter of system calls has to know of the containment."""
    attributes = settings["namespaces"] == namespaces.OWN or settings["per_run"]
    return {"private_files": _has_own_files(settings), "attributes": bool(attributes)}


def _close_all_but(*kept: int) -> None:
    """Close every descriptor from 3 up that is not ``kept``, whoever opened it."""
    start = 3
    for descriptor in (*sorted(kept), _MANY):
        os.closerange(start, descriptor)
        start = descriptor + 1


def _silence() -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _die_with_parent() -> None:
    if system.is_linux():
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)


def _adopt_orphans() -> None:
    """Become the parent of what a program leaves behind, so that it can be found and ended."""
    if system.is_linux():
        system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)


def _wait_for(process: int) -> None:
    while True:
        try:
            os.waitpid(process, 0)
            return
        except InterruptedError:
            continue
        except ChildProcessError:
            return
