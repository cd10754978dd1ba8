"""What the answers and the machine themselves say against a run's figures."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from joulemark.metrics.caveat import Caveat
from joulemark.metrics.engine_time import engine_time_too_long, engine_time_too_short
from joulemark.metrics.latency import answered_items, in_one_piece
from joulemark.metrics.other_load import QUIET_LIMIT
from joulemark.metrics.run_view import RunView
from joulemark.metrics.token_doubt import counts_contradicted, doubted_items, is_token_doubt
from joulemark.metrics.value import Value

LOUD_DOUBTED_SHARE = 0.1
MAX_ITEM_SHARE = 0.2
MIN_ITEMS = 10
_NUMBER = re.compile(r"\d+")


def doubts(run: RunView, figures: Mapping[str, Value]) -> Iterator[Caveat]:
    """Yield the warnings about doubted counts, streams, clocks, caches, a busy machine, a costly item."""
    yield from _suspect(run)
    yield from _one_piece(run)
    yield from _engine_time(run)
    yield from _cached(run)
    yield from _busy(run)
    yield from _dominant(run, figures)


def _suspect(run: RunView) -> Iterator[Caveat]:
    items = run.measured_items
    n = sum(bool(item.suspect) for item in items)
    if not n:
        return
    n_tokens = doubted_items(items)
    gone = counts_contradicted(items)
    loud = gone or n_tokens > LOUD_DOUBTED_SHARE * len(items)
    told = [s for item in items for s in item.suspect if is_token_doubt(s) or not loud]
    commonest = _commonest(told)
    withheld = ""
    if gone:
        withheld = " The figures that rest on token counts are withheld."
    elif loud:
        withheld = " The figures that rest on token counts may be wrong."
    yield Caveat(
        "suspect_answers",
        f"{n} of {len(items)} answers contradict themselves, most often: {commonest.rstrip('.')}.{withheld}",
        loud=loud,
    )


def _commonest(sentences: list[str]) -> str:
    """Return the first of the commonest sentences, such that differ by their numbers alone being one."""
    shapes = Counter(_NUMBER.sub("#", sentence) for sentence in sentences)
    shape = shapes.most_common(1)[0][0]
    return next(sentence for sentence in sentences if _NUMBER.sub("#", sentence) == shape)


def _one_piece(run: RunView) -> Iterator[Caveat]:
    # an answer of one word and its end is one chunk by nature
    streamed = [
        item for item in run.measured_items if item.streamed is True and (item.completion_tokens or 3) > 2
    ]
    n = sum(in_one_piece(item, run.chunks.get(item.key, ())) for item in streamed)
    if 2 * n > len(streamed):
        yield Caveat(
            "one_piece",
            f"The answers came in one piece: time to first token is the whole answer, in {n} of "
            f"{len(streamed)} streams; time per output token was not seen in them.",
        )


def _engine_time(run: RunView) -> Iterator[Caveat]:
    answered = answered_items(run.measured_items)
    n_long = sum(map(engine_time_too_long, answered))
    n_short = sum(
        engine_time_too_short(item, run.chunks.get(item.key, ()))
        for item in answered
        if not engine_time_too_long(item)
    )
    told = []
    if n_long:
        told.append(
            f"In {n_long} of {len(answered)} answers the engine says it worked longer than the request took"
        )
    if n_short:
        where = "in" if told else "In"
        told.append(
            f"{where} {n_short} of {len(answered)} answers the engine says its output took less than half "
            "the time in which it was seen to arrive"
        )
    if told:
        yield Caveat(
            "engine_time",
            f"{', and '.join(told)}; they are left out of the speeds by its clock.",
        )


def _cached(run: RunView) -> Iterator[Caveat]:
    n = sum(item.cached_tokens or 0 for item in run.measured_items)
    if n and run.manifest.engine.prefix_cache is False:
        yield Caveat(
            "prompt_cache_hit",
            f"The engine says that {n:,} prompt tokens came from a cache, although it was asked not to use "
            "one: their work is not inside the energies and times.",
            loud=True,
        )


def _busy(run: RunView) -> Iterator[Caveat]:
    shares = (
        (run.foreign_cpu_share, "other processes used {} of the processor"),
        (run.stolen_cpu_share, "the hypervisor took {} of the processor"),
    )
    told = [
        words.format(f"{100 * share:.0f} %")
        for share, words in shares
        if share is not None and share > QUIET_LIMIT
    ]
    if told:
        sentence = " and ".join(told)
        yield Caveat(
            "busy_machine",
            f"{sentence[0].upper()}{sentence[1:]}: latencies and processor seconds are not comparable with "
            "those of a quiet machine.",
            loud=True,
        )


def _dominant(run: RunView, figures: Mapping[str, Value]) -> Iterator[Caveat]:
    total, what = figures["total_joules"].value, "energy"
    costs = {key: row.joules for key, row in run.headline_attributions().items()}
    if total is None:
        total, what = figures["cpu_seconds"].value, "processor time"
        costs = dict(run.item_cpu_seconds)
    by_item: dict[str, list[float]] = {}
    for item in run.measured_items:
        cost = costs.get(item.key)
        if cost is not None:
            by_item.setdefault(item.item_id, []).append(cost)
    n_items = len({item.item_id for item in run.measured_items})
    if not total or not by_item or n_items < MIN_ITEMS:
        return
    name, share = max(((k, math.fsum(v) / total) for k, v in by_item.items()), key=lambda pair: pair[1])
    if share > MAX_ITEM_SHARE:
        yield Caveat(
            "dominant_item",
            f"One item, {name}, holds {100 * share:.0f} % of the {what}: the cost per correct answer "
            "rests on it.",
        )
