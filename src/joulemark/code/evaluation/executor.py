"""Where jobs are carried out: a seam. Here there are processes of this machine; a cluster can take over."""

from __future__ import annotations

import gc
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.queues import Queue
from typing import Protocol

from joulemark.code.contain.containment import Containment
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.environment import physical_cores
from joulemark.code.evaluation.job import Done, Job, work
from joulemark.record.errors import InputError


class CodeExecutor(Protocol):
    """Carries out jobs, in any order and place; ``n_workers`` of them at a time."""

    @property
    def n_workers(self) -> int:
        """How many programs run at a time, for the record."""
        ...

    def run(self, stages: Iterable[Sequence[Job]], containment: Containment) -> Iterator[Done]:
        """Yield what came of each job as it is finished. Closing the iterator ends what is under way.

        A stage is asked for when what came of all jobs of the one before was yielded: these may depend on it.
        """
        ...


class LocalExecutor:
    """Carries out jobs in processes of this machine: one for each physical core, each keeping to its own.

    ``n_workers``: fewer of them; more would disturb each other. Raises `InputError` where a worker dies.
    """

    def __init__(self, n_workers: int | None = None) -> None:
        cores: list[int | None] = [*physical_cores(_allowed())]
        self.cores = cores[: n_workers or None] or [None]

    @property
    def n_workers(self) -> int:
        """How many programs run at a time."""
        return len(self.cores)

    def run(self, stages: Iterable[Sequence[Job]], containment: Containment) -> Iterator[Done]:
        """Yield what came of each job; two wait for every worker, so that none is idle within a stage."""
        context = multiprocessing.get_context("spawn")
        places: Queue[int | None] = context.Queue()
        for core in self.cores:
            places.put(core)
        with ProcessPoolExecutor(len(self.cores), context, _start, (places, containment)) as pool:
            under_way: set[Future[Done]] = set()
            try:
                for stage in stages:
                    waiting = iter(stage)
                    while True:
                        for job in waiting:
                            under_way.add(pool.submit(_work, job))
                            if len(under_way) >= 2 * len(self.cores):
                                break
                        if not under_way:
                            break
                        finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                        for one in finished:
                            yield one.result()
            except BrokenProcessPool as error:
                raise InputError(
                    "a process that grades programs was ended",
                    why="the system may be short of memory",
                    fix="give the same command again with --workers 1: it goes on where it stopped",
                ) from error
            finally:
                for one in under_way:
                    one.cancel()
                _end(pool)


_COLLECT_AFTER = (200_000, 20, 20)  # objects, collections of the young, of the middle-aged

_sandbox: Sandbox | None = None
_held: tuple[Containment, int | None] | None = None


def _start(places: Queue[int | None], containment: Containment) -> None:
    """Begin a worker's life: Ctrl-C is the parent's business, and every worker has a core of its own."""
    global _held
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _held = (containment, places.get())
    # What was imported stays, and what is read from programs makes no cycles: seldom looking is enough.
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


def _end_with_parent() -> None:
    """Wait for the parent's end and follow it: a pool's workers outlive a parent that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _work(job: Job) -> Done:
    """Carry out a job in this worker's sandbox."""
    return work(_sandbox_for(job.settings.limits()), job)


def _sandbox_for(limits: Limits) -> Sandbox:
    global _sandbox
    assert _held is not None  # `_start` ran first
    if _sandbox is not None and _sandbox.limits != limits:
        _sandbox.close()
        _sandbox = None
    if _sandbox is None:
        _sandbox = Sandbox(_held[0], limits, cpu=_held[1])
    return _sandbox


def _allowed() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def _end(pool: ProcessPoolExecutor) -> None:
    """End workers that still measure: waiting for a job of minutes would make Ctrl-C useless."""
    pool.shutdown(wait=False, cancel_futures=True)
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()
