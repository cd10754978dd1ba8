"""Best pay from one-day jobs with deadlines

Description: Each job is a pair `(deadline, pay)`: it takes one whole day and pays only if it is done on day
`deadline` or before; days are counted from 1 and one job at most fits in a day. Return the largest total
pay. Jobs may be left undone. Limits: 1 to 10**6 jobs, `0 <= deadline <= 10**9` (0: it is too late already),
`0 <= pay <= 10**9`.
"""

import heapq
import itertools
import random

ALGORITHMS = ("greedy", "heap", "sorting")
DIFFICULTY = "medium"
ENTRY_POINT = "best_pay"
EXAMPLES = (
    (([(1, 5), (1, 9), (2, 4)],), 13),
    (([(2, 7), (2, 8), (2, 9)],), 17),
    (([(0, 50), (3, 2)],), 2),
    (([(0, 1)],), 0),
)
SHAPES = ("random", "crowded", "equal_pay", "far_deadlines")
SIZES = (500, 80_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(0, 3)],),
    ([(1_000_000_000, 4)],),
    ([(1, 1), (2, 10), (2, 10), (2, 10)],),
    ([(3, 1), (3, 2), (3, 3), (3, 4), (1, 5)],),
    ([(1, 0), (1, 0)],),
    ([(1, 9), (2, 8), (3, 7), (3, 9), (3, 9)],),
)
BRUTE_FORCE_SIZE = 9


def best_pay(jobs: list[tuple[int, int]]) -> int:
    """Go by deadline, keep the pay of the accepted jobs in a heap, drop the worst when there are too many."""
    accepted: list[int] = []
    for deadline, pay in sorted(jobs):
        if len(accepted) < deadline:
            heapq.heappush(accepted, pay)
        elif accepted and pay > accepted[0]:
            heapq.heapreplace(accepted, pay)
    return sum(accepted)


def slow_scan_for_a_day(jobs: list[tuple[int, int]]) -> int:
    """Best paid first, each on the latest free day, found by walking back day by day."""
    taken: set[int] = set()
    total = 0
    for deadline, pay in sorted(jobs, key=lambda job: -job[1]):
        day = min(deadline, len(jobs))
        while day and day in taken:
            day -= 1
        if day:
            taken.add(day)
            total += pay
    return total


def slow_plain_list(jobs: list[tuple[int, int]]) -> int:
    """The canonical idea with a plain list: the worst accepted job is looked for and removed each time."""
    accepted: list[int] = []
    for deadline, pay in sorted(jobs):
        accepted.append(pay)
        if len(accepted) > deadline:
            accepted.remove(min(accepted))
    return sum(accepted)


def brute_force(jobs: list[tuple[int, int]]) -> int:
    """Try every set of jobs; a set can be done when its n-th deadline, sorted, is n or later."""
    best = 0
    for count in range(len(jobs) + 1):
        for chosen in itertools.combinations(jobs, count):
            deadlines = sorted(deadline for deadline, _ in chosen)
            if all(deadline >= day for day, deadline in enumerate(deadlines, 1)):
                best = max(best, sum(pay for _, pay in chosen))
    return best


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, int]]]:
    """Jobs of the shape asked for; the default leaves most of them undone."""
    last_day = {"crowded": size // 100 + 2, "far_deadlines": 10**9}.get(
        shape, size // 2 + 1 if size < 20 else size // 12
    )
    best = 3 if shape == "equal_pay" else 10**9
    first_day = 0 if size < 20 else 1
    deadlines = rng.choices(range(first_day, last_day + 1), k=size)
    return (list(zip(deadlines, rng.choices(range(best + 1), k=size), strict=True)),)
