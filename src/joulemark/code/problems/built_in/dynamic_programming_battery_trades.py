"""Best earnings of a battery that must rest

Description: A battery holds one unit of energy or none, and starts empty. On day `d` (from 0) a unit is
bought or sold at `prices[d]`; at most one of the two is done on a day. Every sale also costs `fee`. After a
sale on day `d` the battery rests: the next purchase may be made on day `d + rest + 1` at the earliest.
Return the most money earned in total (0.0 if no trade pays); a unit that is still stored at the end was
paid for and earns nothing. Limits: 1 to 10**6 days, `0 <= prices[d] <= 1000`, `0 <= fee <= 1000`,
`0 <= rest <= 10**6`.
"""

import random

ALGORITHMS = ("dynamic_programming",)
DIFFICULTY = "easy"
ENTRY_POINT = "best_earnings"
EXAMPLES = (
    (([1.0, 5.0, 2.0, 6.0], 0.5, 0), 7.0),
    (([1.0, 5.0, 2.0, 6.0], 0.5, 1), 4.5),
    (([9.0, 4.0, 2.5], 0.0, 0), 0.0),
    (([2.0, 3.0, 1.0, 8.0], 1.5, 3), 5.5),
)
SHAPES = ("random", "zigzag", "falling", "no_rest")
SIZES = (1_000, 250_000)
CHECKER = "close"
EDGE_CASES = (
    ([3.5], 0.0, 0),
    ([1.0, 2.0], 0.0, 1_000_000),
    ([1.0, 2.0], 1.0, 0),
    ([1.0, 4.0, 1.0, 4.0], 0.0, 0),
    ([1.0, 4.0, 1.0, 4.0], 0.0, 1),
    ([1.0, 4.0, 1.0, 4.0, 0.5, 5.0], 0.25, 2),
    ([0.0, 0.0, 0.0], 0.0, 0),
)
BRUTE_FORCE_SIZE = 9


def best_earnings(prices: list[float], fee: float, rest: int) -> float:
    """Two values a day: best money with an empty battery, best money with a full one."""
    empty = [0.0] * (
        min(rest, len(prices)) + 1
    )  # entry d + rest + 1: best after day d; zeros: before the start
    latest = 0.0
    full = -1e18
    for day, price in enumerate(prices):
        sold = full + price - fee
        bought = empty[day] - price
        if bought > full:
            full = bought
        if sold > latest:
            latest = sold
        empty.append(latest)
    return latest


def slow_rest_states(prices: list[float], fee: float, rest: int) -> float:
    """A full table row each day: one entry for every number of rest days that are still to come."""
    nothing = -1e18
    full = nothing
    resting = [0.0] + [nothing] * min(rest, len(prices))
    for price in prices:
        sold = full + price - fee
        full = max(full, resting[0] - price)
        row = [nothing] * len(resting)
        for left, money in enumerate(resting):
            row[max(0, left - 1)] = max(row[max(0, left - 1)], money)
        row[-1] = max(row[-1], sold)
        resting = row
    return max(resting)


def brute_force(prices: list[float], fee: float, rest: int) -> float:
    """Try every first purchase and sale, then what can be earned after them."""
    best = 0.0
    for bought in range(len(prices)):
        for sold in range(bought + 1, len(prices)):
            later = brute_force(prices[sold + rest + 1 :], fee, rest)
            best = max(best, prices[sold] - prices[bought] - fee + later)
    return best


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[float], float, int]:
    """Prices of `size` days; the default rest is some twenty days."""
    if shape == "zigzag":
        prices = [0.0] * size
        prices[::2] = rng.choices([cents / 100 for cents in range(5_000, 6_001)], k=(size + 1) // 2)
        prices[1::2] = rng.choices([cents / 100 for cents in range(8_000, 9_001)], k=size // 2)
    elif shape == "falling":
        cents_more = rng.choices([*range(10_001)], k=size)
        prices = [(90_000 - 80_000 * day // size + more) / 100 for day, more in enumerate(cents_more)]
    else:
        prices = rng.choices([cents / 100 for cents in range(10_001)], k=size)
    rest = 0 if shape == "no_rest" else rng.randint(0, 2) if size < 20 else rng.randint(18, 22)
    return prices, round(rng.uniform(0, 20), 2), rest
