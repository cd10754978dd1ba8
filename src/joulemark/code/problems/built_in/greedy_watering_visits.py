"""Fewest visits that water every plant

Description: Each plant in a greenhouse has a window `(first, last)` of whole days, both included, in which
it must be watered at least once. One visit, on one day, waters every plant whose window holds that day.
Return the fewest visits that water all plants. Limits: 1 to 10**6 plants, `0 <= first <= last <= 10**9`, in
any order and possibly repeated.
"""

import itertools
import operator
import random

ALGORITHMS = ("greedy", "sorting")
DIFFICULTY = "easy"
ENTRY_POINT = "fewest_visits"
EXAMPLES = (
    (([(1, 4), (3, 6), (5, 8)],), 2),
    (([(9, 9)],), 1),
    (([(2, 5), (5, 9), (0, 2)],), 2),
    (([(0, 0), (1, 1), (1, 3), (3, 3)],), 3),
)
SHAPES = ("random", "nested", "touching", "few_windows")
SIZES = (1_000, 100_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(7, 7)],),
    ([(1, 10), (2, 3), (4, 5)],),
    ([(1, 2), (2, 3), (3, 4), (4, 5)],),
    ([(5, 9), (5, 9), (5, 9)],),
    ([(0, 1_000_000_000), (1_000_000_000, 1_000_000_000), (0, 0)],),
)
BRUTE_FORCE_SIZE = 8


def fewest_visits(windows: list[tuple[int, int]]) -> int:
    """Take the windows by last day; visit on the last day of each window that no visit has met yet."""
    visits = 0
    latest = -1
    for first, last in sorted(windows, key=operator.itemgetter(1)):
        if first > latest:
            visits += 1
            latest = last
    return visits


def slow_filter_again(windows: list[tuple[int, int]]) -> int:
    """Look for the earliest last day again, and copy what is left, for every visit."""
    waiting = list(windows)
    visits = 0
    while waiting:
        day = min(last for _, last in waiting)
        waiting = [window for window in waiting if window[0] > day]
        visits += 1
    return visits


def brute_force(windows: list[tuple[int, int]]) -> int:
    """Try every set of last days, the smallest sets first."""
    days = sorted({last for _, last in windows})
    for visits in range(len(days) + 1):
        for chosen in itertools.combinations(days, visits):
            if all(any(first <= day <= last for day in chosen) for first, last in windows):
                return visits
    return len(days)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, int]]]:
    """Windows of the shape asked for; the default needs about one visit for a hundred plants."""
    if shape == "nested":
        reaches = [*range(4_001)]
        befores, afters = rng.choices(reaches, k=size), rng.choices(reaches, k=size)
        centres = [*range(5_000, 5_000 + 10_000 * max(1, size // 200), 10_000)]
        centres = [*itertools.islice(itertools.cycle(centres), size)]
        windows = [*zip(map(operator.sub, centres, befores), map(operator.add, centres, afters), strict=True)]
    elif shape == "touching":
        lengths = rng.choices([*range(6)], k=size)
        pauses = rng.choices((1, *[0] * 99), k=size)
        days = itertools.accumulate(map(operator.add, lengths, pauses), initial=0)
        windows = [(first, first + length) for first, length in zip(days, lengths, strict=False)]
        rng.shuffle(windows)
    elif shape == "few_windows":
        windows = rng.choices([(first, first + more) for first in range(41) for more in range(7)], k=size)
    else:
        lengths = rng.choices([*range(400, 4_001)] if size > 50 else [*range(10)], k=size)
        firsts = rng.choices(range(5 * size + 1), k=size)
        windows = [*zip(firsts, map(operator.add, firsts, lengths), strict=True)]
    return (windows,)
