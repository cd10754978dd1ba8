"""Critical cables of a network

Description: A network has `stations` stations, numbered from 0 (1 <= stations <= 10**6), and a list `cables`
of at most 10**6 pairs of stations that a cable joins. Two stations may be joined by several cables, a cable
may lead from a station back to itself, and the network need not hang together. A cable is critical if, were
it alone cut, two stations that could reach each other over cables no longer could. Return the positions of
the critical cables in `cables` (from 0), in increasing order.
"""

import random

ALGORITHMS = ("depth_first_search", "graph")
DIFFICULTY = "hard"
ENTRY_POINT = "critical_cables"
EXAMPLES = (
    ((4, [(0, 1), (1, 2), (2, 0), (2, 3)]), [3]),
    ((3, [(0, 1), (1, 0), (1, 2)]), [2]),
    ((5, [(3, 4), (0, 1), (1, 1)]), [0, 1]),
)
SHAPES = ("town", "tree", "rings")
SIZES = (500, 25_000)
CHECKER = "equal"
EDGE_CASES = (
    (1, [(0, 0)]),
    (2, [(0, 1)]),
    (2, [(0, 1), (0, 1)]),
    (3, [(0, 0), (0, 1), (2, 2)]),
    (6, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]),
)
BRUTE_FORCE_SIZE = 9


def _ends(stations: int, cables: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    ends: list[list[tuple[int, int]]] = [[] for _ in range(stations)]
    for cable, (one, other) in enumerate(cables):
        ends[one].append((other, cable))
        ends[other].append((one, cable))
    return ends


def critical_cables(stations: int, cables: list[tuple[int, int]]) -> list[int]:
    """Canonical: one walk; a cable is critical if nothing beyond it leads back to an earlier station."""
    ends = _ends(stations, cables)
    entered = [-1] * stations
    earliest = [0] * stations
    critical = []
    clock = 0
    for start in range(stations):
        if entered[start] >= 0:
            continue
        entered[start] = earliest[start] = clock
        clock += 1
        path = [(start, -1, iter(ends[start]))]
        while path:
            station, arrival, rest = path[-1]
            low = earliest[station]
            for neighbour, cable in rest:
                if entered[neighbour] < 0:
                    entered[neighbour] = earliest[neighbour] = clock
                    clock += 1
                    path.append((neighbour, cable, iter(ends[neighbour])))
                    break
                if entered[neighbour] < low and cable != arrival:
                    low = entered[neighbour]
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    if low > entered[before]:
                        critical.append(arrival)
                    if low < earliest[before]:
                        earliest[before] = low
            earliest[station] = low
    return sorted(critical)


def slow_mark_detours(stations: int, cables: list[tuple[int, int]]) -> list[int]:
    """Takes a spanning forest and marks, for each cable outside it, the whole path that the cable bridges."""
    ends = _ends(stations, cables)
    above = [(-1, -1)] * stations
    depth = [-1] * stations
    for start in range(stations):
        stack = [(start, -1, -1, 0)]
        while stack:
            station, before, arrival, level = stack.pop()
            if depth[station] < 0:
                depth[station] = level
                above[station] = (before, arrival)
                stack.extend((neighbour, station, cable, level + 1) for neighbour, cable in ends[station])
    critical = {arrival for _, arrival in above if arrival >= 0}
    for cable in set(range(len(cables))) - critical:
        one, other = cables[cable]
        while one != other:
            if depth[one] < depth[other]:
                one, other = other, one
            one, arrival = above[one]
            critical.discard(arrival)
    return sorted(critical)


def brute_force(stations: int, cables: list[tuple[int, int]]) -> list[int]:
    """Cuts each cable in turn and looks whether its two ends still reach each other."""
    critical = []
    for cut, (start, goal) in enumerate(cables):
        reached = {start}
        for _ in range(stations):
            for cable, (one, other) in enumerate(cables):
                if cable != cut and (one in reached or other in reached):
                    reached |= {one, other}
        if goal not in reached:
            critical.append(cut)
    return critical


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, list[tuple[int, int]]]:
    """`size` stations and 1 to 1.3 times as many cables, in no order; rings form a chain."""
    labels = list(range(size))
    rng.shuffle(labels)
    if shape == "rings":
        pairs = [(place, place + 1 if place % 7 else max(0, place - 6)) for place in range(size - 1)]
        pairs += [(place, place + 1) for place in range(0, size - 1, 7)]
    else:
        reach = 6 if shape == "town" else size
        pairs = [(place, max(0, place - 1 - int(rng.random() * reach))) for place in range(1, size)]
        extra = rng.choices(range(size), k=size * 3 // 10 if shape == "town" else 0)
        pairs += [(place, max(0, place - int(rng.random() * 300))) for place in extra]
    rng.shuffle(pairs)
    return size, [(labels[one], labels[other]) for one, other in pairs]
