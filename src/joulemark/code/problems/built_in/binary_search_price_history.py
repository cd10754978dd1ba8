"""The price on that day

Description: `changes` is a list of at most 10**6 price changes `(day, item, price)`, sorted by day (0 to
10**9); on one day the same item may change several times, and then the one later in the list counts. The
names of items are texts, and prices are whole numbers. A question `(item, day)`, with a day in the same
range, asks for the price that the item has at the end of that day, which is the price of its last change on
that day or before. Return the list of the answers to `questions` (at most 10**6), in their order, with -1
where the item has no price yet or is not known at all.
"""

import random
from bisect import bisect_right

ALGORITHMS = ("binary_search", "hash_table")
DIFFICULTY = "medium"
ENTRY_POINT = "prices_on_days"
EXAMPLES = (
    (([(1, "tea", 5), (4, "tea", 6), (4, "jam", 9)], [("tea", 3), ("tea", 4), ("jam", 3)]), [5, 6, -1]),
    (([(2, "tea", 5), (2, "tea", 7)], [("tea", 2), ("tea", 1), ("oil", 2)]), [7, -1, -1]),
    (([(0, "x", 0)], [("x", 0), ("x", 1000)]), [0, 0]),
)
SHAPES = ("few_items", "many_items", "same_days", "late")
SIZES = (500, 60_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(5, "a", 1)], [("a", 4), ("a", 5), ("a", 6), ("b", 5)]),
    ([(1, "a", 1), (1, "b", 2), (1, "a", 3)], [("a", 1), ("b", 1), ("a", 0)]),
    ([(1, "a", 9), (3, "a", 8), (3, "a", 7), (8, "a", 9)], [("a", 2), ("a", 3), ("a", 7), ("a", 8)]),
)
BRUTE_FORCE_SIZE = 15


def prices_on_days(changes: list[tuple[int, str, int]], questions: list[tuple[str, int]]) -> list[int]:
    """Canonical: the days and the prices of each item in lists of their own; halving finds the day."""
    days: dict[str, list[int]] = {}
    prices: dict[str, list[int]] = {}
    for day, item, price in changes:
        if item not in days:
            days[item] = []
            prices[item] = [-1]
        days[item].append(day)
        prices[item].append(price)
    return [prices[item][bisect_right(days[item], day)] if item in days else -1 for item, day in questions]


def slow_search_backwards(changes: list[tuple[int, str, int]], questions: list[tuple[str, int]]) -> list[int]:
    """Goes back through the changes of the item, one by one, from the newest."""
    history: dict[str, list[tuple[int, int]]] = {}
    for day, item, price in changes:
        history.setdefault(item, []).append((day, price))
    answers = []
    for item, asked in questions:
        answer = -1
        for day, price in reversed(history.get(item, [])):
            if day <= asked:
                answer = price
                break
        answers.append(answer)
    return answers


def brute_force(changes: list[tuple[int, str, int]], questions: list[tuple[str, int]]) -> list[int]:
    """Plays all the changes up to the day anew for every question."""
    answers = []
    for item, asked in questions:
        current = {name: price for day, name, price in changes if day <= asked}
        answers.append(current.get(item, -1))
    return answers


def generate(
    rng: random.Random, size: int, shape: str
) -> tuple[list[tuple[int, str, int]], list[tuple[str, int]]]:
    """`size` changes and as many questions; with "few_items" an item has 6 * root(size) changes."""
    count = 1 + (size // 3 if shape == "many_items" else int(size**0.5 / 6))
    items = [f"item-{chr(97 + number % 26)}{number}" for number in range(count + 1)]
    spread = max(1, size // 50) if shape == "same_days" else 5 * size
    days = sorted(rng.choices(range(spread), k=size))
    sold, prices = rng.choices(items[:count], k=size), rng.choices([*range(1000)], k=size)
    earliest = spread * 9 // 10 if shape == "late" else 1
    # the last name is never sold
    asked = rng.choices(items, weights=[*range(20, 20 + count), 1], k=size)
    asked_days = rng.choices(range(earliest - 1, spread + 1), k=size)
    return list(zip(days, sold, prices, strict=True)), list(zip(asked, asked_days, strict=True))
