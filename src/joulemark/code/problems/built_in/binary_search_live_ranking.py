"""Rank of every new result

Description: The results of a contest come in one after another: `results` is a list of n decimal numbers, 1
<= n <= 10**5, each between 0.0 and 10**6, and a higher one is better. Return the list of the ranks that the
results have at the moment when they come in: 1 plus the number of earlier results that are strictly higher.
Equal results share a rank.
"""

import random
from bisect import bisect_right, insort

ALGORITHMS = ("binary_search", "sorting")
DIFFICULTY = "easy"
ENTRY_POINT = "ranks_on_arrival"
EXAMPLES = (
    (([7.5, 9.0, 8.25, 9.0, 1.0],), [1, 1, 2, 1, 5]),
    (([3.0, 2.0, 2.0],), [1, 2, 2]),
    (([0.5],), [1]),
)
SHAPES = ("random", "few_values", "rising", "falling")
SIZES = (1_000, 25_000)
CHECKER = "equal"
EDGE_CASES = (
    ([0.0],),
    ([1.0, 1.0, 1.0],),
    ([1.0, 2.0, 3.0],),
    ([3.0, 2.0, 1.0, 2.0],),
    ([0.1, 0.1000001, 0.1],),
)
BRUTE_FORCE_SIZE = 12


def ranks_on_arrival(results: list[float]) -> list[int]:
    """Canonical: keep the earlier results sorted; find the place of the new one by halving."""
    ordered: list[float] = []
    ranks = []
    for result in results:
        ranks.append(1 + len(ordered) - bisect_right(ordered, result))
        insort(ordered, result)
    return ranks


def slow_sort_again(results: list[float]) -> list[int]:
    """Sorts all that has come in again after each result, and looks for the result in the list."""
    ordered: list[float] = []
    ranks = []
    for result in results:
        ordered.append(result)
        ordered.sort(reverse=True)
        ranks.append(1 + ordered.index(result))
    return ranks


def brute_force(results: list[float]) -> list[int]:
    """Counts the higher ones among the earlier results."""
    return [1 + sum(earlier > result for earlier in results[:place]) for place, result in enumerate(results)]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[float]]:
    """`size` results with at most two decimals."""
    if shape == "few_values":
        return (rng.choices([float(number) for number in range(10)], k=size),)
    results = [hundredths / 100 for hundredths in rng.choices(range(100_001), k=size)]
    if shape != "random":
        results.sort(reverse=shape == "falling")
        for _ in range(size // 20):
            results[int(rng.random() * size)] = round(1000 * rng.random(), 2)
    return (results,)
