"""Masts on a ring road

Description: A ring road is `length` metres long (2 <= length <= 10**9). `sites` are the different places, in
increasing order, at which a radio mast may stand, as metres from the zero point along the road (0 <= site <
length; 2 to 10**5 sites). Exactly `masts` masts are to be put up at different sites (2 <= masts <= number of
sites). The gap between two neighbouring masts is measured along the road; there are as many gaps as masts,
because the last mast and the first one are neighbours too, across the zero point. Return the greatest
possible length of the smallest gap.
"""

import random
from bisect import bisect_left
from itertools import combinations, pairwise

ALGORITHMS = ("binary_search", "greedy", "two_pointers")
DIFFICULTY = "hard"
ENTRY_POINT = "widest_smallest_gap"
EXAMPLES = (
    ((10, [0, 2, 5, 7], 2), 5),
    ((10, [0, 1, 2, 9], 3), 1),
    ((100, [10, 40, 70, 95], 3), 30),
    ((12, [0, 3, 6, 9], 4), 3),
)
SHAPES = ("random", "clusters", "many_masts", "regular")
SIZES = (100, 12_000)
CHECKER = "equal"
EDGE_CASES = (
    (2, [0, 1], 2),
    (1000, [0, 999], 2),
    (1000, [500, 501], 2),
    (9, [0, 1, 3, 4, 6, 7], 3),
    (20, [0, 1, 2, 3, 10], 3),
)
BRUTE_FORCE_SIZE = 10


def widest_smallest_gap(length: int, sites: list[int], masts: int) -> int:
    """Canonical: halve the range of gaps; only starts up to the nearest next mast of some site need a try."""
    count = len(sites)
    twice = sites + [site + length for site in sites]
    low, high = 1, length // masts
    while low < high:
        gap = (low + high + 1) // 2
        after = []
        place = 0
        for site in sites:
            place = bisect_left(twice, site + gap, place)
            after.append(place)
        # some mast can always be moved to a given site, or stands before the first place after it
        first = min(range(count), key=lambda start: after[start] - start)
        after += [place + count for place in after]
        for start in range(first, after[first]):
            start %= count
            place = start
            for _ in range(masts):
                place = after[place]
                if place > start + count:
                    break
            else:
                low = gap
                break
        else:
            high = gap - 1
    return low


def slow_all_starts(length: int, sites: list[int], masts: int) -> int:
    """Halves the range too, but tries each site as the first mast, and finds each next one anew."""
    twice = sites + [site + length for site in sites]
    low, high = 1, length // masts
    while low < high:
        gap = (low + high + 1) // 2
        for start, site in enumerate(sites):
            place = start
            for _ in range(masts - 1):
                place = bisect_left(twice, twice[place] + gap, place)
                if place == len(twice):
                    break
            if place < len(twice) and twice[place] + gap <= site + length:
                low = gap
                break
        else:
            high = gap - 1
    return low


def brute_force(length: int, sites: list[int], masts: int) -> int:
    """Tries all the choices of sites."""
    best = 0
    for chosen in combinations(sites, masts):
        gaps = [after - before for before, after in pairwise(chosen)]
        best = max(best, min([*gaps, chosen[0] + length - chosen[-1]]))
    return best


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, list[int], int]:
    """`size` + 1 sites (a few less when places coincide) for about root(size) masts."""
    length = 50 * (size + 1)
    if shape == "regular":
        places = {(50 * number + int(rng.random() * 3)) % length for number in range(size + 1)}
    elif shape == "clusters":
        centres = [rng.randrange(length) for _ in range(5 + size // 50)]
        places = {int(rng.choice(centres) + 900 * rng.random()) % length for _ in range(size + 1)}
    else:
        places = {int(rng.random() * length) for _ in range(size + 1)}
    places |= {0, length // 3}
    masts = int(size**0.5) if shape != "many_masts" else size // 6
    return length, sorted(places), min(len(places), max(2, masts + rng.randrange(3)))
