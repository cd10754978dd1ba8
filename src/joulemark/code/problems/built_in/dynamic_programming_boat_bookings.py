"""Best income from booking requests for one boat

Description: A boat can be let to one party at a time. Each request is `(start, end, pay)`: the boat is out
from `start` up to, but not including, `end`, with `start < end`; a request may start the moment that
another ends. Accept a set of requests that do not overlap and return the largest total pay. Limits: 1 to
10**6 requests in any order, `0 <= start < end <= 10**9`, `0 <= pay <= 10**6`.
"""

import bisect
import itertools
import operator
import random

ALGORITHMS = ("dynamic_programming", "binary_search", "sorting")
DIFFICULTY = "medium"
ENTRY_POINT = "best_income"
EXAMPLES = (
    (([(1, 4, 5), (3, 6, 7), (4, 8, 4)],), 9),
    (([(0, 10, 8), (1, 2, 3), (2, 3, 4)],), 8),
    (([(5, 6, 2), (5, 6, 9)],), 9),
)
SHAPES = ("random", "long", "short", "same_ends")
SIZES = (500, 60_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(0, 1, 0)],),
    ([(0, 1_000_000_000, 7), (0, 1, 4), (1, 2, 4)],),
    ([(2, 5, 3), (5, 7, 3), (7, 9, 3), (2, 9, 8)],),
    ([(2, 5, 1), (1, 5, 2), (0, 5, 3), (5, 6, 1)],),
    ([(8, 9, 5), (6, 7, 5), (4, 5, 5), (0, 9, 14)],),
)
BRUTE_FORCE_SIZE = 10


def best_income(requests: list[tuple[int, int, int]]) -> int:
    """By end time: the best with a request adds its pay to the best that ends by its start."""
    ends = [-1]
    best = [0]
    for start, end, pay in sorted(requests, key=operator.itemgetter(1)):
        income = best[bisect.bisect_right(ends, start) - 1] + pay
        if income > best[-1]:
            ends.append(end)
            best.append(income)
    return best[-1]


def slow_scan_back(requests: list[tuple[int, int, int]]) -> int:
    """The same table, but the last request that ends in time is looked for one by one."""
    ordered = sorted(requests, key=operator.itemgetter(1))
    best = [0]
    for index, (start, _, pay) in enumerate(ordered):
        before = index
        while before and ordered[before - 1][1] > start:
            before -= 1
        best.append(max(best[index], best[before] + pay))
    return best[-1]


def brute_force(requests: list[tuple[int, int, int]]) -> int:
    """Try every set of requests."""
    best = 0
    for count in range(1, len(requests) + 1):
        for chosen in itertools.combinations(sorted(requests), count):
            if all(after[0] >= before[1] for before, after in itertools.pairwise(chosen)):
                best = max(best, sum(pay for _, _, pay in chosen))
    return best


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, int, int]]]:
    """Requests of the shape asked for; by default a few hundred overlap at any time."""
    span = 2 * size if size < 20 else 10 * size
    longest = {"long": span // 20, "short": 20}.get(shape, 5_000)
    if size < 20:
        longest = {"long": span, "short": 2}.get(shape, 8)
    starts = rng.choices(range(span + 1), k=size)
    if shape == "same_ends":
        later = rng.choices((50, 100, 150, 200), k=size)
        lengths = [more - start % 50 for start, more in zip(starts, later, strict=True)]
    else:
        lengths = rng.choices([*range(1, max(1, longest) + 1)], k=size)
    rates, extras = rng.choices([*range(21)], k=size), rng.choices([*range(100)], k=size)
    requests = [
        (start, start + length, rate * length + extra)
        for start, length, rate, extra in zip(starts, lengths, rates, extras, strict=True)
    ]
    return (requests,)
