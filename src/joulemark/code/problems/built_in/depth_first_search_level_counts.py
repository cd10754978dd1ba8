"""How many people stand so many levels below

Description: A company of n people, 1 <= n <= 10**6, is a tree: `bosses[i]` is the boss of person i, and it is
-1 for the one person at the top; the people are numbered from 0 in no particular order. A question `(person,
levels)` with 0 <= levels <= 10**6 asks how many people are exactly `levels` levels below that person: for 0
the answer is 1 (the person), for 1 the number of people whose boss the person is, for 2 the number of those
whose boss's boss the person is, and so on. Return the list of answers in the order of `questions`, of which
there are at most 10**6.
"""

import random
from bisect import bisect_left

ALGORITHMS = ("depth_first_search", "binary_search", "tree")
DIFFICULTY = "medium"
ENTRY_POINT = "count_below"
EXAMPLES = (
    (([-1, 0, 0, 1, 1, 2], [(0, 1), (0, 2), (1, 1), (5, 0), (2, 2)]), [2, 3, 2, 1, 0]),
    (([2, 0, -1], [(2, 2), (0, 1), (1, 1)]), [1, 1, 0]),
    (([-1], [(0, 0), (0, 1)]), [1, 0]),
)
SHAPES = ("ragged", "chain", "shallow", "broom")
SIZES = (300, 30_000)
CHECKER = "equal"
EDGE_CASES = (
    ([-1], [(0, 0)]),
    ([1, -1], [(0, 1), (1, 1), (1, 2), (0, 0)]),
    ([-1, 0, 1, 2], [(0, 3), (0, 4), (1, 3), (3, 0)]),
    ([3, 3, 3, -1], [(3, 1), (3, 1), (0, 1)]),
)
BRUTE_FORCE_SIZE = 10


def count_below(bosses: list[int], questions: list[tuple[int, int]]) -> list[int]:
    """Canonical: on every level, those below a person are neighbours in the order of one walk: bisect."""
    count = len(bosses)
    reports: list[list[int]] = [[] for _ in range(count)]
    for person, boss in enumerate(bosses):
        if boss >= 0:
            reports[boss].append(person)
    entered = [0] * count
    depths = [0] * count
    order: list[int] = []
    on_level: list[list[int]] = []
    stack = [bosses.index(-1)]
    while stack:
        person = stack.pop()
        boss = bosses[person]
        depth = depths[boss] + 1 if boss >= 0 else 0
        depths[person] = depth
        entered[person] = len(order)
        if depth == len(on_level):
            on_level.append([])
        on_level[depth].append(len(order))
        order.append(person)
        stack.extend(reports[person])
    # the first moment after the walk has left all that is below a person
    left = [moment + 1 for moment in entered]
    for person in reversed(order[1:]):
        boss = bosses[person]
        if left[person] > left[boss]:
            left[boss] = left[person]
    answers = []
    for person, levels in questions:
        depth = depths[person] + levels
        if depth < len(on_level):
            moments = on_level[depth]
            first = bisect_left(moments, entered[person])
            answers.append(bisect_left(moments, left[person], first) - first)
        else:
            answers.append(0)
    return answers


def slow_walk_down(bosses: list[int], questions: list[tuple[int, int]]) -> list[int]:
    """Walks down from the person, level by level, for each question anew."""
    reports: list[list[int]] = [[] for _ in bosses]
    for person, boss in enumerate(bosses):
        if boss >= 0:
            reports[boss].append(person)
    answers = []
    for person, levels in questions:
        crowd = [person]
        while levels and crowd:
            crowd = [report for member in crowd for report in reports[member]]
            levels -= 1
        answers.append(len(crowd))
    return answers


def brute_force(bosses: list[int], questions: list[tuple[int, int]]) -> list[int]:
    """Climbs the asked number of levels from everybody and counts who arrives at the person."""
    answers = []
    for person, levels in questions:
        arrived = 0
        for climber in range(len(bosses)):
            for _ in range(levels):
                climber = bosses[climber] if climber >= 0 else -1
            arrived += climber == person
        answers.append(arrived)
    return answers


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], list[tuple[int, int]]]:
    """A company of `size` people and twice as many questions; "ragged" is some 4 * root(size) levels deep."""
    if shape == "chain":
        above = [*range(size - 1)]
    elif shape == "broom":
        above = [min(place, size // 2) for place in range(size - 1)]
    else:
        reach = max(1, int(size**0.5 / 2)) if shape == "ragged" else size
        above = [
            place - 1 - int(rng.random() * (place if place < reach else reach)) for place in range(1, size)
        ]
    labels = list(range(size))
    bosses = [-1] * size
    rng.shuffle(labels)
    for label, boss in zip(labels[1:], above, strict=True):
        bosses[label] = labels[boss]
    deepest = {"ragged": round(2 * size**0.5), "shallow": 6}.get(shape, min(size, 1000))
    people, levels = rng.choices(labels, k=2 * size), rng.choices([*range(deepest + 1)], k=2 * size)
    return bosses, list(zip(people, levels, strict=True))
