"""Batches inside the band

Description: A sensor writes one whole number per second, `readings` (0 <= len(readings) <= 10**6, every
reading between -10**6 and 10**6). A batch is any run of exactly `width` readings in a row (1 <= width <=
10**6); two batches may overlap, and one starts at every second that has `width` readings from there on. Count
the batches whose sum is at least `low` and at most `high` (low <= high). When there are fewer than `width`
readings there is no batch and the answer is 0.
"""

import random

ALGORITHMS = ("sliding_window", "prefix_sum")
DIFFICULTY = "easy"
ENTRY_POINT = "count_balanced_batches"
EXAMPLES = (
    (([3, -1, 4, 1, -5], 2, 0, 4), 2),
    (([2, 2, 2, 2], 3, 6, 6), 2),
    (([10, -10], 3, -100, 100), 0),
    (([7, 0, 8], 1, 1, 7), 1),
)
SHAPES = ("random", "constant", "alternating", "spikes")
SIZES = (1_000, 800_000)
CHECKER = "equal"
EDGE_CASES = (
    ([0], 1, 0, 0),
    ([5, 6], 3, 0, 20),
    ([1, 2, 3], 3, 6, 6),
    ([-4, -4, -4, -4], 2, -8, -8),
    ([1, -1, 1, -1, 1], 1, -1, 0),
)
BRUTE_FORCE_SIZE = 12


def count_balanced_batches(readings: list[int], width: int, low: int, high: int) -> int:
    """Keep one running sum: add the reading that enters, take off the one that leaves."""
    if len(readings) < width:
        return 0
    total = sum(readings[:width])
    count = int(low <= total <= high)
    for entering, leaving in zip(readings[width:], readings, strict=False):
        total += entering - leaving
        if low <= total <= high:
            count += 1
    return count


def slow_sum_again(readings: list[int], width: int, low: int, high: int) -> int:
    """Cut out every batch and add it up from nothing."""
    count = 0
    for start in range(len(readings) - width + 1):
        if low <= sum(readings[start : start + width]) <= high:
            count += 1
    return count


def brute_force(readings: list[int], width: int, low: int, high: int) -> int:
    """Spell out every batch, reading by reading."""
    count = 0
    start = 0
    while start + width <= len(readings):
        total = 0
        for offset in range(width):
            total += readings[start + offset]
        if not (total < low or total > high):
            count += 1
        start += 1
    return count


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int, int, int]:
    """`size` readings; the width is some hundreds once there is room for it."""
    width = max(1, min(size // 4, rng.randint(250, 350)))
    if shape == "constant":
        value = rng.randint(-9, 9)
        total = value * width
        return [value] * size, width, total - rng.randint(0, 1), total + rng.randint(0, 1)
    if shape == "alternating":
        value = rng.randint(1, 1000)
        readings = ([-value, value] * (size // 2 + 1))[:size]
        return readings, width, 0, rng.choice((0, value))
    if shape == "spikes":
        readings = [0] * size
        for place in rng.choices(range(size), k=size // 50 + 1):
            readings[place] = rng.choice((-1_000_000, 1_000_000))
        return readings, width, -1_000_000, 1_000_000
    readings = rng.choices([*range(-1000, 1001)], k=size)
    reach = int(400 * width**0.5) + 1
    return readings, width, -reach, reach
