"""Where runs execute: a seam. Here and now there is this process; a cluster can take its place."""

from __future__ import annotations

import asyncio
from typing import Protocol

from joulemark.runs.execute import RunOutcome, execute
from joulemark.runs.interruption import Interrupts
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan


class Executor(Protocol):
    """Carries out planned runs."""

    def run(self, plan: RunPlan, observer: Observer) -> RunOutcome:
        """Execute ``plan`` to its end, its interruption or its failure."""
        ...


class LocalExecutor:
    """Executes runs in this process, on the event loop that stamps best."""

    def __init__(self, interrupts: Interrupts | None = None) -> None:
        """``interrupts``: those of the command, null where nothing is done once a run was interrupted."""
        self._interrupts = interrupts

    def run(self, plan: RunPlan, observer: Observer) -> RunOutcome:
        """Execute ``plan``; Ctrl-C ends it early with what was measured, and more of them break nothing off.

        Raises ``KeyboardInterrupt`` where it was interrupted before there was a record.
        """
        if self._interrupts is not None:
            return self._run(plan, observer, self._interrupts)
        with Interrupts() as interrupts:
            return self._run(plan, observer, interrupts)

    def _run(self, plan: RunPlan, observer: Observer, interrupts: Interrupts) -> RunOutcome:
        from joulemark.engines.client import new_event_loop

        with interrupts.during_a_run(), asyncio.Runner(loop_factory=new_event_loop) as runner:
            try:
                return runner.run(execute(plan, observer, interrupts))
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None
