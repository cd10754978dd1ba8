"""The menu of a certain rank

Description: A menu is one main course and one dessert, and its price is the sum of the two prices. `mains`
and `desserts` are the lists of the prices (1 to 10**5 entries each, whole numbers from 0 to 10**9, in no
order; equal prices belong to different dishes). If all the menus are put in order by price, the cheapest
first, which price has the menu at position `rank`, where the first position is 1 (1 <= rank <= number of
menus)? Return that price.
"""

import heapq
import random
from bisect import bisect_right

ALGORITHMS = ("binary_search", "two_pointers", "sorting")
DIFFICULTY = "hard"
ENTRY_POINT = "menu_price_at_rank"
EXAMPLES = (
    (([10, 7], [1, 4, 2], 1), 8),
    (([10, 7], [1, 4, 2], 4), 11),
    (([5, 5], [3], 2), 8),
    (([0, 100], [1, 2, 3], 6), 103),
)
SHAPES = ("random", "few_prices", "unequal", "near_end")
SIZES = (100, 12_000)
CHECKER = "equal"
EDGE_CASES = (
    ([0], [0], 1),
    ([1, 1], [1, 1], 4),
    ([1000000000], [1000000000, 0], 2),
    ([1, 2, 3], [1, 2, 3], 5),
    ([9], [5, 1, 3], 2),
)
BRUTE_FORCE_SIZE = 12


def menu_price_at_rank(mains: list[int], desserts: list[int], rank: int) -> int:
    """Canonical: halve the range of prices; one pass over both sorted lists counts the menus below."""
    long, short = (mains, desserts) if len(mains) >= len(desserts) else (desserts, mains)
    rising = sorted(long)
    falling = sorted(short, reverse=True)
    low, high = rising[0] + falling[-1], rising[-1] + falling[0]
    # the i-th cheapest of both lists make i * i menus that are not dearer than theirs
    for root in range(min(len(rising), len(falling))):
        if (root + 1) ** 2 >= rank:
            high = rising[root] + falling[-1 - root]
            break
    while low < high:
        middle = (low + high) // 2
        count = place = 0
        for price in falling:
            place = bisect_right(rising, middle - price, place)
            count += place
        if count >= rank:
            high = middle
        else:
            low = middle + 1
    return low


def slow_one_by_one(mains: list[int], desserts: list[int], rank: int) -> int:
    """Takes the menus from a heap in order of price until the rank is reached."""
    mains = sorted(mains)
    desserts = sorted(desserts)
    heap = [(mains[0] + dessert, 0, dessert) for dessert in desserts]
    heapq.heapify(heap)
    price = 0
    for _ in range(rank):
        price, place, dessert = heap[0]
        if place + 1 < len(mains):
            heapq.heapreplace(heap, (mains[place + 1] + dessert, place + 1, dessert))
        else:
            heapq.heappop(heap)
    return price


def brute_force(mains: list[int], desserts: list[int], rank: int) -> int:
    """Puts all the menus in order."""
    return sorted(main + dessert for main in mains for dessert in desserts)[rank - 1]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], list[int], int]:
    """`size` dishes in each list ("unequal": fewer desserts); the rank is 100 to 120 times `size`."""
    largest = 50 if shape == "few_prices" else 10**9
    count = 1 + size // 100 if shape == "unequal" else size
    mains = [int(rng.random() * largest) for _ in range(size)]
    desserts = [int(rng.random() * largest) for _ in range(count)]
    rank = 1 + int((100 + 20 * rng.random()) * size)
    if size < 200 or shape == "near_end":
        rank = 1 + int(size * count * (0.99 if size > 50 else 1) * rng.random())
    return mains, desserts, min(rank, size * count)
