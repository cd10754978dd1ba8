"""A program under test: loading its source, and calling its entry point."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import types
from collections.abc import Callable
from typing import Any

from joulemark.code.inside.plain import Nodes

MODULE = "solution"
_IN, _OUT = 0, 1
OWN_FILES = ("/tmp/stdin", "/tmp/stdout")
"""Input and output of a program that reads and prints; ``/dev/stdin`` and ``/dev/stdout`` lead there."""


def text_files() -> tuple[int, int]:
    """Return descriptors of two empty files: what a program reads as its input and where it prints.

    For where a program has no files of its own. They are made before it, which cannot make files in memory:
    no limit of a process counts those.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create("in"), os.memfd_create("out")
    files = []
    for _ in range(2):
        descriptor, path = tempfile.mkstemp()
        os.unlink(path)
        files.append(descriptor)
    return files[0], files[1]


def _own_files() -> tuple[int, int]:
    """Return such files in the program's own ``/tmp``, where they have names and their size is seen."""
    given, printed = (os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600) for path in OWN_FILES)
    return given, printed


class NoEntryPoint(Exception):
    """The source defines nothing under the name that is to be called."""


class Program:
    """A loaded program; `call` calls its entry point with arguments.

    ``entry_point``: ``name``, ``Class.name``, or empty for a program that reads standard input and prints.
    ``given``: names that the source finds defined. ``files``: of `text_files`, for programs that print; null
    where it has a ``/tmp`` of its own. Raises what the source raises, `NoEntryPoint`.
    """

    def __init__(
        self, source: str, entry_point: str, given: dict[str, Any], files: tuple[int, int] | None
    ) -> None:
        self._code = compile(source, f"<{MODULE}>", "exec", dont_inherit=True)
        self._entry_point = entry_point
        self._given = given
        self._namespace: dict[str, Any] = {}
        if entry_point:
            module = types.ModuleType(MODULE)
            sys.modules[MODULE] = module  # dataclasses and the like look their module up
            self._namespace = module.__dict__
            self._namespace.update(given)
            exec(self._code, self._namespace)
            self._found()  # before any input is sent
        else:
            self._files = files or _own_files()

    @property
    def nodes(self) -> Nodes:
        """The classes that linked lists and trees are made of."""
        return Nodes(self._namespace.get("ListNode"), self._namespace.get("TreeNode"))

    def call(self, args: tuple[Any, ...]) -> Any:
        """Return what the entry point returns, or what the program prints."""
        if self._entry_point:
            return self._found()(*args)
        return self._run(*args)

    def _found(self) -> Callable[..., Any]:
        holder, _, name = self._entry_point.rpartition(".")
        if holder:
            found = getattr(self._namespace[holder](), name, None) if holder in self._namespace else None
        else:
            found = self._namespace.get(name)
        if not callable(found):
            raise NoEntryPoint(self._entry_point)
        function: Callable[..., Any] = found
        return function

    def _run(self, text: str) -> str:
        """Run the program on ``text`` through real descriptors: ``open(0)`` and ``os.write(1, …)`` work."""
        given, printed = self._files
        for descriptor in self._files:
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
        left = memoryview(text.encode("utf-8", "surrogatepass"))
        while left:
            left = left[os.write(given, left) :]
        os.lseek(given, 0, os.SEEK_SET)
        os.dup2(given, _IN)
        os.dup2(printed, _OUT)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(_IN, "rb", closefd=False)), encoding="utf-8")
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(_OUT, "wb", closefd=False)), encoding="utf-8"
        )
        try:
            module = sys.modules["__main__"] = types.ModuleType("__main__")  # `pickle` looks its classes up
            module.__dict__.update(self._given)
            exec(self._code, module.__dict__)
        except SystemExit as ended:
            if ended.code not in (None, 0):
                raise
        sys.stdout.flush()
        os.lseek(printed, 0, os.SEEK_SET)
        with open(printed, encoding="utf-8", errors="replace", closefd=False) as output:
            return output.read()
