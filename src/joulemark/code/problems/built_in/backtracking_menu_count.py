"""Menus within a budget without clashing dishes

Description: Each case is `(budget, prices, clashes)`: dishes are numbered by their place in `prices`, and
`clashes` lists pairs of different dishes that must not be on the same menu. A menu is a set of dishes, the
empty set included, whose prices add up to at most `budget` and which holds no clashing pair. Return the
list of the numbers of menus, one for each case. Dishes are told apart even if they cost the same; a pair
may be listed more than once. Limits: 1 to 10**4 cases, 1 to 14 dishes, whole prices and budgets from 0 to
10**6.
"""

import itertools
import random

ALGORITHMS = ("backtracking", "bit_manipulation", "sorting")
DIFFICULTY = "easy"
ENTRY_POINT = "count_menus"
EXAMPLES = (
    (([(5, [2, 3, 4], [(0, 1)])],), [4]),
    (([(5, [2, 3, 4], [(2, 0)])],), [5]),
    (([(0, [1, 0], [(0, 1)]), (1, [0, 0], [(0, 1)])],), [2, 3]),
)
SHAPES = ("random", "rich", "many_clashes", "equal_prices")
SIZES = (2, 1_000)  # the number of cases
CHECKER = "equal"
EDGE_CASES = (
    ([(0, [0, 0, 0], [(0, 1)])],),
    ([(9, [10, 11], [(1, 0)])],),
    ([(1_000_000, [1_000_000, 1, 0], [(2, 1), (1, 2)])],),
    ([(3, [1, 1, 1, 1], [(0, 1), (1, 2), (0, 2)]), (3, [3, 0], [(0, 1)])],),
)
BRUTE_FORCE_SIZE = 3


def count_menus(cases: list[tuple[int, list[int], list[tuple[int, int]]]]) -> list[int]:
    """Dishes by price: stop at the first that is too dear, skip those that clash with what is chosen."""
    counts = []
    for budget, prices, clashes in cases:
        order = sorted(range(len(prices)), key=prices.__getitem__)
        ranks = {dish: rank for rank, dish in enumerate(order)}
        barred = [0] * len(prices)
        for one, other in clashes:
            barred[ranks[one]] |= 1 << ranks[other]
            barred[ranks[other]] |= 1 << ranks[one]
        counts.append(_extend(sorted(prices), barred, 0, budget, 0))
    return counts


def _extend(prices: list[int], barred: list[int], first: int, budget: int, closed: int) -> int:
    """Menus that add to the chosen dishes only dishes from `first` on."""
    menus = 1
    for dish in range(first, len(prices)):
        left = budget - prices[dish]
        if left < 0:
            break
        if not closed >> dish & 1:
            menus += _extend(prices, barred, dish + 1, left, closed | barred[dish])
    return menus


def slow_check_at_the_end(cases: list[tuple[int, list[int], list[tuple[int, int]]]]) -> list[int]:
    """Take or leave every dish, and look at price and clashes only when the menu is complete."""
    return [_take_or_leave(budget, prices, clashes, []) for budget, prices, clashes in cases]


def _take_or_leave(budget: int, prices: list[int], clashes: list[tuple[int, int]], taken: list[bool]) -> int:
    """Menus that start with the choices in `taken`."""
    if len(taken) < len(prices):
        return sum(_take_or_leave(budget, prices, clashes, [*taken, choice]) for choice in (False, True))
    cost = sum(price for price, chosen in zip(prices, taken, strict=True) if chosen)
    return int(cost <= budget and not any(taken[one] and taken[other] for one, other in clashes))


def brute_force(cases: list[tuple[int, list[int], list[tuple[int, int]]]]) -> list[int]:
    """Go through all sets of dishes."""
    counts = []
    for budget, prices, clashes in cases:
        pairs = {frozenset(pair) for pair in clashes}
        count = 0
        for length in range(len(prices) + 1):
            for menu in itertools.combinations(range(len(prices)), length):
                count += sum(prices[dish] for dish in menu) <= budget and not any(
                    frozenset(pair) in pairs for pair in itertools.combinations(menu, 2)
                )
        counts.append(count)
    return counts


def generate(
    rng: random.Random, size: int, shape: str
) -> tuple[list[tuple[int, list[int], list[tuple[int, int]]]]]:
    """`size` cases of 8 to 11 dishes; by default a budget for about a third of them."""
    cases = []
    for _ in range(size):
        dishes = rng.randint(8, 11)
        prices = [rng.randint(5, 40) if shape != "equal_prices" else 10 for _ in range(dishes)]
        pairs = list(itertools.combinations(range(dishes), 2))
        clashes = rng.sample(pairs, len(pairs) // 2 if shape == "many_clashes" else rng.randint(3, 8))
        budget = sum(prices) if shape == "rich" else sum(prices) * rng.randint(28, 38) // 100
        cases.append((budget, prices, [rng.choice((pair, pair[::-1])) for pair in clashes]))
    return (cases,)
