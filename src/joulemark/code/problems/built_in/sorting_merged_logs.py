"""Every so many lines of all logs

Description: Several machines keep logs. `logs` holds a list for each machine: the times of its entries as
whole numbers in ascending order, equal ones allowed (1 to 1000 lists, some of which may be empty, at most
10**6 times altogether, 0 <= time <= 10**12). Imagine all entries of all machines in one list in ascending
order. Return every `step`-th time of that list (1 <= step <= 10**6), that is, those at the places step, 2 *
step, 3 * step and so on, counted from 1. The result is empty if there are fewer than `step` times.
"""

import heapq
import itertools
import random

ALGORITHMS = ("sorting", "divide_and_conquer")
DIFFICULTY = "easy"
ENTRY_POINT = "every_step_of_all"
EXAMPLES = (
    (([[1, 4, 9], [2, 3], [10]], 2), [2, 4, 10]),
    (([[5, 5], [5]], 1), [5, 5, 5]),
    (([[7], [8]], 2), [8]),
    (([[0, 6], [1, 2, 3]], 3), [2]),
)
SHAPES = ("random", "one_after_another", "equal_times", "uneven", "many_logs")
SIZES = (1_000, 800_000)
CHECKER = "equal"
EDGE_CASES = (
    ([[3]], 1),
    ([[3]], 2),
    ([[], [8], []], 1),
    ([[4, 5, 6], [1, 2, 3]], 3),
    ([[2, 2], [2, 2], [1, 9]], 2),
)
BRUTE_FORCE_SIZE = 14


def every_step_of_all(logs: list[list[int]], step: int) -> list[int]:
    """Chain the logs and sort: the sort of Python finds the ascending runs and merges them."""
    return sorted(itertools.chain.from_iterable(logs))[step - 1 :: step]


def slow_heap_of_heads(logs: list[list[int]], step: int) -> list[int]:
    """Keep the first entry of every log in a heap, and take one entry at a time."""
    heads = [(log[0], number, 0) for number, log in enumerate(logs) if log]
    heapq.heapify(heads)
    result = []
    taken = 0
    while heads:
        time, number, place = heads[0]
        taken += 1
        if taken % step == 0:
            result.append(time)
        if place + 1 < len(logs[number]):
            heapq.heapreplace(heads, (logs[number][place + 1], number, place + 1))
        else:
            heapq.heappop(heads)
    return result


def slow_one_by_one(logs: list[list[int]], step: int) -> list[int]:
    """Merge the second log into the first, the third into the result, and so on."""
    merged: list[int] = []
    for log in logs:
        longer = []
        place = 0
        for time in merged:
            while place < len(log) and log[place] <= time:
                longer.append(log[place])
                place += 1
            longer.append(time)
        merged = longer + log[place:]
    return merged[step - 1 :: step]


def brute_force(logs: list[list[int]], step: int) -> list[int]:
    """Take the smallest remaining time again and again."""
    rest = [time for log in logs for time in log]
    result = []
    taken = 0
    while rest:
        time = min(rest)
        rest.remove(time)
        taken += 1
        if taken % step == 0:
            result.append(time)
    return result


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[list[int]], int]:
    """`size` times in some thirty logs (as many as there are entries if few); gaps make them ascend."""
    count = min(size, 1000 if shape == "many_logs" else rng.randint(28, 33))
    lengths = [size // count] * count
    if shape == "uneven":
        lengths = [size // 2**number // 2 for number in range(min(count, 12))]
    lengths[0] += size - sum(lengths)
    if shape == "equal_times":  # 85 of the bytes for each of the three gaps, and one for none
        drawn = rng.randbytes(size + size // 100 + 64)
        gaps = iter(drawn.translate(bytes((0, 0, 1)) * 85 + b"\0", b"\xff"))
    else:
        gaps = iter(rng.choices([*range(2000)], k=size))
    logs = []
    time = rng.randrange(1000)
    for length in lengths:
        log = list(itertools.accumulate(itertools.islice(gaps, length), initial=time))
        del log[0]
        time = log[-1] if shape == "one_after_another" and log else rng.randrange(1000)
        logs.append(log)
    rng.shuffle(logs)
    return logs, rng.randint(1, min(size, 40) + 1)
