"""Brightest lamps with no two side by side

Description: A row of sockets has a (whole, possibly negative) brightness for each socket. Light exactly
`count` lamps, in different sockets, no two of them in neighbouring sockets, so that their total brightness
is as large as it can be, and return that total. Limits: `0 <= count <= (n + 1) // 2`, `1 <= n <= 10**6`,
`-10**6 <= brightness <= 10**6`.
"""

import heapq
import itertools
import random

ALGORITHMS = ("greedy", "heap", "linked_list")
DIFFICULTY = "hard"
ENTRY_POINT = "brightest_total"
EXAMPLES = (
    (([4, 9, 7, 1], 2), 11),
    (([8, 9, 8], 2), 16),
    (([8, 9, 8], 1), 9),
    (([-3, -1, -2], 2), -5),
)
SHAPES = ("random", "few_values", "waves", "negative")
SIZES = (400, 40_000)
CHECKER = "equal"
EDGE_CASES = (
    ([5], 0),
    ([-5], 1),
    ([1, 2], 1),
    ([1, 100, 1, 1, 100, 1, 1], 4),
    ([5, 6, 5, 0, 5, 6, 5], 3),
    ([0, 0, 0, 0], 2),
    ([-9, 3, -9, 3, -9, 3], 3),
    ([10, 11, 10, 11, 10, 11, 10], 4),
)
BRUTE_FORCE_SIZE = 10


def brightest_total(brightness: list[int], count: int) -> int:
    """Take the brightest left; put in its place the gain of swapping it for both its neighbours."""
    length = len(brightness)
    border = -(10**15)
    gain = [border, *brightness, border]
    left = [0, *range(length + 1)]
    right = [*range(1, length + 2), length + 1]
    gone = bytearray(length + 2)
    heap = [(-value, place) for place, value in enumerate(brightness, 1)]
    heapq.heapify(heap)
    total = 0
    for _ in range(count):
        while gone[heap[0][1]]:
            heapq.heappop(heap)
        place = heap[0][1]
        total += gain[place]
        before = left[place]
        after = right[place]
        gain[place] = gain[before] + gain[after] - gain[place]
        gone[before] = gone[after] = 1
        left[place] = left[before]
        right[place] = right[after]
        right[left[place]] = place
        left[right[place]] = place
        heapq.heapreplace(heap, (-gain[place], place))
    return total


def slow_table(brightness: list[int], count: int) -> int:
    """A table over sockets and numbers of lamps."""
    nothing = -(10**15)
    before = [0] + [nothing] * count
    latest = [0] + [nothing] * count
    for value in brightness:
        taken = [nothing, *[total + value for total in before[:-1]]]
        before, latest = latest, [max(pair) for pair in zip(latest, taken, strict=True)]
    return latest[count]


def slow_look_for_best(brightness: list[int], count: int) -> int:
    """The same swaps without a heap: all sockets are gone through for every lamp."""
    border = -(10**15)
    gain = [border, *brightness, border]
    total = 0
    for _ in range(count):
        place = max(range(len(gain)), key=gain.__getitem__)
        total += gain[place]
        if place in (1, len(gain) - 2):
            first = max(1, place - 1)
            del gain[first : first + 2]
        else:
            gain[place - 1 : place + 2] = [gain[place - 1] + gain[place + 1] - gain[place]]
    return total


def brute_force(brightness: list[int], count: int) -> int:
    """Try every set of sockets."""
    return max(
        sum(brightness[place] for place in places)
        for places in itertools.combinations(range(len(brightness)), count)
        if all(later - earlier > 1 for earlier, later in itertools.pairwise(places))
    )


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int]:
    """Sockets of the shape asked for and lamps for about one in thirteen."""
    if shape == "waves":
        wave = [1_000 * min(place, 40 - place) for place in range(40)]
        more = rng.choices([*range(1_501)], k=size)
        brightness = [wave[place % 40] + extra for place, extra in enumerate(more)]
    else:
        values = {"few_values": range(4), "negative": range(-(10**6), 11)}.get(
            shape, range(-(10**5), 10**6 + 1)
        )
        brightness = rng.choices(values, k=size)
    most = (size + 1) // 2
    return brightness, rng.randint(0, most) if size < 20 else rng.randint(size // 14, size // 12)
