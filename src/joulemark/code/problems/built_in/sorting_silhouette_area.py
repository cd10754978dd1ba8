"""The area of a silhouette

Description: Seen from far away, every tower of a town is a rectangle that stands on the ground: `towers`
lists them as (left, right, height), with 0 <= left < right <= 10**8 and 1 <= height <= 10**6 (1 <=
len(towers) <= 10**5). Towers may overlap or hide one another, and the ground between them may be bare. Return
the area of their silhouette, that is, of all points covered by at least one of the rectangles.
"""

import bisect
import heapq
import itertools
import random

ALGORITHMS = ("sorting", "heap", "sweep_line")
DIFFICULTY = "hard"
ENTRY_POINT = "silhouette_area"
EXAMPLES = (
    (([(0, 4, 2), (2, 6, 3)],), 16),
    (([(0, 10, 1), (3, 5, 4)],), 16),
    (([(1, 2, 5), (7, 9, 1)],), 7),
    (([(0, 3, 2), (0, 3, 2)],), 6),
)
SHAPES = ("random", "apart", "nested", "stairs", "same_ends")
SIZES = (200, 30_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(0, 1, 1)],),
    ([(0, 2, 3), (2, 4, 3)],),
    ([(0, 9, 5), (1, 8, 4), (2, 7, 6)],),
    ([(5, 6, 1), (0, 100, 2)],),
    ([(0, 3, 1), (1, 4, 2), (2, 5, 3), (3, 6, 1)],),
)
BRUTE_FORCE_SIZE = 12


def silhouette_area(towers: list[tuple[int, int, int]]) -> int:
    """Walk from left to right; a heap gives the highest tower; one that ended is dropped once on top."""
    standing: list[tuple[int, int]] = []
    area = reached = 0
    for left, right, height in sorted(towers):
        while standing and reached < left:
            negative, end = standing[0]
            if end <= reached:
                heapq.heappop(standing)
                continue
            stop = min(end, left)
            area -= negative * (stop - reached)
            reached = stop
        reached = left
        if not standing or height > -standing[0][0] or right > standing[0][1]:
            heapq.heappush(standing, (-height, right))
    while standing:
        negative, end = heapq.heappop(standing)
        if end > reached:
            area -= negative * (end - reached)
            reached = end
    return area


def slow_highest_each(towers: list[tuple[int, int, int]]) -> int:
    """Between two neighbouring borders go through all towers that stand there."""
    order = sorted(towers)
    borders = sorted({border for left, right, _ in towers for border in (left, right)})
    standing: list[tuple[int, int, int]] = []
    area = position = 0
    for start, end in itertools.pairwise(borders):
        standing = [tower for tower in standing if tower[1] > start]
        while position < len(order) and order[position][0] == start:
            standing.append(order[position])
            position += 1
        area += max((height for _, _, height in standing), default=0) * (end - start)
    return area


def slow_paint(towers: list[tuple[int, int, int]]) -> int:
    """Let every tower raise all pieces of ground between its borders."""
    borders = sorted({border for left, right, _ in towers for border in (left, right)})
    heights = [0] * len(borders)
    for left, right, height in towers:
        for piece in range(bisect.bisect_left(borders, left), bisect.bisect_left(borders, right)):
            if heights[piece] < height:
                heights[piece] = height
    return sum(
        height * (end - start) for height, start, end in zip(heights, borders, borders[1:], strict=False)
    )


def brute_force(towers: list[tuple[int, int, int]]) -> int:
    """Look at the ground metre by metre."""
    area = 0
    for place in range(max(right for _, right, _ in towers)):
        area += max((height for left, right, height in towers if left <= place < right), default=0)
    return area


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, int, int]]]:
    """`size` towers; by default some three hundred of them stand over each other once there are enough."""
    ground = 20 * size
    widest = min(ground // 2, 12_000)
    heights = rng.choices(range(1, 1_000_001), k=size)
    if shape == "apart":
        lefts, widths = [*range(0, ground, 20)], rng.choices([*range(1, 21)], k=size)
    elif shape == "nested":
        lefts, widths, heights = [*range(size)], [*range(2 * size, 0, -2)], [*range(1, size + 1)]
    elif shape == "stairs":
        lefts, heights = [*range(0, 7 * size, 7)], [*range(size, 0, -1)]
        widths = [min(widest, 200) + index % 3 for index in range(size)]
    elif shape == "same_ends":
        lefts = [left // (widest + 1) * (widest + 1) for left in rng.choices(range(ground), k=size)]
        widths = rng.choices([widest // 3 + 1, 2 * widest // 3 + 1, widest + 1], k=size)
    else:
        lefts, widths = rng.choices(range(ground), k=size), rng.choices(range(1, widest + 1), k=size)
    towers = [
        (left, left + width, height) for left, width, height in zip(lefts, widths, heights, strict=True)
    ]
    rng.shuffle(towers)
    return (towers,)
