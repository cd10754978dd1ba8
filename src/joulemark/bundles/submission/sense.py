"""What no run can have recorded, whatever its figures are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from joulemark.bundles.submission.content import Content
from joulemark.bundles.submission.members import MAX_IN_FLIGHT, MAX_ITEMS, MAX_SAMPLES
from joulemark.record.item import Item, ItemRow, Phase, Verdict

_AROUND_NS = 3_600_000_000_000  # meters are read somewhat before a segment and after it
_MOST_TOKENS = 10**9


def nonsense(content: Content) -> Iterator[tuple[str, str]]:
    """Yield each contradiction as (check, why); the check is one of `verification.CHECKS`."""
    rows, readings = content.rows, content.readings
    if len(rows) > MAX_ITEMS:
        yield "limits", f"it has {len(rows):,} answers, and {MAX_ITEMS:,} is the most"
        return
    if (n := sum(len(one.values) for one in readings)) > MAX_SAMPLES:
        yield "limits", f"it has {n:,} values of meters, and {MAX_SAMPLES:,} is the most"
        return
    if not any(row.item.phase == Phase.MEASURE for row in rows):
        yield "ids", "it has no answer that counts"
    yield from _ids(rows)
    yield from _first(_stamps(content))
    yield from _first(_readings(content))
    yield from _first(_overlaps(content))
    yield from _first(_verdicts(rows))


def _first(found: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield one of a kind: a forged bundle would have a hundred thousand of them."""
    if (one := next(found, None)) is not None:
        yield one


def _ids(rows: Sequence[ItemRow]) -> Iterator[tuple[str, str]]:
    twice = [key for key, n in Counter(row.item.key for row in rows).items() if n > 1]
    if twice:
        yield "ids", f"the answer to {twice[0][0]!r} (repeat {twice[0][1]}) stands more than once"
    named: dict[int, str] = {}
    for item in (row.item for row in rows if row.item.phase == Phase.MEASURE):
        if item.index < 0 or item.repeat < 0:  # what brings a load up counts downwards
            yield "ids", f"the answer to {item.item_id!r} counts, and has no place"
            return
        if named.setdefault(item.index, item.item_id) != item.item_id:
            yield "ids", f"two questions have the place {item.index}"
            return


def _stamps(content: Content) -> Iterator[tuple[str, str]]:
    segments = {one.index: one for one in content.manifest.segments}
    order = [(row.item.segment, row.item.t_sent) for row in content.rows]
    if any(a > b for a, b in pairwise(order)):
        yield "stamps", "the answers are not in the order in which they were asked"
    for row in content.rows:
        item, segment = row.item, segments[row.item.segment]
        told = [item.t_sent, item.t_first, item.t_first_answer, item.t_end]
        course = [t for t in told if t is not None]
        name = f"the answer to {item.item_id!r}"
        if any(a > b for a, b in pairwise(course)):
            yield "stamps", f"{name} has its stamps out of order"
        if item.t_begin < segment.t0 or (segment.t1 is not None and item.t_end > segment.t1):
            yield "stamps", f"{name} lies outside its segment"
        if any(a.t_sent > min(a.t_end, item.t_end) for a in item.attempts):
            yield "stamps", f"{name} has attempts outside it"
        if any(a.t_sent > b.t_sent for a, b in pairwise(item.attempts)):
            yield "stamps", f"{name} has its attempts out of order"
        times = [item.t_sent, *(chunk.t_ns for chunk in row.chunks), item.t_end]
        if row.chunks and any(a > b for a, b in pairwise(times)):
            yield "stamps", f"{name} has pieces outside it, or out of order"
        counts = [item.prompt_tokens, item.cached_tokens, item.reasoning_tokens, item.completion_tokens]
        counts += [chunk.tokens for chunk in row.chunks]
        if any(n is not None and not 0 <= n <= _MOST_TOKENS for n in counts):
            yield "ids", f"{name} has a number of tokens that none has"


def _readings(content: Content) -> Iterator[tuple[str, str]]:
    segments = {one.index: one for one in content.manifest.segments}
    order = [(one.segment, one.source, one.t_ns) for one in content.readings]
    if any(a > b for a, b in pairwise(order)):
        yield "stamps", "the readings of a meter are not in order of time"
    for one in content.readings:
        segment = segments[one.segment]
        last = segment.t0 if segment.t1 is None else segment.t1
        if not segment.t0 - _AROUND_NS <= one.t_ns <= last + _AROUND_NS or not 0 <= one.read_ns <= _AROUND_NS:
            yield "stamps", f"a reading of {one.source} lies outside its segment"
        if not (one.values or one.flags):
            yield "stamps", f"a reading of {one.source} says nothing"


def _overlaps(content: Content) -> Iterator[tuple[str, str]]:
    load = content.manifest.load
    one_at_a_time = load.mode == "sequential" or (load.mode == "closed" and load.concurrency == 1)
    for segment in content.manifest.segments:
        items = sorted(
            (row.item for row in content.rows if row.item.segment == segment.index),
            key=lambda one: one.t_begin,
        )
        if one_at_a_time:
            for a, b in pairwise(items):
                if b.t_begin < a.t_end:
                    yield (
                        "overlap",
                        f"{a.item_id!r} and {b.item_id!r} overlap, and one at a time is said",
                    )
        elif (most := _most_in_flight(items)) > MAX_IN_FLIGHT:
            yield (
                "limits",
                f"{most:,} requests were in flight at once, and {MAX_IN_FLIGHT:,} is the most",
            )


def _most_in_flight(items: Sequence[Item]) -> int:
    events = sorted([(one.t_begin, 1) for one in items] + [(one.t_end, -1) for one in items])
    now = most = 0
    for _, step in events:
        now += step
        most = max(most, now)
    return most


def _verdicts(rows: Sequence[ItemRow]) -> Iterator[tuple[str, str]]:
    for row in rows:
        item = row.item
        name = f"the answer to {item.item_id!r}"
        if item.verdict is None:
            if item.correct is not None:
                yield "verdicts", f"{name} is correct or not, and has no verdict"
            continue
        if item.correct is not None and item.correct is not (item.verdict is Verdict.CORRECT):
            yield (
                "verdicts",
                f"{name} has the verdict {item.verdict.value} and another correctness",
            )
        graded = item.correct is not None and item.score is not None
        if graded and item.score != float(item.correct or 0):
            yield "verdicts", f"{name} has a score that is not that of its verdict"
