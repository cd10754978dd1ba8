"""Through the rock with a few charges

Description: A mine is a list of strings of equal length (at least one row and one column, at most 10**6
characters in all): "." is free and "#" is rock; the first square of the first row and the last square of the
last row are free. You walk from the one to the other; a step leads to a square above, below, to the left or
to the right. You carry `charges` explosive charges (0 to 1000), and a step onto a square of rock uses up one
of them, each time that you step on it. Return the least number of steps, or -1 if the way cannot be made.
"""

import random

ALGORITHMS = ("breadth_first_search", "grid", "pruning")
DIFFICULTY = "hard"
ENTRY_POINT = "fewest_steps"
EXAMPLES = (
    ((["..", ".."], 0), 2),
    ((["...", "##.", "...", ".##", "..."], 0), 10),
    ((["...", "##.", "...", ".##", "..."], 1), 6),
    ((["..#", "###", "##."], 1), -1),
)
SHAPES = ("rubble", "dense", "sheets", "winding")
SIZES = (200, 20_000)
CHECKER = "equal"
EDGE_CASES = (
    (["."], 0),
    (["."], 5),
    ([".#."], 0),
    ([".#."], 1),
    ([".##", "##.", "##."], 2),
    (["...", ".#.", "..."], 0),
)
BRUTE_FORCE_SIZE = 16


def fewest_steps(mine: list[str], charges: int) -> int:
    """Canonical: search in breadth; a square is entered again only with more charges left than before."""
    width = len(mine[0]) + 1
    flat = "#" * width + "".join(row + "#" for row in mine) + "#" * width
    cost = [mark == "#" for mark in flat]
    goal = len(flat) - width - 2
    # no number of charges is enough for the frame: nothing that arrives there has more left than this
    most = [-1] * len(flat)
    for square in (
        *range(width),
        *range(2 * width - 1, len(flat), width),
        *range(len(flat) - width, len(flat)),
    ):
        most[square] = charges
    most[width] = charges
    steps = 0
    ring = [width]
    if charges >= len(mine) + width - 4:
        return len(mine) + width - 3
    while ring:
        if most[goal] >= 0:
            return steps
        steps += 1
        outer = []
        for square in ring:
            left = most[square]
            for beside in (square - width, square - 1, square + 1, square + width):
                rest = left - cost[beside]
                if rest > most[beside]:
                    most[beside] = rest
                    outer.append(beside)
        ring = outer
    return -1


def slow_all_states(mine: list[str], charges: int) -> int:
    """Searches all the combinations of a square and a number of charges, good or useless."""
    height, width = len(mine), len(mine[0])
    ring = [(0, 0, charges)]
    seen = set(ring)
    steps = 0
    while ring:
        outer = []
        for row, column, left in ring:
            if (row, column) == (height - 1, width - 1):
                return steps
            for y, x in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if 0 <= y < height and 0 <= x < width:
                    state = (y, x, left - (mine[y][x] == "#"))
                    if state[2] >= 0 and state not in seen:
                        seen.add(state)
                        outer.append(state)
        ring = outer
        steps += 1
    return -1


def brute_force(mine: list[str], charges: int) -> int:
    """Tries all the ways that do not cross themselves."""
    height, width = len(mine), len(mine[0])
    found = []

    def walk(way: list[tuple[int, int]], left: int) -> None:
        row, column = way[-1]
        if (row, column) == (height - 1, width - 1):
            found.append(len(way) - 1)
            return
        for y, x in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= y < height and 0 <= x < width and (y, x) not in way and left >= (mine[y][x] == "#"):
                walk([*way, (y, x)], left - (mine[y][x] == "#"))

    walk([(0, 0)], charges)
    return min(found, default=-1)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[str], int]:
    """A mine of about `size` squares; the charges seldom suffice for the straight way."""
    width = max(1, int(size**0.5))
    height = max(1, size // width)
    rock = {"rubble": 0.45, "dense": 0.7, "sheets": 0.1, "winding": 0.1}[shape]
    rows = ["".join(rng.choices("#.", (rock, 1 - rock), k=width)) for _ in range(height)]
    if shape in ("sheets", "winding"):
        for row in range(1, height - 1, 4):
            gap = rng.randrange(width) if shape == "sheets" else (width - 1) * (row % 8 < 4)
            rows[row] = "#" * gap + "." + "#" * (width - 1 - gap)
    rows[0] = "." + rows[0][1:]
    rows[-1] = rows[-1][:-1] + "."
    charges = {
        "rubble": width // 5 + 2,
        "dense": width // 2,
        "sheets": height // 10,
        "winding": height // 12,
    }[shape]
    return rows, max(0, charges - rng.randrange(3))
