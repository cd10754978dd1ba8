"""One reading of every sensor, as close as possible

Description: `sensors` holds the readings of 1 to 1000 sensors: each is a list, in increasing order, of at
least one decimal number, all of them multiples of 0.25 from 0.0 to 10**6; there are at most 10**6 readings in
all, and numbers may repeat within a list and between lists. A range `(low, high)` is complete if every sensor
has a reading from `low` to `high`, both included. Return the complete range with the smallest `high - low` as
a tuple; if there are several, return the one with the smallest `low`.
"""

import random
from itertools import product

ALGORITHMS = ("two_pointers", "sorting", "hash_table")
DIFFICULTY = "hard"
ENTRY_POINT = "tightest_range"
EXAMPLES = (
    (([[1.0, 5.0, 9.0], [4.5, 20.0], [6.0, 6.25]],), (4.5, 6.0)),
    (([[2.0, 3.0]],), (2.0, 2.0)),
    (([[0.0, 10.0], [1.0, 11.0]],), (0.0, 1.0)),
)
SHAPES = ("random", "bursts", "unequal", "two_sensors")
SIZES = (1_000, 80_000)
CHECKER = "equal"
EDGE_CASES = (
    ([[0.0]],),
    ([[1.0], [1.0], [1.0]],),
    ([[0.25], [100.0, 200.0]],),
    ([[5.0, 5.0], [4.0, 6.0]],),
    ([[1.0, 2.0, 3.0], [3.0, 3.25], [0.0, 3.5]],),
)
BRUTE_FORCE_SIZE = 12


def tightest_range(sensors: list[list[float]]) -> tuple[float, float]:
    """Canonical: merge all readings, and move both ends of a window that counts them by sensor."""
    readings = [reading for sensor in sensors for reading in sensor]
    owners = [number for number, sensor in enumerate(sensors) for _ in sensor]
    order = sorted(range(len(readings)), key=readings.__getitem__)
    inside = [0] * len(sensors)
    missing = len(sensors)
    left = 0
    best = (readings[order[0]], readings[order[-1]])
    width = best[1] - best[0]
    for place in order:
        owner = owners[place]
        if not inside[owner]:
            missing -= 1
        inside[owner] += 1
        while not missing:
            first = order[left]
            if readings[place] - readings[first] < width:
                best = (readings[first], readings[place])
                width = best[1] - best[0]
            left += 1
            inside[owners[first]] -= 1
            if not inside[owners[first]]:
                missing = 1
    return best


def slow_compare_heads(sensors: list[list[float]]) -> tuple[float, float]:
    """Holds one reading of each sensor and looks through all of them in each step."""
    places = [0] * len(sensors)
    heads = [sensor[0] for sensor in sensors]
    best = (min(heads), max(heads))
    while True:
        low, high = min(heads), max(heads)
        if high - low < best[1] - best[0]:
            best = (low, high)
        number = heads.index(low)
        places[number] += 1
        if places[number] == len(sensors[number]):
            return best
        heads[number] = sensors[number][places[number]]


def brute_force(sensors: list[list[float]]) -> tuple[float, float]:
    """Tries all the ranges between two readings."""
    ends = sorted({reading for sensor in sensors for reading in sensor})
    ranges = [
        (high - low, low, high)
        for low, high in product(ends, ends)
        if low <= high and all(any(low <= reading <= high for reading in sensor) for sensor in sensors)
    ]
    return min(ranges)[1:]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[list[float]]]:
    """About `size` readings of at most 150 sensors."""
    count = 2 if shape == "two_sensors" else min(150, 1 + size // 4)
    length = max(1, size // count)
    sensors = []
    for number in range(count):
        many = 1 + int(rng.random() * 2 * length) if shape == "unequal" else length
        span = 4 * many * (1 + number % 3) if shape == "unequal" else 4 * size
        if shape == "bursts":
            centres = rng.choices(range(4 * size), k=1 + many // 20)
            centres_of, more = rng.choices(centres, k=many), rng.choices([*range(40)], k=many)
            values = [centre + distance for centre, distance in zip(centres_of, more, strict=True)]
        else:
            values = rng.choices(range(span), k=many)
        values.sort()
        sensors.append([value / 4 for value in values])
    return (sensors,)
