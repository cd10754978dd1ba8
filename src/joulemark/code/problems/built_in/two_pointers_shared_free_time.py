"""Time that two people have in common

Description: Two people list when they are free: `first` and `second` are lists of pairs `(start, end)` of
whole minutes with 0 <= start < end <= 10**9, each list with 1 to 10**6 pairs in order of time. A pair covers
the minutes from `start` up to but not including `end`; within a list, each pair starts at least one minute
after the end of the pair before. Return a tuple: in how many separate stretches of time both are free, how
many minutes these have together, and how long the longest of them is (0 if there is none).
"""

import random
from itertools import accumulate

ALGORITHMS = ("two_pointers", "intervals")
DIFFICULTY = "medium"
ENTRY_POINT = "shared_free_time"
EXAMPLES = (
    (([(0, 10), (20, 30)], [(5, 25)]), (2, 10, 5)),
    (([(0, 5)], [(5, 9)]), (0, 0, 0)),
    (([(3, 9)], [(1, 4), (5, 6), (8, 20)]), (3, 3, 1)),
)
SHAPES = ("random", "long_and_short", "apart", "nearly_same")
SIZES = (1_000, 300_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(0, 1)], [(0, 1)]),
    ([(0, 100)], [(10, 20), (21, 22), (99, 100)]),
    ([(0, 2), (3, 5)], [(2, 3)]),
    ([(1, 4), (5, 8)], [(1, 4), (6, 8)]),
)
BRUTE_FORCE_SIZE = 14


def shared_free_time(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> tuple[int, int, int]:
    """Canonical: one pass over both lists; the pair that ends first is left for the next one of its list."""
    stretches = total = longest = 0
    others = iter(second)
    start, end = next(others)
    for begin, finish in first:
        while end <= finish:
            length = end - (begin if begin > start else start)
            if length > 0:
                stretches += 1
                total += length
                if length > longest:
                    longest = length
            pair = next(others, None)
            if pair is None:
                return stretches, total, longest
            start, end = pair
        length = finish - (begin if begin > start else start)
        if length > 0:
            stretches += 1
            total += length
            if length > longest:
                longest = length
    return stretches, total, longest


def slow_sets_of_minutes(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> tuple[int, int, int]:
    """Puts every single free minute of both into sets and sorts what they have in common."""
    shared = {minute for start, end in first for minute in range(start, end)}
    shared &= {minute for start, end in second for minute in range(start, end)}
    stretches = longest = 0
    length = 0
    before = -2
    for minute in sorted(shared):
        if minute > before + 1:
            stretches += 1
            length = 0
        length += 1
        longest = max(longest, length)
        before = minute
    return stretches, len(shared), longest


def brute_force(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> tuple[int, int, int]:
    """Compares each pair of the one with each pair of the other."""
    lengths = [min(end, to) - max(start, since) for start, end in first for since, to in second]
    lengths = [length for length in lengths if length > 0]
    return len(lengths), sum(lengths), max(lengths, default=0)


def generate(
    rng: random.Random, size: int, shape: str
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """`size` pairs for both together, mostly of about twelve minutes."""

    def free(count: int, shortest: int, span: int, pause: int) -> list[tuple[int, int]]:
        times = bytearray(2 * count)  # pauses and lengths, by turns
        for first, values in enumerate((range(1, pause + 1), range(shortest, shortest + span))):
            # as many of the 256 bytes for each value; those that are over stand for none
            value_of = bytes(values) * (256 // len(values))
            none = bytes(range(len(value_of), 256))
            times[first::2] = rng.randbytes(2 * count + 64).translate(value_of.ljust(256), none)[:count]
        ends = list(accumulate(times))
        return list(zip(ends[::2], ends[1::2], strict=True))

    half = (size + 1) // 2
    if shape == "long_and_short":
        return free(1 + size // 20, 100, 80, 20), free(size, 2, 6, 6)
    first = free(half, 5, 15, 10)
    if shape == "nearly_same":
        return first, [(start + (end - start) // 4 * (end & 1), end) for start, end in first]
    if shape == "apart":
        gaps = zip(first[::2], first[1::2], strict=False)
        return first, [(end, start) for (_, end), (start, _) in gaps if start > end + 1] or [(0, 10)]
    return first, free(half, 5, 15, 10)
