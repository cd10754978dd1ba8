"""How many rides every stop takes

Description: A tram company has at most 10**5 lines; line i is the list `lines[i]` of the numbers of its stops
(from 0 to 10**9, each at most once in a line, at least one), and there are at most 10**6 entries in all. A
ride takes you from any stop of a line to any other stop of the same line, in both directions. You begin at
the stop `start`, which may be on no line. Return a list whose element r is the number of stops for which r is
the least number of rides: element 0 is 1, for `start` itself, and the list ends with the last number of rides
that some stop needs. Stops that cannot be reached are not counted.
"""

import random

ALGORITHMS = ("breadth_first_search", "graph", "hash_table")
DIFFICULTY = "medium"
ENTRY_POINT = "stops_by_rides"
EXAMPLES = (
    (([[1, 2, 3], [3, 4], [5, 6]], 1), [1, 2, 1]),
    (([[1, 2], [2, 3], [3, 4], [4, 1]], 1), [1, 2, 1]),
    (([[7, 8, 9]], 5), [1]),
)
SHAPES = ("districts", "short_lines", "hub", "random")
SIZES = (1_000, 100_000)
CHECKER = "equal"
EDGE_CASES = (
    ([[4]], 4),
    ([[4]], 5),
    ([[0, 1], [1, 0]], 0),
    ([[1, 2, 3], [3, 2, 1], [2, 5], [5, 1]], 3),
    ([[10, 20], [30, 40], [20, 30]], 40),
)
BRUTE_FORCE_SIZE = 20


def stops_by_rides(lines: list[list[int]], start: int) -> list[int]:
    """Canonical: search in breadth over the stops; no line is looked at twice."""
    serving: dict[int, list[int]] = {}
    for line, stops in enumerate(lines):
        for stop in stops:
            if stop in serving:
                serving[stop].append(line)
            else:
                serving[stop] = [line]
    ridden = bytearray(len(lines))
    reached = {start}
    news = {start}
    counts = []
    while news:
        counts.append(len(news))
        ahead: set[int] = set()
        for stop in news:
            for line in serving.get(stop, ()):
                if not ridden[line]:
                    ridden[line] = 1
                    ahead.update(lines[line])
        news = ahead - reached
        reached |= news
    return counts


def slow_ride_again(lines: list[list[int]], start: int) -> list[int]:
    """Rides all the lines of every stop, however often the same line has been ridden before."""
    serving: dict[int, list[int]] = {}
    for line, stops in enumerate(lines):
        for stop in stops:
            serving.setdefault(stop, []).append(line)
    reached = {start}
    news = [start]
    counts = []
    while news:
        counts.append(len(news))
        ahead = []
        for stop in news:
            for line in serving.get(stop, ()):
                for other in lines[line]:
                    if other not in reached:
                        reached.add(other)
                        ahead.append(other)
        news = ahead
    return counts


def brute_force(lines: list[list[int]], start: int) -> list[int]:
    """Lowers the rides of all the stops of a line to one more than its best stop, until nothing changes."""
    far = len(lines) + 1
    rides = {stop: far for stops in lines for stop in stops} | {start: 0}
    for _ in lines:
        for stops in lines:
            best = min(rides[stop] for stop in stops)
            for stop in stops:
                rides[stop] = min(rides[stop], best + 1)
    needed = sorted(number for number in rides.values() if number < far)
    return [needed.count(number) for number in range(needed[-1] + 1)]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[list[int]], int]:
    """About `size` entries; "districts" has eight lines at a stop, with 120 stops each."""
    stops = 2 + (size // 8 if shape == "districts" else size // 2)
    factor = 1 + rng.randrange(1000)
    reach = min(80, 2 + size // 10)
    if shape == "random":
        numbers = rng.choices(range(0, factor * stops, factor), k=4 * ((size + 3) // 4))
        return [sorted({*numbers[place : place + 4]}) for place in range(0, size, 4)], rng.choice(numbers)
    shortest, span = {"districts": (reach, reach), "short_lines": (2, 4)}.get(shape, (reach // 2, 1))
    lines: list[list[int]] = []
    left = size
    while left > 0:
        length = min(shortest + int(rng.random() * span), left, stops)
        first = 0 if shape == "hub" and rng.random() < 0.3 else int(rng.random() * (stops - length + 1))
        step = 1 + (first + 2 * length < stops and rng.random() < 0.5)
        lines.append(list(range(factor * first, factor * (first + step * length), factor * step)))
        left -= length
    return lines, rng.choice(lines)[0]
