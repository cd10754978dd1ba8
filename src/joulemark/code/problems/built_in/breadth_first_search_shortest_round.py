"""Shortest round trip through rooms

Description: A house has `rooms` rooms, numbered from 0 (1 <= rooms <= 10**5); each pair in `doors` (at most 2
* 10**5 pairs) is a door between two different rooms, and no two doors join the same two rooms. A round trip
starts in a room, goes through at least three doors, through none of them twice, and comes back to its first
room without entering another room twice. Return the number of doors of the shortest round trip, or -1 if
there is none.
"""

import random

ALGORITHMS = ("breadth_first_search", "graph", "pruning")
DIFFICULTY = "hard"
ENTRY_POINT = "shortest_round_trip"
EXAMPLES = (
    ((4, [(0, 1), (1, 2), (2, 3), (3, 0)]), 4),
    ((5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 0)]), 3),
    ((3, [(0, 1), (1, 2)]), -1),
)
SHAPES = ("wings", "tree", "one_ring", "honeycomb")
SIZES = (300, 15_000)
CHECKER = "equal"
EDGE_CASES = (
    (2, [(0, 1)]),
    (3, [(2, 1), (1, 0), (0, 2)]),
    (7, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (5, 6), (6, 0)]),
    (8, [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 4), (3, 7)]),
    (6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4)]),
)
BRUTE_FORCE_SIZE = 18


def shortest_round_trip(rooms: int, doors: list[tuple[int, int]]) -> int:
    """Canonical: search from each room only as deep as can still help, then take it and all dead ends out."""
    beside: list[set[int]] = [set() for _ in range(rooms)]
    for one, other in doors:
        beside[one].add(other)
        beside[other].add(one)
    best = rooms + 1
    dead_ends = [room for room in range(rooms) if len(beside[room]) == 1]
    for start in range(rooms):
        while dead_ends:
            room = dead_ends.pop()
            for neighbour in beside[room]:
                beside[neighbour].discard(room)
                if len(beside[neighbour]) == 1:
                    dead_ends.append(neighbour)
            beside[room] = set()
        if not beside[start]:
            continue
        steps = {start: 0}
        ring = [(start, -1)]
        length = 1
        while ring and length < best:
            outer = []
            for room, before in ring:
                for neighbour in beside[room]:
                    if neighbour not in steps:
                        steps[neighbour] = steps[room] + 1
                        outer.append((neighbour, room))
                    elif neighbour != before:
                        best = min(best, steps[room] + steps[neighbour] + 1)
            ring = outer
            length += 2
        # every round trip through this room is known now
        for neighbour in beside[start]:
            beside[neighbour].discard(start)
            if len(beside[neighbour]) == 1:
                dead_ends.append(neighbour)
        beside[start] = set()
    return best if best <= rooms else -1


def slow_whole_search_each(rooms: int, doors: list[tuple[int, int]]) -> int:
    """Searches from each room through all that hangs together with it and keeps everything in place."""
    beside: list[list[int]] = [[] for _ in range(rooms)]
    for one, other in doors:
        beside[one].append(other)
        beside[other].append(one)
    best = rooms + 1
    for start in range(rooms):
        steps = {start: 0}
        before = {start: -1}
        queue = [start]
        for room in queue:
            for neighbour in beside[room]:
                if neighbour not in steps:
                    steps[neighbour] = steps[room] + 1
                    before[neighbour] = room
                    queue.append(neighbour)
                elif before[room] != neighbour:
                    best = min(best, steps[room] + steps[neighbour] + 1)
    return best if best <= rooms else -1


def brute_force(rooms: int, doors: list[tuple[int, int]]) -> int:
    """For each door: the shortest way between its two rooms that does not use it, and one more."""
    best = rooms + 1
    for closed in range(len(doors)):
        start, goal = doors[closed]
        steps = [0 if room == start else rooms for room in range(rooms)]
        for _ in range(rooms):
            for one, other in doors[:closed] + doors[closed + 1 :]:
                steps[one] = min(steps[one], steps[other] + 1)
                steps[other] = min(steps[other], steps[one] + 1)
        best = min(best, steps[goal] + 1)
    return best if best <= rooms else -1


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, list[tuple[int, int]]]:
    """`size` rooms; a wing has 180 rooms, and its round trips have at least four doors."""
    if shape == "tree":
        pairs = [(int(rng.random() * place), place) for place in range(1, size)]
    else:
        pairs = [(place - 1, place) for place in range(1, size) if shape != "wings" or place % 180]
    if shape == "one_ring" and size > 2:
        pairs.append((0, size - 1))
    elif shape == "honeycomb":
        pairs += [(place, place + 5) for place in range(0, size - 5, 2)]
    elif shape == "wings":
        for place in range(0, size, 3):
            hub = 2 * int(rng.random() * min(30, size // 6 + 1)) + 1 - place % 2
            other = place - place % 180 + 3 * hub
            if place + 3 < other < size:
                pairs.append((place, other))
    labels = list(range(size))
    rng.shuffle(labels)
    doors = [(labels[one], labels[other]) for one, other in pairs]
    rng.shuffle(doors)
    return size, doors
