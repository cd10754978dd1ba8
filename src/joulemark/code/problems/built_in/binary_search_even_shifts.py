"""The longest shift made as short as possible

Description: The n jobs of a workshop (1 <= n <= 10**6) must be done in the given order; `minutes[i]` is the
length of job i (1 to 10**6). They are divided among at most `shifts` shifts (1 <= shifts <= 10**6): each
shift takes a run of neighbouring jobs, no job is divided, and a shift may stay empty. The length of a shift
is the sum of its jobs. Return the smallest possible length of the longest shift.
"""

import random
from bisect import bisect_right
from itertools import accumulate

ALGORITHMS = ("binary_search", "greedy", "prefix_sums")
DIFFICULTY = "medium"
ENTRY_POINT = "shortest_longest_shift"
EXAMPLES = (
    (([7, 2, 5, 10, 8], 2), 18),
    (([1, 2, 3, 4, 5], 3), 6),
    (([4, 4, 4], 9), 4),
    (([30], 1), 30),
)
SHAPES = ("random", "few_large", "many_shifts", "equal")
SIZES = (1_000, 120_000)
CHECKER = "equal"
EDGE_CASES = (
    ([5], 1),
    ([5], 3),
    ([1, 1, 1, 1], 4),
    ([9, 1, 1, 1], 2),
    ([1, 1, 1, 9], 2),
    ([1000000, 1, 1000000], 2),
)
BRUTE_FORCE_SIZE = 9


def shortest_longest_shift(minutes: list[int], shifts: int) -> int:
    """Canonical: halve the range of lengths; find the end of each shift by halving in running sums."""
    sums = list(accumulate(minutes))
    total = sums[-1]
    # with this much more than the average, every shift but the last does at least its share
    longest = max(minutes)
    low = max(longest, -(-total // shifts))
    high = min(total, -(-total // shifts) + longest)
    while low < high:
        middle = (low + high) // 2
        done = place = used = 0
        while done < total and used <= shifts:
            place = bisect_right(sums, done + middle, place)
            done = sums[place - 1]
            used += 1
        if used <= shifts:
            high = middle
        else:
            low = middle + 1
    return low


def _shifts_needed(minutes: list[int], limit: int) -> int:
    needed = 1
    length = 0
    for job in minutes:
        length += job
        if length > limit:
            needed += 1
            length = job
    return needed


def slow_add_up_each_time(minutes: list[int], shifts: int) -> int:
    """Halves the range too, but adds up all the jobs for every length it tries."""
    low, high = max(minutes), sum(minutes)
    while low < high:
        middle = (low + high) // 2
        if _shifts_needed(minutes, middle) <= shifts:
            high = middle
        else:
            low = middle + 1
    return low


def slow_next_length(minutes: list[int], shifts: int) -> int:
    """Starts with the average and goes on, one by one, to the next length that changes the division."""
    limit = max(*minutes, -(-sum(minutes) // shifts))
    while True:
        lengths = []
        length = 0
        for job in minutes:
            if length + job > limit:
                lengths.append(length + job)
                length = 0
            length += job
        if len(lengths) < shifts:
            return limit
        limit = min(lengths)


def brute_force(minutes: list[int], shifts: int) -> int:
    """Tries every end of the first shift and divides the rest in the same way."""
    if shifts == 1 or not minutes:
        return sum(minutes)
    ways = range(1, len(minutes) + 1)
    return min(max(sum(minutes[:end]), brute_force(minutes[end:], shifts - 1)) for end in ways)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int]:
    """`size` jobs; about one shift for 60 jobs, or for five with "many_shifts"."""
    if shape == "few_large":
        minutes = [1 + int(9 * rng.random()) if rng.random() < 0.98 else 5000 for _ in range(size)]
    elif shape == "equal":
        minutes = [1 + rng.randrange(100)] * size
    else:
        minutes = rng.choices(range(1, 100_001), k=size)
    return minutes, 1 + size // (5 if shape == "many_shifts" else 60) + rng.randrange(3)
