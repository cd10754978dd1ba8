"""Carrying out steps, a mixed one or many that only decode, and booking whose energy it was (ADR 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from joulemark.simulate.config import KV_BLOCK_TOKENS

if TYPE_CHECKING:
    from joulemark.simulate.instance import Instance
    from joulemark.simulate.job import Job

_ARRAYS_FROM = 24
"""Steps from which on arrays are faster than a loop."""

_LONGEST = 4096
"""Steps in one array."""


def mixed_step(of: Instance, chunks: Sequence[tuple[Job, int]], moved_pages: int, preempted: int) -> None:
    """Carry out one step with the prompt ``chunks``, after ``moved_pages`` went over the link to the host."""
    cost, shares, log = of.cost, of.shares, of.log
    decoding, context, running = of.decoders, of.context, len(of.running)
    prompt = prompt_context = 0
    pairs = 0.0
    for job, taken in chunks:
        prompt += taken
        prompt_context += job.context
        pairs += taken * (job.context + 0.5 * taken)
    took_s, above_w = cost.step(decoding, context, prompt, pairs, prompt_context, running)
    core_ns = int(took_s * 1e9 + 0.5)
    moving_ns = int(moved_pages * cost.page_s * 1e9 + 0.5)
    moving_j = cost.devices * cost.transfer_w * (moved_pages * cost.page_s)
    idle_j = cost.devices * cost.idle_w * ((core_ns + moving_ns) * 1e-9)
    work_j = cost.devices * above_w * (core_ns * 1e-9)

    # Work at full rate: what each operation would draw if its unit did nothing else. The step's energy above
    # idle is shared in proportion; reading the weights is everybody's who computes, in equal parts.
    heads = decoding + len(chunks)
    head = cost.memory_w * cost.weights_read_s(decoding + prompt) / heads
    decode_head = head + cost.compute_w * cost.decode_share * cost.token_s
    per_token = cost.memory_w * cost.context_s
    works = [
        head
        + cost.compute_w * (cost.token_s * taken + cost.pair_s * (taken * (job.context + 0.5 * taken)))
        + per_token * job.context
        for job, taken in chunks
    ]
    decode_work = decode_head * decoding + per_token * context
    scale = work_j / (decode_work + sum(works))
    for (job, _), work in zip(chunks, works, strict=True):
        job.prefill_j += scale * work
    decode_j = scale * decode_work

    shares.idle_j += idle_j / running
    shares.head_j += scale * decode_head
    shares.token_j += scale * per_token
    shares.token_step_j += scale * per_token * of.steps

    t0 = of.free_ns
    of.free_ns = t0 + core_ns + moving_ns
    log.t0_ns.append(t0)
    log.t1_ns.append(of.free_ns)
    log.running.append(running)
    log.waiting.append(len(of.waiting) + len(of.swapped))
    log.prefill_tokens.append(prompt)
    log.decode_tokens.append(decoding)
    log.kv_pages.append(of.memory.used)
    log.preempted.append(preempted)
    log.gap_ns.append(of.gap_ns)
    of.spent_j += idle_j + (work_j + moving_j)
    of.prefill_j += work_j - decode_j
    of.decode_j += decode_j + moving_j
    log.spent_j.append(of.spent_j)
    log.prefill_j.append(of.prefill_j)
    log.decode_j.append(of.decode_j)
    of.context += decoding
    of.steps += 1


def decode_alone(of: Instance, most: int, until_ns: float) -> None:
    """Carry out up to ``most`` steps that only decode, while memory lasts.

    None but the first begins at or after ``until_ns``. The memory of the first was claimed when it was put
    together.
    """
    done = 0
    while done < most:
        if most - done >= _ARRAYS_FROM:
            now = _many(of, most - done, until_ns, claimed=done == 0)
        else:
            now = _few(of, most - done, until_ns, claimed=done == 0)
        done += now
        if now < _LONGEST:
            return


def _few(of: Instance, most: int, until_ns: float, *, claimed: bool) -> int:
    cost, shares, log = of.cost, of.shares, of.log
    decoding, running, waiting = of.decoders, len(of.running), len(of.waiting) + len(of.swapped)
    context, step, t0 = of.context, of.steps, of.free_ns
    spent_j, decoded_j = of.spent_j, of.decode_j
    head = cost.memory_w * cost.weights_read_s(decoding) / decoding
    decode_head = head + cost.compute_w * cost.decode_share * cost.token_s
    per_token = cost.memory_w * cost.context_s
    heads_work = decode_head * decoding
    memory = of.memory
    used, free, growing = memory.used + memory.free_pages, memory.free_pages, of.growing
    done = 0
    while done < most:
        if not claimed:
            pages = growing[step % KV_BLOCK_TOKENS]
            if pages > free or t0 >= until_ns:
                break
            free -= pages
        claimed = False
        took_s, above_w = cost.step(decoding, context, 0, 0.0, 0, running)
        core_ns = int(took_s * 1e9 + 0.5)
        idle_j = cost.devices * cost.idle_w * (core_ns * 1e-9)
        work_j = cost.devices * above_w * (core_ns * 1e-9)
        scale = work_j / (heads_work + per_token * context)
        shares.idle_j += idle_j / running
        shares.head_j += scale * decode_head
        shares.token_j += scale * per_token
        shares.token_step_j += scale * per_token * step
        spent_j += idle_j + work_j
        decoded_j += work_j
        log.t0_ns.append(t0)
        t0 += core_ns
        log.t1_ns.append(t0)
        log.running.append(running)
        log.waiting.append(waiting)
        log.prefill_tokens.append(0)
        log.decode_tokens.append(decoding)
        log.kv_pages.append(used - free)
        log.preempted.append(0)
        log.gap_ns.append(of.gap_ns)
        log.spent_j.append(spent_j)
        log.prefill_j.append(of.prefill_j)
        log.decode_j.append(decoded_j)
        context += decoding
        step += 1
        done += 1
    of.context, of.steps, of.free_ns, memory.free_pages = context, step, t0, free
    of.spent_j, of.decode_j = spent_j, decoded_j
    return done


def _many(of: Instance, most: int, until_ns: float, *, claimed: bool) -> int:
    """Do what `_few` does, with arrays; the same to the last bit."""
    cost, shares, log = of.cost, of.shares, of.log
    decoding, running, waiting = of.decoders, len(of.running), len(of.waiting) + len(of.swapped)
    most = min(most, _LONGEST)
    steps = np.arange(of.steps, of.steps + most, dtype=np.int64)
    pages = np.array(of.growing, dtype=np.int64)[steps % KV_BLOCK_TOKENS]
    if claimed:
        pages[0] = 0
    claims = np.cumsum(pages)
    took_s, above_w = cost.decode_steps(decoding, of.context, most, running)
    core_ns = (took_s * 1e9 + 0.5).astype(np.int64)
    ends = of.free_ns + np.cumsum(core_ns)
    starts = ends - core_ns
    allowed = claims <= of.memory.free_pages
    in_time = starts < until_ns
    if claimed:
        in_time[0] = True
    fits = allowed & in_time
    n = most if fits.all() else int(fits.argmin())
    if n == 0:
        return 0
    core_s = core_ns[:n] * 1e-9
    head = cost.memory_w * cost.weights_read_s(decoding) / decoding
    decode_head = head + cost.compute_w * cost.decode_share * cost.token_s
    per_token = cost.memory_w * cost.context_s
    idle_j = cost.devices * cost.idle_w * core_s
    work_j = cost.devices * above_w[:n] * core_s
    contexts = of.context + decoding * np.arange(n, dtype=np.int64)
    scale = work_j / (decode_head * decoding + per_token * contexts)

    shares.idle_j = float(_total(shares.idle_j, idle_j / running)[-1])
    shares.head_j = float(_total(shares.head_j, scale * decode_head)[-1])
    shares.token_j = float(_total(shares.token_j, scale * per_token)[-1])
    shares.token_step_j = float(_total(shares.token_step_j, scale * per_token * steps[:n])[-1])
    spent_j = _total(of.spent_j, idle_j + work_j)
    decoded_j = _total(of.decode_j, work_j)
    used = of.memory.used

    log.t0_ns.frombytes(starts[:n].tobytes())
    log.t1_ns.frombytes(ends[:n].tobytes())
    for column, value in (
        (log.running, running),
        (log.waiting, waiting),
        (log.prefill_tokens, 0),
        (log.decode_tokens, decoding),
        (log.preempted, 0),
        (log.gap_ns, of.gap_ns),
    ):
        column.frombytes(np.full(n, value, dtype=np.int64).tobytes())
    log.kv_pages.frombytes((used + claims[:n]).tobytes())
    log.spent_j.frombytes(spent_j.tobytes())
    log.prefill_j.frombytes(np.full(n, of.prefill_j).tobytes())
    log.decode_j.frombytes(decoded_j.tobytes())
    of.spent_j, of.decode_j = float(spent_j[-1]), float(decoded_j[-1])
    of.context += decoding * n
    of.steps += n
    of.free_ns = int(ends[n - 1])
    of.memory.free_pages -= int(claims[n - 1])
    return n


def _total(before: float, each: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return running totals, added up in order as a loop would: not numpy's pairwise sum."""
    totals: NDArray[np.float64] = np.add.accumulate(np.concatenate(((before,), each)))[1:]
    return totals
