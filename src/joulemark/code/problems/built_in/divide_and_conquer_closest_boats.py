"""Distance of the two closest boats

Description: `boats` lists the positions `(x, y)` of two or more boats on a flat sea. Return the straight
distance between the two different boats that are closest to each other; boats at the same position are at
distance 0. Limits: 2 to 10**6 boats, coordinates from -10**6 to 10**6.
"""

import itertools
import math
import operator
import random

ALGORITHMS = ("divide_and_conquer", "geometry", "sorting")
DIFFICULTY = "medium"
ENTRY_POINT = "closest_distance"
EXAMPLES = (
    (([(0.0, 0.0), (3.0, 4.0)],), 5.0),
    (([(1.0, 1.0), (9.0, 1.0), (1.0, 2.5), (9.0, 9.0)],), 1.5),
    (([(2.5, 2.5), (0.0, 0.0), (2.5, 2.5)],), 0.0),
)
SHAPES = ("cross", "scattered", "one_column", "clusters")
SIZES = (100, 10_000)
CHECKER = "close"
EDGE_CASES = (
    ([(-1_000_000.0, 0.0), (1_000_000.0, 0.0)],),
    ([(0.0, 5.0), (0.0, 1.0), (0.0, 9.5)],),
    ([(0.0, 0.0), (1.0, 9.0), (2.0, 0.25), (3.0, 9.0), (4.0, 0.5)],),
    ([(5.0, 5.0), (5.0, 5.0), (5.0, 5.0)],),
    ([(0.0, 0.0), (0.0, 2.0), (1.0, 1.0), (-1.0, 1.0), (0.0, -2.0)],),
)
BRUTE_FORCE_SIZE = 14


def closest_distance(boats: list[tuple[float, float]]) -> float:
    """Halves by x; then only boats near the border, by y, can be closer than the best of the halves."""
    by_x = sorted(boats)
    return math.sqrt(_closest_square(by_x, 0, len(by_x), math.inf))


def _closest_square(boats: list[tuple[float, float]], low: int, high: int, best: float) -> float:
    """Least squared distance in `boats[low:high]`, or `best` if that is less; leaves the part sorted by y."""
    if high - low <= 4:
        part = sorted(boats[low:high], key=operator.itemgetter(1))
        boats[low:high] = part
        for (one_x, one_y), (other_x, other_y) in itertools.combinations(part, 2):
            best = min(best, (one_x - other_x) ** 2 + (one_y - other_y) ** 2)
        return best
    middle = (low + high) // 2
    border = boats[middle][0]
    best = _closest_square(boats, low, middle, best)
    best = _closest_square(boats, middle, high, best)
    part = sorted(boats[low:high], key=operator.itemgetter(1))
    boats[low:high] = part
    reach = math.sqrt(best)
    near = [boat for boat in part if -reach < boat[0] - border < reach]
    for place, (one_x, one_y) in enumerate(near):
        for other in range(place + 1, len(near)):
            other_x, other_y = near[other]
            rise = (other_y - one_y) ** 2
            if rise >= best:
                break
            square = rise + (other_x - one_x) ** 2
            if square < best:
                best = square
    return best


def slow_sweep(boats: list[tuple[float, float]]) -> float:
    """By x, each boat with those after it until they are too far to the right."""
    by_x = sorted(boats)
    best = math.inf
    for place, (one_x, one_y) in enumerate(by_x):
        for other in range(place + 1, len(by_x)):
            other_x, other_y = by_x[other]
            if other_x - one_x >= best:
                break
            best = min(best, math.hypot(other_x - one_x, other_y - one_y))
    return best


def brute_force(boats: list[tuple[float, float]]) -> float:
    """All pairs."""
    return min(math.dist(one, other) for one, other in itertools.combinations(boats, 2))


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[float, float]]]:
    """At least two boats; by default half of them in a narrow row and half in a narrow column."""
    size = max(2, size)
    if shape == "clusters":
        centres = [(place % 7 * 1_000, place % 3 * 1_000) for place in range(size)]
        return ([(round(x + rng.gauss(0, 1), 4), round(y + rng.gauss(0, 1), 4)) for x, y in centres],)

    def drawn(most: int) -> list[float]:
        return [units / 10_000 for units in rng.choices(range(-10_000 * most, 10_000 * most + 1), k=size)]

    wide = drawn(10**6)
    if shape == "scattered":
        return (list(zip(wide, drawn(10**6), strict=True)),)
    if shape == "one_column":
        return ([(12.5, far) for far in wide],)
    boats = list(zip(drawn(1), wide, strict=True))
    boats[1::2] = [(far, near) for near, far in boats[1::2]]
    return (boats,)
