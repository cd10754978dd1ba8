"""A sandbox: where programs run, each in a fresh contained process."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from joulemark.code.contain.cell import Cell
from joulemark.code.contain.containment import Containment, linux
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.starter import Starter
from joulemark.record.errors import InputError


class Sandbox:
    """Starts contained processes, each with nothing of the one before: a context manager.

    ``cpu``: the processor it keeps to, null for any. Raises `InputError` where it cannot be started.
    What its programs are held by is in ``containment``; rows of a record carry its ``flags``.
    """

    def __init__(self, containment: Containment, limits: Limits, *, cpu: int | None = None) -> None:
        if linux() and not Path("/proc/self/stat").exists():
            raise InputError(
                "generated code cannot be measured here",
                why="there is no /proc, where a program's memory is read",
                fix="mount -t proc proc /proc",
            )
        self.containment = containment
        self.limits = limits
        self._cpu = cpu
        self._lent: set[Starter] = set()
        self._starter: Starter | None = self._fresh()

    def cell(self) -> Cell:
        """Start a fresh process. Raises `InputError` where that fails."""
        if self._starter is None:
            raise InputError("the sandbox for generated code is closed")
        if self.containment.per_run or not self.containment.namespaces:
            return self._starter.cell()
        # Namespaces cannot be made for each run: each gets a sandbox, the first of them the one that waits.
        starter, self._starter = self._starter, self._fresh()
        self._lent.add(starter)
        try:
            return starter.cell(lambda: self._take_back(starter))
        except BaseException:
            self._take_back(starter)
            raise

    def n_processes(self) -> int:
        """Return how many processes of runs there are now: none when no cell is open."""
        held = [*self._lent, *([] if self._starter is None else [self._starter])]
        return sum(starter.n_processes() for starter in held)

    def close(self) -> None:
        """End every process of the sandbox."""
        for starter in list(self._lent):
            self._take_back(starter)
        if self._starter is not None:
            self._starter.close()
            self._starter = None

    def _take_back(self, starter: Starter) -> None:
        starter.close()
        self._lent.discard(starter)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fresh(self) -> Starter:
        return Starter(self.containment, self.limits, self._cpu)
