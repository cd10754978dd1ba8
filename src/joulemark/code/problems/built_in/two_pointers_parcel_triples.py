"""Three parcels for a crate

Description: `weights` are the weights of n parcels in grams (1 <= n <= 5000, whole numbers from 0 to 10**9,
in no order). A crate takes exactly three different parcels; it may be sent if the three together weigh at
least `least` and at most `most` grams (0 <= least <= most <= 3 * 10**9). Return the number of ways to choose
three parcels for a crate that may be sent. Parcels of the same weight are still different parcels, and the
order of the three does not matter.
"""

import random
from bisect import bisect_left, bisect_right
from itertools import combinations

ALGORITHMS = ("two_pointers", "sorting")
DIFFICULTY = "medium"
ENTRY_POINT = "count_crates"
EXAMPLES = (
    (([1, 2, 3, 4], 6, 8), 3),
    (([5, 5, 5, 5], 15, 15), 4),
    (([1, 2], 0, 100), 0),
)
SHAPES = ("random", "few_weights", "skewed", "narrow")
SIZES = (60, 1_200)
CHECKER = "equal"
EDGE_CASES = (
    ([7], 0, 30),
    ([0, 0, 0], 0, 0),
    ([1, 2, 3], 6, 6),
    ([1, 2, 3], 7, 9),
    ([10, 1, 10, 1, 10], 21, 21),
)
BRUTE_FORCE_SIZE = 14


def count_crates(weights: list[int], least: int, most: int) -> int:
    """Canonical: fix the heaviest; while the first gets heavier, the bound of the second only falls."""
    ordered = sorted(weights)

    def lighter_than(limit: int) -> int:
        count = 0
        for third in range(2, len(ordered)):
            rest = limit - ordered[third]
            right = third - 1
            for left in range(right):
                weight = ordered[left]
                while right > left and weight + ordered[right] >= rest:
                    right -= 1
                if right <= left:
                    break
                count += right - left
        return count

    return lighter_than(most + 1) - lighter_than(least)


def slow_halving_for_third(weights: list[int], least: int, most: int) -> int:
    """Looks the third one up by halving, for each pair of the other two."""
    ordered = sorted(weights)
    count = 0
    for third, weight in enumerate(ordered):
        for second in range(third):
            pair = weight + ordered[second]
            below = bisect_left(ordered, least - pair, 0, second)
            count += bisect_right(ordered, most - pair, 0, second) - below
    return count


def slow_all_triples(weights: list[int], least: int, most: int) -> int:
    """Adds up every choice of three parcels."""
    count = 0
    for first, one in enumerate(weights):
        for second in range(first):
            pair = one + weights[second]
            count += sum([least <= pair + other <= most for other in weights[:second]])
    return count


def brute_force(weights: list[int], least: int, most: int) -> int:
    """Adds up every choice of three parcels."""
    return sum(least <= sum(three) <= most for three in combinations(weights, 3))


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int, int]:
    """`size` parcels; the work grows with the square of the size."""
    largest = 30 if size < 20 else 8 if shape == "few_weights" else 100_000
    weights = [int(largest * rng.random() ** (4 if shape == "skewed" else 1)) for _ in range(size)]
    width = 0.01 if shape == "narrow" else 0.4
    least = int(largest * (1.0 + 0.4 * rng.random()))
    return weights, least, least + int(width * largest)
