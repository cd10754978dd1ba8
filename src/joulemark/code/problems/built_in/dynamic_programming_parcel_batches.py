"""Cheapest batches of parcels in order

Description: Parcels leave in the given order, cut into batches of one or more neighbouring parcels. A batch
costs `setup` plus the square of its total weight. Return the least total cost of sending all parcels.
Limits: 1 to 10**6 parcels of weight 1 to 1000, `0 <= setup <= 10**12`.
"""

import math
import random

ALGORITHMS = ("dynamic_programming", "convex_hull_trick", "prefix_sums")
DIFFICULTY = "hard"
ENTRY_POINT = "cheapest_batches"
EXAMPLES = (
    (([1, 2, 3], 10), 38),
    (([1, 2, 3], 0), 14),
    (([5], 7), 32),
    (([1, 1, 1, 1], 4), 16),
)
SHAPES = ("random", "small_setup", "equal", "heavy_tail")
SIZES = (300, 50_000)
CHECKER = "equal"
EDGE_CASES = (
    ([1], 0),
    ([1_000, 1_000], 1_000_000_000_000),
    ([1, 1], 2),
    ([2, 2, 2, 2, 2, 2], 8),
    ([1_000, 1, 1, 1_000], 2_000),
    ([1, 1_000, 1], 5),
)
BRUTE_FORCE_SIZE = 11


def cheapest_batches(weights: list[int], setup: int) -> int:
    """Lines in the sum of weights; slopes fall and queries grow, so a pointer moves along the hull."""
    slopes = [0]
    heights = [0]
    first = 0
    total = 0
    cost = 0
    for weight in weights:
        total += weight
        while first + 1 < len(slopes) and (
            slopes[first + 1] * total + heights[first + 1] <= slopes[first] * total + heights[first]
        ):
            first += 1
        cost = slopes[first] * total + heights[first] + total * total + setup
        slope = -2 * total
        height = cost + total * total
        while len(slopes) - first > 1 and (height - heights[-2]) * (slopes[-2] - slopes[-1]) <= (
            heights[-1] - heights[-2]
        ) * (slopes[-2] - slope):
            slopes.pop()
            heights.pop()
        slopes.append(slope)
        heights.append(height)
    return cost


def slow_every_last_batch(weights: list[int], setup: int) -> int:
    """Try every last batch for every number of parcels."""
    costs = [0]
    for end in range(1, len(weights) + 1):
        load = 0
        best = costs[end - 1] + setup + weights[end - 1] ** 2
        for start in range(end - 1, -1, -1):
            load += weights[start]
            best = min(best, costs[start] + setup + load * load)
        costs.append(best)
    return costs[-1]


def slow_light_batches(weights: list[int], setup: int) -> int:
    """Try every last batch that is not so heavy that to halve it would pay."""
    heaviest = max(weights) + math.isqrt(2 * setup) + 2
    costs = [0]
    for end in range(1, len(weights) + 1):
        load = 0
        best = costs[end - 1] + setup + weights[end - 1] ** 2
        for start in range(end - 1, -1, -1):
            load += weights[start]
            if load > heaviest:
                break
            best = min(best, costs[start] + setup + load * load)
        costs.append(best)
    return costs[-1]


def brute_force(weights: list[int], setup: int) -> int:
    """Try every set of cuts."""
    best = -1
    for cuts in range(1 << (len(weights) - 1)):
        cost = setup
        load = 0
        for place, weight in enumerate(weights):
            load += weight
            if place + 1 == len(weights) or cuts >> place & 1:
                cost += load * load + (setup if place + 1 < len(weights) else 0)
                load = 0
        best = cost if best < 0 else min(best, cost)
    return best


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int]:
    """Parcels of the shape asked for; the default setup makes batches of some fifty parcels."""
    if shape == "equal":
        weights = [rng.randint(1, 9)] * size
    elif shape == "heavy_tail":
        weights = [min(1_000, int(rng.paretovariate(1.1))) for _ in range(size)]
    else:
        weights = rng.choices([*range(1, 101)], k=size)
    mean = sum(weights) // size + 1
    batch = rng.randint(1, 4) if size < 20 else 3 if shape == "small_setup" else rng.randint(45, 55)
    return weights, (batch * mean) ** 2
