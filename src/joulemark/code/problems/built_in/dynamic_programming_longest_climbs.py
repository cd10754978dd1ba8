"""Number of longest climbs

Description: A climb picks days (at least one, in order of time) on which each recorded height is strictly
greater than on the picked day before. Return how many climbs have the greatest number of days, modulo
998244353. Climbs are told apart by the days they pick, so equal heights on different days count separately.
Limits: 1 to 10**6 heights, `-10**9 <= height <= 10**9`.
"""

import bisect
import itertools
import random

ALGORITHMS = ("dynamic_programming", "binary_search", "prefix_sums")
DIFFICULTY = "hard"
ENTRY_POINT = "count_longest_climbs"
EXAMPLES = (
    (([1, 3, 5, 4, 7],), 2),
    (([2, 2, 2],), 3),
    (([3, 2, 1, 4],), 3),
    (([1, 2, 1, 2],), 3),
)
SHAPES = ("random", "few_values", "waves", "falling")
SIZES = (300, 30_000)
CHECKER = "equal"
EDGE_CASES = (
    ([0],),
    ([5, 4, 3],),
    ([1, 2, 3, 4],),
    ([1, 1, 2, 2, 3, 3],),
    ([-1_000_000_000, 1_000_000_000, 0, 1_000_000_000],),
    ([2, 1, 4, 3, 6, 5],),
    ([1, 5, 2, 4, 3, 3],),
)
BRUTE_FORCE_SIZE = 10


def count_longest_climbs(heights: list[int]) -> int:
    """Piles by climb length: heights only fall within a pile, so the lower ones before are one stretch."""
    modulus = 998_244_353
    tops: list[int] = []
    piles: list[list[int]] = []  # negated heights, rising
    sums: list[list[int]] = []  # sums[level][n]: climbs that end on the first n heights of the pile
    for height in heights:
        level = bisect.bisect_left(tops, height)
        ways = 1
        if level:
            below = sums[level - 1]
            ways = below[-1] - below[bisect.bisect_right(piles[level - 1], -height)]
        if level == len(tops):
            tops.append(height)
            piles.append([-height])
            sums.append([0, ways % modulus])
        else:
            tops[level] = height
            piles[level].append(-height)
            sums[level].append((sums[level][-1] + ways) % modulus)
    return sums[-1][-1]


def slow_all_before(heights: list[int]) -> int:
    """For each day go through all days before it."""
    lengths: list[int] = []
    counts: list[int] = []
    for day, height in enumerate(heights):
        length = 1
        count = 1
        for before in range(day):
            if heights[before] < height:
                if lengths[before] + 1 > length:
                    length = lengths[before] + 1
                    count = counts[before]
                elif lengths[before] + 1 == length:
                    count += counts[before]
        lengths.append(length)
        counts.append(count % 998_244_353)
    longest = max(lengths)
    return sum(c for n, c in zip(lengths, counts, strict=True) if n == longest) % 998_244_353


def slow_plain_piles(heights: list[int]) -> int:
    """The piles of the canonical, but levels and lower heights are looked for one by one."""
    piles: list[list[tuple[int, int]]] = []
    for height in heights:
        level = 0
        while level < len(piles) and piles[level][-1][0] < height:
            level += 1
        ways = 1
        if level:
            ways = sum(count for lower, count in piles[level - 1] if lower < height) % 998_244_353
        if level == len(piles):
            piles.append([])
        piles[level].append((height, ways))
    return sum(count for _, count in piles[-1]) % 998_244_353


def brute_force(heights: list[int]) -> int:
    """Count the climbs of every length, the longest first."""
    for length in range(len(heights), 0, -1):
        climbs = itertools.combinations(heights, length)
        count = sum(all(low < high for low, high in itertools.pairwise(climb)) for climb in climbs)
        if count:
            return count
    return 0


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int]]:
    """Heights of the shape asked for."""
    if shape == "few_values":
        return (rng.choices([*range(6 if size < 20 else 51)], k=size),)
    if shape == "waves":
        more = rng.choices([*range(-200, 201)], k=size)
        return ([day % 30 * 100 + height for day, height in enumerate(more)],)
    if shape == "falling":
        return ([height - day for day, height in enumerate(rng.choices([*range(51)], k=size))],)
    return (rng.choices(range(-(10**9), 10**9 + 1), k=size),)
