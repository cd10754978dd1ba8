"""A simulated server: requests go in, steps come out, and its books know every joule (ADR 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from operator import attrgetter
from typing import NamedTuple

from joulemark.record.errors import InputError
from joulemark.simulate.books import Books, DeviceCourse
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.instance import Instance
from joulemark.simulate.job import Job
from joulemark.simulate.log import StepLog
from joulemark.simulate.request import Finished, SimRequest

Token = tuple[str, bool, bool]
"""``request_id``, whether it is the request's first token, whether its last."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of one instance, from ``t0_ns`` to ``t1_ns``.

    ``tokens`` were generated at its end. ``power_w`` is what each of its ``devices`` drew on average.
    ``running`` requests were in the batch, ``waiting`` were not, when it began.
    """

    t0_ns: int
    t1_ns: int
    prefill_tokens: int
    decode_requests: int
    tokens: tuple[Token, ...]
    finished: tuple[Finished, ...]
    power_w: tuple[float, ...]
    devices: tuple[int, ...]
    running: int
    waiting: int


class Ended(NamedTuple):
    """The end of a step, or of several that were alike: ``tokens`` are told only of a single one."""

    instance: int
    tokens: list[Token]
    finished: list[Finished]


class SimulatedServer:
    """A server on a clock that only its steps move: virtual, unless somebody waits for their ends.

    ``step`` gives one step after another in the order of their ends. Who lives on real time calls ``advance``
    with the time it is, and sleeps until ``next_event_ns`` or the next request.
    """

    def __init__(self, config: ServerConfig, t0_ns: int = 0) -> None:
        self.config, self.t0_ns = config, t0_ns
        first = max(1, config.prefill_instances)
        self._instances = [
            Instance(config, t0_ns, prefill_only=config.disaggregated and n < first)
            for n in range(config.instances)
        ]
        self._entry, self._decode = self._instances[:first], self._instances[first:]
        self._now_ns = t0_ns
        self._arrivals: list[tuple[int, int, Job]] = []
        self._handovers: list[tuple[int, int, Job]] = []
        self._busy: list[tuple[int, int]] = []  # ends of steps in progress, with their instance
        self._number = 0
        self._jobs: dict[str, Job] = {}
        self._leaving: set[str] = set()
        self.aborted_j = 0.0

    # -- what can be seen -----------------------------------------------------------------------------------

    @property
    def now_ns(self) -> int:
        """The end of the last step that was given out."""
        return self._now_ns

    @property
    def running(self) -> int:
        """Requests in the batches."""
        return sum(len(instance.running) for instance in self._instances)

    @property
    def waiting(self) -> int:
        """Requests that have arrived and are not in a batch, on their way between instances included."""
        queued = sum(len(instance.waiting) + len(instance.swapped) for instance in self._instances)
        arrived = sum(t_ns <= self._now_ns for t_ns, _, _ in self._arrivals)
        return queued + arrived + len(self._handovers)

    @property
    def kv_used_share(self) -> float:
        """The part of the context's memory that requests hold, of all instances that decode."""
        counted = self._decode or self._entry
        return sum(i.memory.used / i.memory.pages for i in counted) / len(counted)

    @property
    def preemptions(self) -> int:
        """Preemptions so far."""
        return sum(instance.preemptions for instance in self._instances)

    @property
    def in_flight_j(self) -> float:
        """Joules of all steps that have begun which belong to requests that have not ended."""
        here = sum(instance.in_flight_j() for instance in self._instances)
        return here + sum(job.spent_j for _, _, job in self._handovers)

    @property
    def next_event_ns(self) -> int | None:
        """When something happens next by itself: a step ends or begins, a request arrives; null: never."""
        starts = [i.free_ns for i in self._instances if not i.busy and i.has_work]
        events = [heap[0][0] for heap in (self._busy, self._arrivals, self._handovers) if heap] + starts
        return min(events, default=None)

    @property
    def kv_pages(self) -> int:
        """Pages of context that fit into an instance."""
        return self._instances[0].memory.pages

    def logs(self) -> tuple[StepLog, ...]:
        """Return the steps of each instance; they grow on."""
        return tuple(instance.log for instance in self._instances)

    def books(self) -> Books:
        """Return the energy of each device up to the end of the last step; a snapshot."""
        courses = tuple(
            DeviceCourse(instance.log, self.t0_ns, self.config.gpu.idle_w, self.config.tensor_parallel)
            for instance in self._instances
        )
        return Books(courses, self.t0_ns, max(self._now_ns, *(c.end_ns for c in courses)))

    def energy_j(self, device: int, t_ns: int) -> float:
        """Return the joules of a device from the start to ``t_ns``: quick, for a meter that is read often."""
        tp = self.config.tensor_parallel
        log = self._instances[device // tp].log
        return log.energy_j(t_ns, self.t0_ns, tp * self.config.gpu.idle_w) / tp

    # -- what can be done -----------------------------------------------------------------------------------

    def submit(self, request: SimRequest, t_ns: int) -> None:
        """Let a request arrive at ``t_ns``, which may lie in the future.

        Raises ``InputError`` for one that does not fit into the context's memory even alone, and for an id
        that is in flight.
        """
        if request.prompt_tokens + request.output_tokens > self.config.kv_capacity_tokens:
            raise InputError(
                f"request {request.request_id} needs {request.prompt_tokens + request.output_tokens} tokens "
                f"of context, and {self.config.kv_capacity_tokens} fit",
                fix="give the server more kv_tokens or devices, or shorter requests",
            )
        if request.request_id in self._jobs:
            raise InputError(f"a request {request.request_id!r} is in flight", fix="give each its own id")
        job = Job(request, t_ns)
        self._jobs[request.request_id] = job
        self._number += 1
        heappush(self._arrivals, (t_ns, self._number, job))

    def abort(self, request_id: str) -> bool:
        """Let a client go away: its request goes when the step in progress ends; false where there is none.

        What was spent on it counts in ``aborted_j``.
        """
        if request_id not in self._jobs:
            return False
        self._leaving.add(request_id)
        self._let_go()
        return True

    def step(self) -> Step | None:
        """Carry out the next step; null when nothing is there to do."""
        return self.advance(inf)

    def advance(self, until_ns: float) -> Step | None:
        """Return the next step that ends at or before ``until_ns``; null when there is none yet."""
        came = self.next_end(until_ns, most=1)
        if came is None:
            return None
        number = came.instance
        instance = self._instances[number]
        log, at = instance.log, instance.steps - 1
        t0, t1 = log.t0_ns[at], log.t1_ns[at]
        before_j = log.spent_j[at - 1] if at else 0.0
        tp = self.config.tensor_parallel
        power_w = (log.spent_j[at] - before_j) / tp / ((t1 - t0) * 1e-9)
        return Step(
            t0_ns=t0,
            t1_ns=t1,
            prefill_tokens=log.prefill_tokens[at],
            decode_requests=log.decode_tokens[at],
            tokens=tuple(came.tokens),
            finished=tuple(came.finished),
            power_w=(power_w,) * tp,
            devices=tuple(range(number * tp, (number + 1) * tp)),
            running=log.running[at],
            waiting=log.waiting[at],
        )

    # -- the order of events --------------------------------------------------------------------------------

    def next_end(self, until_ns: float, *, most: int) -> Ended | None:
        """Go on to the next end of a step; null where none ends at or before ``until_ns``.

        Up to ``most`` steps count as one while the batch stays as it is. At one instant ends come first, then
        arrivals, then beginnings: what arrives when a step begins is part of it.
        """
        while True:
            end_ns = self._busy[0][0] if self._busy else inf
            came_ns = self._arrivals[0][0] if self._arrivals else inf
            handed_ns = self._handovers[0][0] if self._handovers else inf
            start_ns, starting = inf, 0
            for number, instance in enumerate(self._instances):
                if not instance.busy and instance.free_ns < start_ns and instance.has_work:
                    start_ns, starting = instance.free_ns, number
            input_ns = came_ns if came_ns < handed_ns else handed_ns
            first_ns = min(end_ns, input_ns, start_ns)
            if first_ns > until_ns or first_ns == inf:
                return None
            if end_ns == first_ns:
                return self._end(heappop(self._busy)[1], with_tokens=most == 1)
            if came_ns == first_ns:
                t_ns, _, job = heappop(self._arrivals)
                _emptiest(self._entry).receive(job, t_ns)
            elif handed_ns == first_ns:
                t_ns, _, job = heappop(self._handovers)
                _emptiest(self._decode).receive(job, t_ns)
            else:
                instance = self._instances[starting]
                instance.begin(most, min(end_ns, input_ns))
                if len(self._instances) == 1 and instance.free_ns <= until_ns:
                    return self._end(0, with_tokens=most == 1)  # nothing else can come between
                heappush(self._busy, (instance.free_ns, starting))

    def _end(self, number: int, *, with_tokens: bool) -> Ended:
        instance = self._instances[number]
        self._now_ns = max(self._now_ns, instance.free_ns)
        tokens = instance.tokens() if with_tokens else []
        jobs, handed_over = instance.end()
        finished = [job.finished() for job in jobs]
        for job in jobs:
            del self._jobs[job.request.request_id]
            self._leaving.discard(job.request.request_id)
        for job in handed_over:
            self._number += 1
            took_ns = int(job.context * instance.cost.handover_s * 1e9 + 0.5)
            heappush(self._handovers, (instance.free_ns + took_ns, self._number, job))
        if self._leaving:
            self._let_go()
        return Ended(number, tokens, finished)

    def _let_go(self) -> None:
        for request_id in sorted(self._leaving):
            job = self._jobs[request_id]
            for heap in (self._arrivals, self._handovers):
                found = next((entry for entry in heap if entry[2] is job), None)
                if found is not None:
                    heap.remove(found)
                    heap.sort()  # a sorted list is a heap
                    break
            else:
                at = next(instance for instance in self._instances if instance.has(job))
                if at.busy and job.number >= 0:
                    continue
                at.remove(job)
            self.aborted_j += job.spent_j
            del self._jobs[request_id]
            self._leaving.discard(request_id)


def _emptiest(instances: Sequence[Instance]) -> Instance:
    """Return the instance with the fewest requests, the first of several."""
    return instances[0] if len(instances) == 1 else min(instances, key=attrgetter("in_flight"))
