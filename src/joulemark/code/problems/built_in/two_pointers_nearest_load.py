"""As near to the wanted load as possible

Description: `trucks` is a list of cases (at most 10**4); each is a pair `(weights, wanted)`: the weights of 1
to 20 crates (whole numbers from 1 to 10**9) and the load that is wanted on the truck (0 to 10**10). Any
selection of the crates may be loaded, also none or all of them, but each crate only once. Return a list with
one number for each case: the smallest possible difference, taken as positive, between the sum of the loaded
weights and `wanted`.
"""

import random
from itertools import combinations

ALGORITHMS = ("two_pointers", "divide_and_conquer", "sorting")
DIFFICULTY = "hard"
ENTRY_POINT = "smallest_differences"
EXAMPLES = (
    (([([3, 34, 4, 12, 5, 2], 10), ([8, 8], 5)],), [0, 3]),
    (([([7], 2), ([7], 5)],), [2, 2]),
    (([([10, 20, 30], 100)],), [40]),
)
# the size is the number of cases; each has 14 crates, whatever the size
SHAPES = ("random", "light", "doubling", "mixed")
SIZES = (5, 1_200)
CHECKER = "equal"
EDGE_CASES = (
    ([([1], 0)],),
    ([([5], 5)],),
    ([([4, 4, 4], 8), ([4, 4, 4], 6)],),
    ([([1, 2, 4, 8, 16], 31), ([1, 2, 4, 8, 16], 40)],),
    ([([1000000000, 1000000000, 999999999], 10000000000)],),
)
BRUTE_FORCE_SIZE = 3


def smallest_differences(trucks: list[tuple[list[int], int]]) -> list[int]:
    """Canonical: the sorted sums of each half of the crates, passed in opposite directions."""
    differences = []
    for weights, wanted in trucks:
        middle = len(weights) // 2
        halves = []
        for part in (weights[:middle], weights[middle:]):
            sums = [0]
            for weight in part:
                # two sorted runs: sorting them is a merge
                sums = sorted(sums + [weight + load for load in sums])
            halves.append(sums)
        rising, falling = halves
        nearest = wanted
        place = len(falling) - 1
        for load in rising:
            rest = wanted - load
            while place and falling[place] > rest:
                if falling[place] - rest < nearest:
                    nearest = falling[place] - rest
                place -= 1
            nearest = min(nearest, abs(rest - falling[place]))
        differences.append(nearest)
    return differences


def slow_all_sums(trucks: list[tuple[list[int], int]]) -> list[int]:
    """Makes the sums of all selections of all the crates."""
    differences = []
    for weights, wanted in trucks:
        sums = [0]
        for weight in weights:
            sums += [load + weight for load in sums]
        differences.append(min([abs(load - wanted) for load in sums]))
    return differences


def brute_force(trucks: list[tuple[list[int], int]]) -> list[int]:
    """Tries all the selections, by the number of crates."""
    return [
        min(
            abs(sum(loaded) - wanted)
            for number in range(len(weights) + 1)
            for loaded in combinations(weights, number)
        )
        for weights, wanted in trucks
    ]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[list[int], int]]]:
    """`size` cases of 14 crates ("mixed": 1 to 16)."""
    trucks = []
    for _ in range(size):
        count = rng.randrange(1, 17) if shape == "mixed" else 14
        largest = 50 if shape == "light" else 10**6
        weights = [1 + int(rng.random() * largest) for _ in range(count)]
        if shape == "doubling":
            weights = [3**place + int(rng.random() * 3) for place in range(count)]
            rng.shuffle(weights)
        trucks.append((weights, int(sum(weights) * rng.random() * 1.05)))
    return (trucks,)
