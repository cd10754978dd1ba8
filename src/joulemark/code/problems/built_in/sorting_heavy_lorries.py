"""Roads for heavy lorries

Description: A land has `towns` towns, numbered from 0 (1 <= towns <= 10**5). `roads` lists its roads as (one,
other, most): a road joins two different towns in both directions and bears lorries of up to `most` tonnes (0
to 3 * 10**5 roads; several may join the same two towns; 1 <= most <= 10**6). `trips` lists (start, goal,
weight): can a lorry of `weight` tonnes get from town `start` to town `goal` by roads that all bear it (1 to
10**5 trips, 1 <= weight <= 10**6)? A trip from a town to itself is always possible. Return the answers in the
order of the trips, as a list of True and False.
"""

import random

ALGORITHMS = ("sorting", "union_find", "graph")
DIFFICULTY = "hard"
ENTRY_POINT = "possible_trips"
EXAMPLES = (
    ((3, [(0, 1, 10), (1, 2, 5)], [(0, 2, 5), (0, 2, 6), (0, 1, 10)]), [True, False, True]),
    ((2, [(0, 1, 3), (1, 0, 8)], [(1, 0, 7), (1, 1, 99)]), [True, True]),
    ((4, [(0, 1, 4), (2, 3, 4)], [(0, 3, 1)]), [False]),
)
SHAPES = ("random", "chain", "star", "few_roads")
SIZES = (100, 25_000)
CHECKER = "equal"
EDGE_CASES = (
    (2, [(0, 1, 1)], [(1, 1, 2), (1, 0, 2)]),
    (2, [(0, 1, 5)], [(0, 1, 5), (0, 1, 6), (0, 1, 4)]),
    (3, [(0, 1, 2), (1, 2, 9), (0, 2, 1)], [(0, 2, 2), (2, 0, 3), (1, 2, 9)]),
    (4, [(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 0, 7)], [(0, 2, 7), (1, 3, 8)]),
    (5, [(3, 4, 1)], [(4, 3, 1), (0, 4, 1), (2, 2, 1000000)]),
)
BRUTE_FORCE_SIZE = 12


def _root(parents: list[int], town: int) -> int:
    while parents[town] != town:
        parents[town] = parents[parents[town]]
        town = parents[town]
    return town


def possible_trips(
    towns: int, roads: list[tuple[int, int, int]], trips: list[tuple[int, int, int]]
) -> list[bool]:
    """Answer the heaviest trips first and join towns by ever weaker roads in between."""
    order = sorted(roads, key=lambda road: road[2])
    parents = list(range(towns))
    answers = [False] * len(trips)
    for index in sorted(range(len(trips)), key=lambda index: trips[index][2], reverse=True):
        start, goal, weight = trips[index]
        while order and order[-1][2] >= weight:
            one, other, _ = order.pop()
            one, other = _root(parents, one), _root(parents, other)
            if one < other:
                parents[other] = one
            else:
                parents[one] = other
        answers[index] = _root(parents, start) == _root(parents, goal)
    return answers


def slow_join_again(
    towns: int, roads: list[tuple[int, int, int]], trips: list[tuple[int, int, int]]
) -> list[bool]:
    """For every weight that occurs join the towns from nothing."""
    answers = [False] * len(trips)
    for weight in {weight for _, _, weight in trips}:
        parents = list(range(towns))
        for one, other, most in roads:
            if most >= weight:
                parents[_root(parents, one)] = _root(parents, other)
        for index, (start, goal, needed) in enumerate(trips):
            if needed == weight:
                answers[index] = _root(parents, start) == _root(parents, goal)
    return answers


def brute_force(
    towns: int, roads: list[tuple[int, int, int]], trips: list[tuple[int, int, int]]
) -> list[bool]:
    """Spread from the start of every trip until nothing is new."""
    answers = []
    for start, goal, weight in trips:
        reached = {start}
        for _ in range(towns):
            for one, other, most in roads:
                if most >= weight and (one in reached or other in reached):
                    reached |= {one, other}
        answers.append(goal in reached)
    return answers


def generate(
    rng: random.Random, size: int, shape: str
) -> tuple[int, list[tuple[int, int, int]], list[tuple[int, int, int]]]:
    """`size` towns, twice as many roads, as many trips; forty different weights."""
    loads = sorted(rng.sample(range(1, 1000), 40))
    towns = size + 1
    count = towns // 2 if shape == "few_roads" else 2 * towns
    places = [*range(towns)]
    if shape == "chain":
        ones, others = (places[:-1] * 4)[:count], (places[1:] * 4)[:count]
    elif shape == "star":
        ones, others = [0] * count, (places[1:] * 4)[:count]
    else:
        ones, others = rng.choices(places, k=count), rng.choices(places, k=count)
    roads = [
        (one, other if other != one else (one + 1) % towns, most)
        for one, other, most in zip(ones, others, rng.choices(loads, k=count), strict=True)
    ]
    starts, goals = rng.choices(places, k=size), rng.choices(places, k=size)
    return towns, roads, list(zip(starts, goals, rng.choices(loads, k=size), strict=True))
