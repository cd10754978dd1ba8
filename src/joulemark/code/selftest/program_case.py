"""Cases that are a program each: files beside this one that are read and never imported.

A file begins with lines ``# key: value``. ``what``: what it does. ``expected``: alternatives by ``|`` of
words that must hold: ``right``, ``charged`` (all its work was seen), ``not right``, or an outcome. ``entry``:
what is called, ``solve`` without it, nothing for a program that reads its input. ``shape``: of the answer.
``runs``: how often it runs, the last is judged. ``needs``: what has to hold it, else it is not run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib import resources

from joulemark.code.contain.containment import Containment
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.selftest.case import Case, SelfTestCase
from joulemark.code.selftest.observed import CHARGED, Observed, fits, observe, observe_honest
from joulemark.code.selftest.task import new_task

_SUFFIX = ".py.txt"
_GONE_S = 2.0
_TRIES = 4
_NEEDS = {
    "files": "files of its own",
    "processes": "its own processes or a list of system calls",
    "calls": "a list of system calls",
}


@dataclass(frozen=True, slots=True)
class ProgramCase:
    """A program and what has to come of it: a case."""

    name: str
    what: str
    expected: str
    source: str
    entry_point: str = "solve"
    shape: str = ""
    runs: int = 1
    needs: str = ""

    def __call__(self, sandbox: Sandbox) -> SelfTestCase:
        """Run it; what it leaves behind is a failure too."""
        if not _holds(sandbox.containment, self.needs):
            given = f"not run: this machine cannot give it {_NEEDS[self.needs]}"
            return SelfTestCase(self.name, self.what, self.expected, given, False)
        for _ in range(_TRIES):
            seen, words = self._tried(sandbox)
            passed = fits(words, self.expected)
            if passed or not seen.is_right:
                break  # a right one whose work was not seen gets another try: the machine may have been busy
        given = seen.said(words)
        if left := left_behind(sandbox):
            given, passed = f"{given}; it left {left} processes behind", False
        return SelfTestCase(self.name, self.what, self.expected, given, passed)

    def _tried(self, sandbox: Sandbox) -> tuple[Observed, set[str]]:
        """Run it on a task of its own, beside an honest program where its work is to be seen."""
        task = new_task()
        honest = observe_honest(sandbox, task) if CHARGED in self.expected else None
        for _ in range(self.runs):
            seen = observe(sandbox, self.source, task, self.entry_point, self.shape)
        return seen, seen.words(honest)


def left_behind(sandbox: Sandbox) -> int:
    """Return how many processes of ended runs there still are, after they had time to end."""
    until = time.monotonic() + _GONE_S
    while (left := sandbox.n_processes()) and time.monotonic() < until:
        time.sleep(0.01)
    return left


def program_cases() -> tuple[Case, ...]:
    """Return the cases of all programs, honest ones first."""
    folder = resources.files(__package__) / "programs"
    cases = [
        _read(file.name.removesuffix(_SUFFIX), file.read_text("utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(_SUFFIX)
    ]
    return tuple(sorted(cases, key=lambda case: (not case.name.startswith("honest"), case.name)))


def _read(name: str, text: str) -> ProgramCase:
    """Return the case of a file's text. Raises ``ValueError``."""
    head, _, source = text.partition("\n\n")
    keys = {}
    for line in head.splitlines():
        key, found, value = line.removeprefix("# ").partition(":")
        if not found:
            raise ValueError(f"{name}: no key in {line!r}")
        keys[key] = value.strip()
    return ProgramCase(
        name=name,
        what=keys.pop("what"),
        expected=keys.pop("expected"),
        source=source,
        entry_point=keys.pop("entry", "solve"),
        shape=keys.pop("shape", ""),
        runs=int(keys.pop("runs", "1")),
        needs=keys.pop("needs", ""),
    )


def _holds(containment: Containment, needed: str) -> bool:
    return {
        "": True,
        "files": containment.namespaces,
        "processes": containment.namespaces or containment.seccomp,
        "calls": containment.seccomp,
    }[needed]
