"""One instance of an engine: who runs and who waits."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from math import inf

from joulemark.simulate.config import KV_BLOCK_TOKENS, ServerConfig
from joulemark.simulate.cost import step_cost
from joulemark.simulate.job import Job
from joulemark.simulate.log import StepLog
from joulemark.simulate.memory import ContextMemory, pages_for
from joulemark.simulate.shares import Shares
from joulemark.simulate.stretch import decode_alone, mixed_step

Chunk = tuple[Job, int]
"""A job and how many tokens of its prompt a step takes up."""


class Instance:
    """A continuous-batching engine on ``tensor_parallel`` devices.

    ``begin`` decides on a step and books it, ``end`` hands out what it made; between the two the instance is
    busy until ``free_ns``. ``prefill_only``: jobs leave after their first token, to another instance.

    ``decoders`` jobs have ``context`` tokens in memory together; ``growing[n]`` of them need a page in a step
    whose number is n modulo the tokens of a page. ``steps`` were taken; ``gap_ns`` passed between them.
    ``spent_j``, ``prefill_j`` and ``decode_j`` are as in the last row of the log.
    """

    def __init__(self, config: ServerConfig, t0_ns: int, *, prefill_only: bool = False) -> None:
        self.config, self.cost, self.prefill_only = config, step_cost(config), prefill_only
        self.log, self.shares, self.memory = StepLog(), Shares(), ContextMemory(config)
        self.waiting: deque[Job] = deque()
        self.swapped: deque[Job] = deque()
        self.running: dict[int, Job] = {}
        self.prefilling: dict[int, Job] = {}
        self.decoders = self.context = self.steps = self.preemptions = 0
        self.growing = [0] * KV_BLOCK_TOKENS
        self.free_ns, self.gap_ns, self.busy = t0_ns, 0, False
        self.spent_j = self.prefill_j = self.decode_j = 0.0
        self._ends: list[tuple[int, int, Job]] = []
        self._admitted = 0
        self._chunks: list[Chunk] = []
        self._moved_pages = 0

    @property
    def in_flight(self) -> int:
        """Requests that run or wait here."""
        return len(self.running) + len(self.waiting) + len(self.swapped)

    @property
    def has_work(self) -> bool:
        """Whether there is a step to do."""
        return bool(self.running or self.waiting or self.swapped)

    def receive(self, job: Job, t_ns: int) -> None:
        """Put a job at the end of the queue; an instance that has nothing to do turns to it at ``t_ns``."""
        if not self.busy and self.free_ns < t_ns and not self.has_work:
            self.gap_ns += t_ns - self.free_ns
            self.free_ns = t_ns
        self.waiting.append(job)

    # -- a step ---------------------------------------------------------------------------------------------

    def begin(self, most: int = 1, until_ns: float = inf) -> None:
        """Begin the next step at ``free_ns`` and set that to its end.

        Up to ``most`` steps are taken as one where the batch stays as it is; none of them but the first
        begins at or after ``until_ns``.
        """
        self.busy = True
        self._moved_pages = 0
        before = self.preemptions
        self._grow()
        preempted = self.preemptions - before
        budget = self.config.max_batched_tokens - self.decoders
        for job in self.prefilling.values():
            if budget <= 0:
                break
            budget -= self._take_chunk(job, budget)
        if not preempted:  # else those who were preempted would come straight back
            if self.swapped:
                budget = self._swap_in(budget)
            if self.waiting and not self.swapped:
                self._admit(budget)
        if self._chunks or preempted or self._moved_pages:
            mixed_step(self, self._chunks, self._moved_pages, preempted)
        else:
            decode_alone(self, min(most, self._next_end() - self.steps), until_ns)

    def end(self) -> tuple[list[Job], list[Job]]:
        """End the step that was begun; returns the jobs that are finished, and those to hand over."""
        self.busy = False
        finished: list[Job] = []
        handed_over: list[Job] = []
        for job, taken in self._chunks:
            job.context += taken
            if job.context < job.target:
                continue
            del self.prefilling[job.number]
            self.memory.keep_prefix(job)
            job.left -= 1
            if job.first_ns < 0:
                job.first_ns = self.free_ns
            if job.left and not self.prefill_only:
                self._decode(job, self.steps - 1)
            else:
                job.parts.append(self.log.stamps(self.steps - 1, self.steps))
                self._leave(job)
                (handed_over if job.left else finished).append(job)
        self._chunks.clear()
        while self._next_end() == self.steps:
            job = heappop(self._ends)[2]
            self._stop_decoding(job)
            self._leave(job)
            finished.append(job)
        return finished, handed_over

    def tokens(self) -> list[tuple[str, bool, bool]]:
        """Return what the step in progress generates: request, whether its first token, whether its last."""
        made = [
            (job.request.request_id, False, job.ends_at == self.steps)
            for job in self.running.values()
            if job.decoding
        ]
        made += [
            (job.request.request_id, job.first_ns < 0, job.left == 1)
            for job, taken in self._chunks
            if job.context + taken == job.target
        ]
        return made

    # -- who is here ----------------------------------------------------------------------------------------

    def has(self, job: Job) -> bool:
        """Whether a job is here."""
        return self.running.get(job.number) is job or job in self.waiting or job in self.swapped

    def remove(self, job: Job) -> None:
        """Take out a job that `has` found; one that runs not in the middle of a step."""
        if self.running.get(job.number) is job:
            if job.decoding:
                self._stop_decoding(job)
            else:
                del self.prefilling[job.number]
            self._leave(job)
        else:
            (self.waiting if job in self.waiting else self.swapped).remove(job)

    def in_flight_j(self) -> float:
        """Return the joules of the steps so far that belong to jobs that have not left."""
        shares = self.shares
        in_batch = sum(
            job.spent_j
            + (shares.idle_j - job.at_entry)
            + (shares.decoded_j(job.at_start, job.offset) if job.decoding else 0.0)
            for job in self.running.values()
        )
        return in_batch + sum(job.spent_j for queue in (self.waiting, self.swapped) for job in queue)

    # -- who runs -------------------------------------------------------------------------------------------

    def _grow(self) -> None:
        """Give each decoder room for its next token; preempt who came last while there is none."""
        slot = self.steps % KV_BLOCK_TOKENS
        while self.growing[slot] > self.memory.available:
            self._preempt(self.running[next(reversed(self.running))])
        self.memory.claim(self.growing[slot])

    def _preempt(self, job: Job) -> None:
        job.preemptions += 1
        self.preemptions += 1
        if job.decoding:
            self._stop_decoding(job)
            swap = self.config.preemption == "swap"
        else:  # half a prompt is not worth the way to the host
            del self.prefilling[job.number]
            swap = False
        self._leave(job)
        if swap:
            job.target = job.context
            self._move(job)
            self.swapped.append(job)
        else:
            job.target = job.request.prompt_tokens + job.request.output_tokens - job.left
            job.context = 0
            self.waiting.appendleft(job)

    def _move(self, job: Job) -> None:
        """Charge a job for moving its context over the link to the host."""
        pages = pages_for(job.context)
        moved_j = self.cost.devices * self.cost.transfer_w * (pages * self.cost.page_s)
        self._moved_pages += pages
        job.decode_j += moved_j

    def _swap_in(self, budget: int) -> int:
        while self.swapped and budget > 0 and len(self.running) < self.config.max_batch:
            job = self.swapped[0]
            if not self._enter(job, pages_for(job.context + 1)):
                break
            self.swapped.popleft()
            self._move(job)
            self._decode(job, self.steps)
            budget -= 1
        return budget

    def _admit(self, budget: int) -> None:
        while self.waiting and budget > 0 and len(self.running) < self.config.max_batch:
            job = self.waiting[0]
            ready = job.context == job.target  # it was prefilled elsewhere
            if not self._enter(job, pages_for(job.target + ready)):
                break
            self.waiting.popleft()
            if ready:
                self._decode(job, self.steps)
                budget -= 1
                continue
            if job.cached_tokens < 0:
                job.cached_tokens = job.context
            self.prefilling[job.number] = job
            budget -= self._take_chunk(job, budget)

    def _take_chunk(self, job: Job, budget: int) -> int:
        taken = min(budget, job.target - job.context)
        self._chunks.append((job, taken))
        return taken

    def _enter(self, job: Job, pages: int) -> bool:
        """Take a job into the batch; false where its ``pages`` do not fit."""
        if not self.memory.claim_for(job, pages, self.memory.reserve if self.running else 0):
            return False
        job.number = self._admitted
        self._admitted += 1
        self.running[job.number] = job
        job.at_entry = self.shares.idle_j
        return True

    def _leave(self, job: Job) -> None:
        """Take a job that does not decode out of the batch, and its pages back."""
        self.memory.give_back(job)
        del self.running[job.number]
        job.idle_j += self.shares.idle_j - job.at_entry
        job.number = -1

    def _decode(self, job: Job, first_stamp: int) -> None:
        """Let a job whose context is in memory decode from the next step on.

        The first of its tokens that has no stamp yet is that of step ``first_stamp``.
        """
        job.decoding = True
        job.offset = job.context - self.steps
        job.stamped_from = first_stamp
        job.ends_at = self.steps + job.left
        job.at_start = self.shares.decoding()
        self.growing[-job.offset % KV_BLOCK_TOKENS] += 1
        self.decoders += 1
        self.context += job.context
        heappush(self._ends, (job.ends_at, job.number, job))

    def _stop_decoding(self, job: Job) -> None:
        job.decoding = False
        job.context = job.offset + self.steps
        job.left = job.ends_at - self.steps
        if self.steps > job.stamped_from:
            job.parts.append(self.log.stamps(job.stamped_from, self.steps))
        job.decode_j += self.shares.decoded_j(job.at_start, job.offset)
        self.growing[-job.offset % KV_BLOCK_TOKENS] -= 1
        self.decoders -= 1
        self.context -= job.context

    def _next_end(self) -> int:
        """Return the step after which the next decoder has its last token; −1 where nobody decodes."""
        while self._ends:
            ends_at, number, job = self._ends[0]
            if self.running.get(number) is job:
                return ends_at
            heappop(self._ends)  # it left before its end
        return -1
