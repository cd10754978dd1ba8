"""The steadiest spell

Description: A thermometer gives a list of temperatures, `readings` (floats from -1000.0 to 1000.0, at least
one). A spell is a run of exactly `width` readings in a row (1 <= width <= len(readings) <= 10**6). The swing
of a spell is its highest reading less its lowest. Return the smallest swing that any spell has. The series
often climbs or falls for a long time.
"""

import collections
import random

ALGORITHMS = ("sliding_window", "monotonic_queue")
DIFFICULTY = "medium"
ENTRY_POINT = "steadiest_swing"
EXAMPLES = (
    (([20.0, 21.5, 21.0, 25.0], 2), 0.5),
    (([20.0, 21.5, 21.0, 25.0], 3), 1.5),
    (([4.25], 1), 0.0),
    (([1.0, -1.0, 1.0, -2.0], 4), 3.0),
)
SHAPES = ("ramps", "random", "falling", "plateaus")
SIZES = (500, 200_000)
CHECKER = "close"
EDGE_CASES = (
    ([0.0, 0.0, 0.0], 2),
    ([5.0, 4.0, 3.0, 2.0], 2),
    ([1.0, 2.0, 4.0, 8.0], 3),
    ([3.5, -3.5], 1),
    ([1.0, 9.0, 1.0, 9.0, 2.0], 5),
)
BRUTE_FORCE_SIZE = 12


def steadiest_swing(readings: list[float], width: int) -> float:
    """Two queues of positions, of falling and of rising readings: their heads are the extremes."""
    highs: collections.deque[int] = collections.deque()
    lows: collections.deque[int] = collections.deque()
    best = float("inf")
    for position, reading in enumerate(readings):
        while highs and readings[highs[-1]] <= reading:
            highs.pop()
        highs.append(position)
        while lows and readings[lows[-1]] >= reading:
            lows.pop()
        lows.append(position)
        start = position - width + 1
        if highs[0] < start:
            highs.popleft()
        if lows[0] < start:
            lows.popleft()
        if start >= 0:
            swing = readings[highs[0]] - readings[lows[0]]
            if swing < best:
                best = swing
    return best


def slow_scan_each(readings: list[float], width: int) -> float:
    """Cut out every spell and look for its highest and lowest reading."""
    best = float("inf")
    for start in range(len(readings) - width + 1):
        spell = readings[start : start + width]
        best = min(best, max(spell) - min(spell))
    return best


def slow_scan_when_extreme_leaves(readings: list[float], width: int) -> float:
    """Look again only if the reading that leaves was an extreme: on a long slope that is nearly always."""
    high, low = max(readings[:width]), min(readings[:width])
    best = high - low
    for start in range(1, len(readings) - width + 1):
        leaving, entering = readings[start - 1], readings[start + width - 1]
        high = max(readings[start : start + width]) if leaving == high else max(high, entering)
        low = min(readings[start : start + width]) if leaving == low else min(low, entering)
        best = min(best, high - low)
    return best


def brute_force(readings: list[float], width: int) -> float:
    """Sort every spell."""
    spells = [sorted(readings[start : start + width]) for start in range(len(readings) - width + 1)]
    return min(spell[-1] - spell[0] for spell in spells)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[float], int]:
    """`size` readings; the width is some hundreds once there is room for it."""
    width = max(1, min(size // 3, rng.randint(350, 450)))
    if shape == "random":
        return [100.0 * rng.random() - 50.0 for _ in range(size)], width
    if shape == "falling":
        step = 900.0 / (size + 1)
        return [500.0 - step * position for position in range(size)], width
    if shape == "plateaus":
        levels = [float(rng.randint(-3, 3)) for _ in range(size // 30 + 1)]
        return [levels[position // 30] for position in range(size)], width
    readings: list[float] = []
    level, slope = 0.0, 0.01
    while len(readings) < size:
        slope = -slope if rng.random() < 0.9 else slope
        for _ in range(rng.randint(2 * width, 5 * width)):
            level += slope * (0.2 + 1.6 * rng.random())
            if abs(level) > 900.0:
                level = 900.0 if level > 0 else -900.0
            readings.append(level)
    return readings[:size], width
