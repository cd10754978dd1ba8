"""Pairs of villages within a day's walk

Description: `roads` lists `villages - 1` roads `(one, other, length)` that join the villages 0 to
`villages - 1` without any circle, so there is exactly one way between any two. Return how many pairs of
different villages are at most `limit` apart along that way (each pair counts once). Limits: 1 to 10**5
villages, `1 <= length <= 10**6`, `0 <= limit <= 10**12`. The roads may form one long line.
"""

import random

ALGORITHMS = ("divide_and_conquer", "tree", "two_pointers", "sorting")
DIFFICULTY = "hard"
ENTRY_POINT = "pairs_within"
EXAMPLES = (
    ((4, [(0, 1, 2), (1, 2, 3), (1, 3, 4)], 5), 4),
    ((3, [(2, 0, 1), (2, 1, 1)], 1), 2),
    ((2, [(0, 1, 5)], 4), 0),
)
SHAPES = ("random", "line", "star", "short_limit")
SIZES = (60, 6_000)
CHECKER = "equal"
EDGE_CASES = (
    (2, [(1, 0, 7)], 7),
    (2, [(1, 0, 1)], 0),
    (4, [(0, 1, 1), (1, 2, 1), (2, 3, 1)], 2),
    (5, [(4, 0, 2), (4, 1, 2), (4, 2, 2), (4, 3, 3)], 4),
    (5, [(0, 1, 9), (0, 2, 1), (2, 3, 1), (2, 4, 1)], 1_000_000_000_000),
)
BRUTE_FORCE_SIZE = 10


def pairs_within(villages: int, roads: list[tuple[int, int, int]], limit: int) -> int:
    """Count the pairs whose way leads through the middle of the tree, take it out, and solve what is left."""
    neighbours: list[dict[int, int]] = [{} for _ in range(villages)]
    for one, other, length in roads:
        neighbours[one][other] = neighbours[other][one] = length
    pairs = 0
    waiting = [0]
    while waiting:
        middle = _middle(neighbours, waiting.pop())
        everyone = [0]
        for start, length in neighbours[middle].items():
            del neighbours[start][middle]
            branch = _distances(neighbours, start, length, limit)
            pairs -= _count(branch, limit)
            everyone += branch
            waiting.append(start)
        pairs += _count(everyone, limit)
    return pairs


def _middle(neighbours: list[dict[int, int]], start: int) -> int:
    """The village without which no part has more than half of the villages of the tree of `start`."""
    order = [start]
    parents = {start: -1}
    for village in order:
        for other in neighbours[village]:
            if other != parents[village]:
                parents[other] = village
                order.append(other)
    sizes = dict.fromkeys(order, 1)
    for village in reversed(order):
        if 2 * sizes[village] >= len(order):
            return village
        sizes[parents[village]] += sizes[village]
    return start


def _distances(neighbours: list[dict[int, int]], start: int, length: int, limit: int) -> list[int]:
    """Distances within the limit of `start`, which is `length` away, and of the villages beyond it."""
    distances = []
    waiting = [(start, -1, length)]
    while waiting:
        village, parent, distance = waiting.pop()
        if distance > limit:
            continue
        distances.append(distance)
        for other, road in neighbours[village].items():
            if other != parent:
                waiting.append((other, village, distance + road))
    return distances


def _count(distances: list[int], limit: int) -> int:
    """Pairs whose sum is within the limit; sorts the list."""
    distances.sort()
    pairs = 0
    high = len(distances) - 1
    for low, distance in enumerate(distances):
        while high > low and distance + distances[high] > limit:
            high -= 1
        if high <= low:
            break
        pairs += high - low
    return pairs


def slow_from_everywhere(villages: int, roads: list[tuple[int, int, int]], limit: int) -> int:
    """Walk from every village as far as the limit allows."""
    neighbours: list[dict[int, int]] = [{} for _ in range(villages)]
    for one, other, length in roads:
        neighbours[one][other] = neighbours[other][one] = length
    return sum(len(_distances(neighbours, start, 0, limit)) - 1 for start in range(villages)) // 2


def brute_force(villages: int, roads: list[tuple[int, int, int]], limit: int) -> int:
    """Shortest ways between all, by trying every village on the way."""
    ways = [[0 if one == other else 10**18 for other in range(villages)] for one in range(villages)]
    for one, other, length in roads:
        ways[one][other] = ways[other][one] = length
    for via in range(villages):
        for row in ways:
            row[:] = [min(way, row[via] + step) for way, step in zip(row, ways[via], strict=True)]
    return (sum(way <= limit for row in ways for way in row) - villages) // 2


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, list[tuple[int, int, int]], int]:
    """A tree of the shape asked for, with mixed-up numbers and a limit that lets many pairs in."""
    numbers = rng.sample(range(size), size)
    back = {"line": 1, "star": size}.get(shape, 30)
    roads = []
    for place in range(1, size):
        parent = 0 if shape == "star" and rng.random() < 0.8 else rng.randint(max(0, place - back), place - 1)
        roads.append((numbers[place], numbers[parent], rng.randint(1, 20)))
    rng.shuffle(roads)
    limit = {"short_limit": 60, "star": 25}.get(shape, size // 4)
    return size, roads, limit if size > 10 else rng.randint(0, 40)
