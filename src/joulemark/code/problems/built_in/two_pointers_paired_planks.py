"""Beams of two planks

Description: A carpenter glues planks together, end to end, always exactly two for a beam, and every beam must
be at least `least` millimetres long (1 to 10**9). `planks` is the list of the lengths of the planks in stock
(1 to 10**6 planks of 1 to 10**9 millimetres, in no order), and each can be used for one beam only. Return the
greatest number of beams that can be made.
"""

import random
from bisect import bisect_left

ALGORITHMS = ("two_pointers", "greedy", "sorting")
DIFFICULTY = "easy"
ENTRY_POINT = "most_beams"
EXAMPLES = (
    (([30, 70, 20, 90], 100), 2),
    (([60, 60, 10, 10], 100), 1),
    (([100, 100, 100], 100), 1),
    (([5], 5), 0),
)
SHAPES = ("random", "mostly_long", "mostly_short", "two_lengths")
SIZES = (1_000, 150_000)
CHECKER = "equal"
EDGE_CASES = (([7, 7], 14), ([7, 7], 15), ([1, 2, 3, 4, 5], 6), ([9, 1, 1, 1], 10), ([4, 4, 4, 4], 1))
BRUTE_FORCE_SIZE = 9


def most_beams(planks: list[int], least: int) -> int:
    """Canonical: after sorting, the longest plank takes the shortest one that is long enough for it."""
    lengths = sorted(planks)
    right = len(lengths) - 1
    beams = 0
    for left, length in enumerate(lengths):
        if left >= right:
            break
        if length + lengths[right] >= least:
            beams += 1
            right -= 1
    return beams


def slow_take_out(planks: list[int], least: int) -> int:
    """Looks up the shortest plank that fits and takes it out of the list, whose rest then has to move."""
    stock = sorted(planks)
    beams = 0
    while stock:
        place = bisect_left(stock, least - stock.pop())
        if place == len(stock):
            break
        del stock[place]
        beams += 1
    return beams


def brute_force(planks: list[int], least: int) -> int:
    """Tries every partner for the first plank, and no partner."""
    if not planks:
        return 0
    first, *rest = planks
    best = brute_force(rest, least)
    for place, other in enumerate(rest):
        if first + other >= least:
            best = max(best, 1 + brute_force(rest[:place] + rest[place + 1 :], least))
    return best


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int]:
    """`size` planks."""
    longest = 1000 if size < 20 else 10**6
    lengths = (longest // 3, longest * 2 // 3) if shape == "two_lengths" else range(1, longest + 1)
    least = {"random": 1.1, "mostly_long": 0.3, "mostly_short": 1.7, "two_lengths": 0.8}[shape]
    return rng.choices(lengths, k=size), int(longest * least)
