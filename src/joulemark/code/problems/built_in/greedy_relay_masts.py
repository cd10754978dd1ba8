"""Fewest masts on a branching road

Description: Villages are numbered from 0; village 0 has no parent (`parents[0] == -1`) and every other
village `v` is joined by one road to village `parents[v]`, which has a smaller number. A mast in a village
serves every village that is at most `radius` roads away, its own included. Return the fewest masts that
serve all villages. Limits: 1 to 10**6 villages, `0 <= radius <= 10**6`. The roads may form one long line.
"""

import itertools
import random

ALGORITHMS = ("greedy", "tree")
DIFFICULTY = "hard"
ENTRY_POINT = "fewest_masts"
EXAMPLES = (
    (([-1, 0, 1, 2, 3], 1), 2),
    (([-1, 0, 0, 0], 1), 1),
    (([-1, 0, 1], 0), 3),
    (([-1, 0, 0, 1, 1, 2, 2], 1), 2),
)
SHAPES = ("winding", "bushy", "line", "broom")
SIZES = (500, 200_000)
CHECKER = "equal"
EDGE_CASES = (
    ([-1], 0),
    ([-1], 5),
    ([-1, 0], 1),
    ([-1, 0, 1, 2], 1),
    ([-1, 0, 1, 2, 3, 4, 5], 3),
    ([-1, 0, 1, 2, 0, 4, 5, 0, 7, 8], 2),
    ([-1, 0, 0, 0, 1, 2, 3], 100),
)
BRUTE_FORCE_SIZE = 9


def fewest_masts(parents: list[int], radius: int) -> int:
    """From the leaves up: how far the farthest unserved village below is, and how near the nearest mast."""
    villages = len(parents)
    unserved = [0] * villages  # roads to the farthest unserved village below, -1: all are served
    nearest = [villages + radius + 1] * villages  # roads to the nearest mast below
    masts = 0
    for village in range(villages - 1, -1, -1):
        far = unserved[village]
        near = nearest[village]
        if far + near <= radius:
            far = -1
        elif far == radius or (village == 0 and far >= 0):
            masts += 1
            far = -1
            near = 0
        parent = parents[village]
        if parent >= 0:
            if far >= unserved[parent]:
                unserved[parent] = far + 1
            if near < nearest[parent]:
                nearest[parent] = near + 1
    return masts


def slow_serve_around(parents: list[int], radius: int) -> int:
    """Put a mast `radius` roads above the deepest unserved village, mark all it serves, look for the next."""
    depths = [0] * len(parents)
    roads: list[list[int]] = [[] for _ in parents]
    for village, parent in enumerate(parents):
        if parent >= 0:
            depths[village] = depths[parent] + 1
            roads[village].append(parent)
            roads[parent].append(village)
    waiting = list(range(len(parents)))
    masts = 0
    while waiting:
        mast = max(waiting, key=depths.__getitem__)
        for _ in range(min(radius, depths[mast])):
            mast = parents[mast]
        served = {mast}
        front = [mast]
        for _ in range(min(radius, len(parents))):
            front = [other for village in front for other in roads[village] if other not in served]
            served.update(front)
        waiting = [village for village in waiting if village not in served]
        masts += 1
    return masts


def brute_force(parents: list[int], radius: int) -> int:
    """All distances, then every set of villages, the smallest sets first."""
    villages = range(len(parents))
    roads = [[0 if one == other else 10**9 for other in villages] for one in villages]
    for village in villages[1:]:
        roads[village][parents[village]] = roads[parents[village]][village] = 1
    for via, one, other in itertools.product(villages, repeat=3):
        roads[one][other] = min(roads[one][other], roads[one][via] + roads[via][other])
    for masts in range(1, len(parents)):
        for chosen in itertools.combinations(villages, masts):
            if all(min(roads[village][mast] for mast in chosen) <= radius for village in villages):
                return masts
    return len(parents)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int]:
    """A tree of `size` villages; the default is long with short side roads."""
    parents = [*range(-1, size - 1)]  # one line
    if shape == "bushy":
        parents[1:] = [int(rng.random() * village) for village in range(1, size)]
    elif shape == "broom":
        handle = size // 2
        parents[handle + 1 :] = [
            handle if rng.random() < 0.25 else village - 1 for village in range(handle + 1, size)
        ]
    elif shape != "line":
        near = min(size, 10)
        parents[1:near] = [rng.randrange(village) for village in range(1, near)]
        roads_back = rng.choices([*range(1, 11)], k=size - near)
        parents[near:] = [village - back for village, back in enumerate(roads_back, near)]
    radius = rng.randint(0, 2) if size < 20 else rng.randint(60, 70)
    return parents, 3 if shape == "bushy" and size >= 20 else radius
