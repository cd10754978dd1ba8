"""What a drawer of coins can pay

Description: A drawer holds coins of several values: `coins` lists pairs (value, count), meaning that there
are `count` coins worth `value` each (1 to 100 pairs, 1 <= value <= 10**6, 1 <= count <= 10**6; the same value
may stand in several pairs and then has all those coins). A total is payable if some of the coins add up to
exactly that; no change is given. Count the payable totals from 1 to `limit`, both included (1 <= limit <= 2 *
10**7).
"""

import random

ALGORITHMS = ("bit_manipulation", "dynamic_programming")
DIFFICULTY = "hard"
ENTRY_POINT = "count_payable"
EXAMPLES = (
    (([(2, 2), (5, 1)], 10), 5),
    (([(3, 4)], 8), 2),
    (([(4, 1), (4, 1)], 100), 2),
    (([(9, 9)], 8), 0),
)
SHAPES = ("random", "large_counts", "single_coins", "one_common_factor")
SIZES = (100, 400_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(1, 1)], 1),
    ([(1, 1000000)], 7),
    ([(5, 3)], 15),
    ([(5, 3)], 14),
    ([(2, 1), (2, 2), (7, 1)], 13),
    ([(6, 5), (10, 5), (15, 5)], 40),
)
BRUTE_FORCE_SIZE = 12


def count_payable(coins: list[tuple[int, int]], limit: int) -> int:
    """Bit t of one number says that t is payable; equal coins are added in bundles of 1, 2, 4, ... coins."""
    within = (1 << (limit + 1)) - 1
    payable = 1
    for value, count in coins:
        left = min(count, limit // value)
        bundle = 1
        while left:
            bundle = min(bundle, left)
            payable |= (payable << (value * bundle)) & within
            left -= bundle
            bundle *= 2
    return payable.bit_count() - 1


def slow_coin_by_coin(coins: list[tuple[int, int]], limit: int) -> int:
    """Add every single coin to the number of payable totals."""
    within = (1 << (limit + 1)) - 1
    payable = 1
    for value, count in coins:
        for _ in range(min(count, limit // value)):
            payable |= (payable << value) & within
    return payable.bit_count() - 1


def slow_table_of_coins_used(coins: list[tuple[int, int]], limit: int) -> int:
    """A table of all totals, walked once per pair, and the fewest coins of this pair for each total."""
    payable = [True] + [False] * limit
    for value, count in coins:
        used = [0] * (limit + 1)
        for total in range(value, limit + 1):
            if not payable[total] and payable[total - value] and used[total - value] < count:
                payable[total] = True
                used[total] = used[total - value] + 1
    return sum(payable) - 1


def brute_force(coins: list[tuple[int, int]], limit: int) -> int:
    """The set of all totals, coin by coin."""
    totals = {0}
    for value, count in coins:
        for _ in range(min(count, limit)):
            totals |= {total + value for total in totals if total + value <= limit}
    return len(totals - {0})


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, int]], int]:
    """The limit is 20 * `size`; 24 pairs once there is room, so that the work grows with the limit alone."""
    limit = 20 * size
    pairs = min(24, size // 2 + 1)
    highest = min(1_000_000, max(3, limit // 300))
    coins = []
    for _ in range(pairs):
        value = rng.randint(highest // 2 + 1, highest)
        if shape == "one_common_factor":
            value = max(6, value // 6 * 6)
        count = rng.randint(100, 155)
        if shape == "large_counts":
            count = rng.randint(1_000, 1_000_000)
        elif shape == "single_coins":
            value, count = rng.randint(1, max(2, min(1_000_000, limit // 4))), 1
        coins.append((value, count))
    return coins, limit
