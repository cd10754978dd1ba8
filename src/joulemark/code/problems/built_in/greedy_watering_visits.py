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
    windows: list[tuple[int, int]] = []
    if shape == "nested":
        for index in range(size):
            centre = 10_000 * (index % max(1, size // 200))
            windows.append((centre - rng.randint(0, 4_000) + 5_000, centre + rng.randint(0, 4_000) + 5_000))
    elif shape == "touching":
        day = 0
        for _ in range(size):
            length = rng.randint(0, 5)
            windows.append((day, day + length))
            day += length + rng.randint(0, 1) * (rng.random() < 0.02)
        rng.shuffle(windows)
    elif shape == "few_windows":
        for _ in range(size):
            first = rng.randint(0, 40)
            windows.append((first, first + rng.randint(0, 6)))
    else:
        for _ in range(size):
            first = rng.randint(0, 5 * size)
            windows.append(
                (first, first + rng.randint(400, 4_000) if size > 50 else first + rng.randint(0, 9))
            )
    return (windows,)
