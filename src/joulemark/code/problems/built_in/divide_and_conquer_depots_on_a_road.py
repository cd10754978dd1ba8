"""Depots along a road with the shortest walks

Description: Shops stand along a straight road at the whole positions `places`, in rising order (several may
share a position). Open exactly `depots` depots at positions of your choice; every shop walks to its nearest
depot. Return the least possible sum of the distances walked. Limits: 1 to 5000 shops, `1 <= depots <= 8`,
positions from 0 to 10**9; with more depots than shops the sum is 0.
"""

import itertools
import random

ALGORITHMS = ("divide_and_conquer", "dynamic_programming", "prefix_sums")
DIFFICULTY = "hard"
ENTRY_POINT = "shortest_walks"
EXAMPLES = (
    (([1, 2, 10, 12], 2), 3),
    (([1, 2, 10, 12], 1), 19),
    (([4, 4, 4], 2), 0),
    (([0, 5, 6], 3), 0),
)
SHAPES = ("random", "crowds", "even", "growing")
SIZES = (40, 2_500)
CHECKER = "equal"
EDGE_CASES = (
    ([7], 1),
    ([7], 8),
    ([0, 1_000_000_000], 1),
    ([3, 3, 9, 9, 9], 2),
    ([0, 1, 2, 3, 4, 5, 6], 2),
    ([0, 10, 11, 12, 13, 30], 3),
)
BRUTE_FORCE_SIZE = 9


def shortest_walks(places: list[int], depots: int) -> int:
    """One depot more each time; the best first shop of the last depot never moves back as shops are added."""
    shops = len(places)
    sums = [0, *itertools.accumulate(places)]
    costs = [
        sums[end] - sums[end // 2] - sums[(end + 1) // 2] for end in range(shops + 1)
    ]  # with one depot, for the first `end` shops
    for _ in range(depots - 1):
        fewer = costs
        costs = list(fewer)
        waiting = [(1, shops, 0, shops)]
        while waiting:
            low, high, first, last = waiting.pop()
            if low > high:
                continue
            end = (low + high) // 2
            best = fewer[end]
            best_start = min(end, last)
            for start in range(first, min(end, last + 1)):
                middle = start + end
                walk = fewer[start] + sums[end] - sums[middle // 2] - sums[(middle + 1) // 2] + sums[start]
                if walk < best:
                    best = walk
                    best_start = start
            costs[end] = best
            waiting.append((low, end - 1, first, best_start))
            waiting.append((end + 1, high, best_start, last))
    return costs[shops]


def slow_every_start(places: list[int], depots: int) -> int:
    """One depot more each time, with every first shop of the last depot."""
    sums = [0, *itertools.accumulate(places)]
    costs = [0] + [10**18] * len(places)
    for _ in range(depots):
        fewer = costs
        costs = list(fewer)
        for end in range(1, len(places) + 1):
            for start in range(end):
                middle = start + end
                walk = sums[end] - sums[middle // 2] - sums[(middle + 1) // 2] + sums[start]
                costs[end] = min(costs[end], fewer[start] + walk)
    return costs[-1]


def brute_force(places: list[int], depots: int) -> int:
    """Every choice of shops to put the depots at."""
    chosen = itertools.combinations(places, min(depots, len(places)))
    return min(sum(min(abs(place - depot) for depot in row) for place in places) for row in chosen)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int]:
    """Shops of the shape asked for and, by default, five or six depots."""
    if shape == "crowds":
        places = [rng.randint(0, 9) * 10**6 + rng.randint(0, 10**4) for _ in range(size)]
    elif shape == "even":
        places = [10 * place for place in range(size)]
    elif shape == "growing":
        places = [place * place + rng.randint(0, 99) for place in range(size)]
    else:
        places = [rng.randint(0, 40 * size) for _ in range(size)]
    return sorted(places), rng.randint(1, 4) if size < 10 else rng.randint(5, 6)
