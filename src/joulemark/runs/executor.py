"""Where runs execute: a seam. Here and now there is this process; a cluster can take its place."""

from __future__ import annotations

import asyncio
from typing import Protocol

from joulemark.runs.execute import RunOutcome, execute
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan


class Executor(Protocol):
    """Carries out planned runs."""

    def run(self, plan: RunPlan, observer: Observer) -> RunOutcome:
        """Execute ``plan`` to its end, its interruption or its failure."""
        ...


class LocalExecutor:
    """Executes runs in this process, on the event loop that stamps best."""

    def run(self, plan: RunPlan, observer: Observer) -> RunOutcome:
        """Execute ``plan``; Ctrl-C ends it early with what was measured.

        Raises ``KeyboardInterrupt`` where it was interrupted before there was a record.
        """
        from joulemark.engines.client import new_event_loop

        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            try:
                return runner.run(execute(plan, observer))
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None
