"""Fewest taps that fill every basin

Description: A water garden has `basins` basins, numbered from 0 (1 <= basins <= 10**6). Each pair `(source,
target)` of `channels` (at most 10**6 pairs) is a channel in which water flows from the one basin to the
other, in this direction only; channels may form loops, may repeat and may lead from a basin to itself. A tap
over a basin fills it, and then every basin that water reaches through channels. Return the smallest number of
taps with which every basin is filled.
"""

import random

ALGORITHMS = ("depth_first_search", "graph", "strongly_connected_components")
DIFFICULTY = "hard"
ENTRY_POINT = "fewest_taps"
EXAMPLES = (
    ((3, [(0, 1), (1, 2)]), 1),
    ((5, [(0, 1), (1, 0), (1, 2), (3, 2), (3, 4)]), 2),
    ((2, [(1, 1)]), 2),
    ((4, [(0, 1), (1, 2), (2, 0), (3, 3), (2, 3)]), 1),
)
SHAPES = ("cascades", "random", "loops", "long_stream")
SIZES = (400, 30_000)
CHECKER = "equal"
EDGE_CASES = (
    (1, [(0, 0)]),
    (2, [(0, 1), (1, 0)]),
    (3, [(2, 0), (1, 0)]),
    (3, [(2, 1), (1, 0), (2, 1)]),
    (6, [(0, 1), (1, 0), (2, 3), (3, 2), (1, 2), (4, 5)]),
)
BRUTE_FORCE_SIZE = 8


def fewest_taps(basins: int, channels: list[tuple[int, int]]) -> int:
    """Canonical: fill from the basins in reverse order of the end of a first walk, and count the starts."""
    targets: list[list[int]] = [[] for _ in range(basins)]
    for source, target in channels:
        targets[source].append(target)
    seen = bytearray(basins)
    ended = []
    for start in range(basins):
        if seen[start]:
            continue
        stack = [start]
        while stack:
            basin = stack.pop()
            if basin < 0:
                ended.append(~basin)
            elif not seen[basin]:
                seen[basin] = 1
                stack.append(~basin)
                stack += targets[basin]
    filled = bytearray(basins)
    taps = 0
    for start in reversed(ended):
        if filled[start]:
            continue
        taps += 1
        filled[start] = 1
        stack = [start]
        while stack:
            for target in targets[stack.pop()]:
                if not filled[target]:
                    filled[target] = 1
                    stack.append(target)
    return taps


def slow_fill_anew(basins: int, channels: list[tuple[int, int]]) -> int:
    """Puts a tap over each basin that is still dry and follows its water from the beginning every time."""
    targets: list[list[int]] = [[] for _ in range(basins)]
    for source, target in channels:
        targets[source].append(target)
    filled: set[int] = set()
    taps: set[int] = set()
    for start in range(basins):
        if start in filled:
            continue
        reached = {start}
        stack = [start]
        while stack:
            for target in targets[stack.pop()]:
                if target not in reached:
                    reached.add(target)
                    stack.append(target)
        filled |= reached
        taps -= reached
        taps.add(start)
    return len(taps)


def brute_force(basins: int, channels: list[tuple[int, int]]) -> int:
    """Computes who reaches whom and counts the groups that nobody outside reaches."""
    reaches = [[one == other or (one, other) in channels for other in range(basins)] for one in range(basins)]
    for middle in range(basins):
        for one in range(basins):
            for other in range(basins):
                reaches[one][other] |= reaches[one][middle] and reaches[middle][other]
    groups = set()
    for basin in range(basins):
        sources = frozenset(other for other in range(basins) if reaches[other][basin])
        if all(reaches[basin][other] for other in sources):
            groups.add(sources)
    return len(groups)


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, list[tuple[int, int]]]:
    """`size` basins; in "cascades" water mostly flows to smaller numbers, within groups of 600 basins."""
    basins = [*range(size)]
    if shape == "random":
        sources, targets = rng.choices(basins, k=size), rng.choices(basins, k=size)
        return size, list(zip(sources, targets, strict=True))
    if shape == "loops":
        channels = [
            (basin, basin + 1 if basin % 4 < 3 and basin + 1 < size else basin - basin % 4)
            for basin in basins
        ]
        channels += [(basin, int(rng.random() * size)) for basin in basins if rng.random() < 0.1]
    else:
        group = 600 if shape == "cascades" else size
        sources = basins + [basin for basin in basins if rng.random() < 0.4]
        channels = [
            (basin, basin - 1 - int(rng.random() * (4 if basin % group > 4 else basin % group)))
            for basin in sources
            if basin % group and rng.random() < 0.97
        ]
        channels += [
            (basin, min(size - 1, basin + int(rng.random() * min(group - basin % group, 9))))
            for basin in basins
            if rng.random() < 0.02
        ]
    rng.shuffle(channels)
    return size, channels
