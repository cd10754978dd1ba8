"""Load carried by every junction of a water network

Description: A water network is a tree of n junctions, 1 <= n <= 10**6, numbered from 0 in no particular
order. `parents[i]` is the junction that feeds junction i, and it is -1 for exactly one junction, the source,
from which all others are fed directly or through others. `demands[i]` is what junction i itself uses, in
litres per second (0 <= demand <= 1000). The load of a junction is its own demand plus the demands of all
junctions that it feeds, directly or through others. Return the list of the n loads, in the order of the
junctions; an error of rounding is forgiven.
"""

import random

ALGORITHMS = ("depth_first_search", "tree")
DIFFICULTY = "easy"
ENTRY_POINT = "junction_loads"
EXAMPLES = (
    (([-1, 0, 0, 1], [1.0, 2.5, 4.0, 0.5]), [8.0, 3.0, 4.0, 0.5]),
    (([-1], [3.25]), [3.25]),
    (([1, 2, -1], [1.0, 1.0, 1.0]), [1.0, 2.0, 3.0]),
)
SHAPES = ("ragged", "shallow", "chain", "star")
SIZES = (1_000, 60_000)
CHECKER = "close"
EDGE_CASES = (
    ([-1], [0.0]),
    ([1, -1], [0.5, 0.25]),
    ([3, 0, 1, -1], [1.0, 2.0, 4.0, 8.0]),
    ([2, 2, -1, 2], [0.0, 0.0, 0.0, 7.5]),
)
BRUTE_FORCE_SIZE = 9


def junction_loads(parents: list[int], demands: list[float]) -> list[float]:
    """Canonical: one walk from the source; its order, read backwards, adds every load to the feeder's."""
    children: list[list[int]] = [[] for _ in parents]
    stack = []
    for junction, parent in enumerate(parents):
        if parent < 0:
            stack.append(junction)
        else:
            children[parent].append(junction)
    order = []
    while stack:
        junction = stack.pop()
        order.append(junction)
        stack.extend(children[junction])
    loads = demands.copy()
    for junction in reversed(order[1:]):
        loads[parents[junction]] += loads[junction]
    return loads


def slow_climb(parents: list[int], demands: list[float]) -> list[float]:
    """Carries every demand up to the source by itself: the cost is the sum of all depths."""
    loads = [0.0] * len(parents)
    for junction, demand in enumerate(demands):
        while junction >= 0:
            loads[junction] += demand
            junction = parents[junction]
    return loads


def brute_force(parents: list[int], demands: list[float]) -> list[float]:
    """For every junction, let its set of fed junctions grow until nothing is added."""
    loads = []
    for junction in range(len(parents)):
        fed = {junction}
        before = 0
        while len(fed) > before:
            before = len(fed)
            fed |= {other for other, parent in enumerate(parents) if parent in fed}
        loads.append(sum(demands[other] for other in fed))
    return loads


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], list[float]]:
    """A tree of `size` junctions; "ragged" has a depth of about twice the root of the size."""
    reach = max(1, int(size**0.5)) if shape == "ragged" else size
    if shape == "star":
        feeders = [0] * (size - 1)
    elif shape == "chain":
        feeders = [*range(size - 1)]
    else:
        feeders = [
            place - 1 - int(rng.random() * (place if place < reach else reach)) for place in range(1, size)
        ]
    labels = list(range(size))
    rng.shuffle(labels)
    parents = [-1] * size
    for label, feeder in zip(labels[1:], feeders, strict=True):
        parents[label] = labels[feeder]
    return parents, rng.choices([hundredths / 100 for hundredths in range(1_001)], k=size)
