"""What came of a program of the self-test, in the words that expectations are written in."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.code.contain.called import Called
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.selftest.task import HONEST, Task
from joulemark.record.code_run import Outcome

RIGHT, NOT_RIGHT, CHARGED = "right", "not right", "charged"
_SHARE = 0.6  # of what an honest program takes: the machine's speed changes from one moment to the next


@dataclass(frozen=True, slots=True)
class Observed:
    """How a program ended. ``is_right``: it returned the answer. Times are CPU time, in ns."""

    outcome: Outcome
    is_right: bool
    detail: str = ""
    cpu_ns: int = 0
    outside_ns: int = 0

    def words(self, honest: Observed | None) -> set[str]:
        """Return what is true of it; it is charged where all that an honest program takes was seen."""
        found = {RIGHT if self.is_right else NOT_RIGHT, str(self.outcome)}
        if self.is_right and honest is not None:
            seen = self.cpu_ns + max(0, self.outside_ns - honest.outside_ns)
            if seen >= _SHARE * honest.cpu_ns:
                found.add(CHARGED)
        return found

    def said(self, words: set[str]) -> str:
        """Return it for a reader."""
        if self.is_right:
            charged = " and charged" if CHARGED in words else ""
            times = f"{self.cpu_ns / 1e6:.0f} ms in the call, {self.outside_ns / 1e6:.0f} ms outside"
            return f"{RIGHT}{charged}: {times}"
        return f"{self.outcome}: {self.detail}" if self.detail else f"{self.outcome}, {NOT_RIGHT}"


def fits(words: set[str], expected: str) -> bool:
    """Tell whether words meet one of the alternatives (``|``), each of which may be several (``and``)."""
    return any(set(one.strip().split(" and ")) <= words for one in expected.split("|"))


def observe(
    sandbox: Sandbox, source: str, task: Task, entry_point: str = "solve", shape: str = ""
) -> Observed:
    """Run a program on a task in a fresh process, and look at what it gave."""
    sent = task.sent if entry_point else task.sent_as_text
    try:
        with sandbox.cell() as cell:
            cell.load(source, entry_point)
            called = cell.call([sent])
    except Ended as ended:
        return Observed(ended.outcome, False, ended.detail)
    return _of(called, task, shape if entry_point else "text")


def observe_honest(sandbox: Sandbox, task: Task) -> Observed:
    """Run the honest program."""
    return observe(sandbox, HONEST, task)


def _of(called: Called, task: Task, shape: str) -> Observed:
    right = called.outcome is Outcome.RETURNED and task.is_right(called.values[0], shape)
    return Observed(called.outcome, right, called.detail, called.cpu_ns, called.cpu_around_ns)
