"""Rectangles with few stones

Description: A field is divided into squares; `grid` gives row by row how many stones lie in each (1 to 300
rows and 1 to 300 columns, all rows equally long, 0 to 1000 stones in a square). A plot is a rectangle of
whole squares: some rows next to one another by some columns next to one another, one square at least. Count
the plots that hold at most `limit` stones altogether (0 <= limit <= 10**8). Plots in different places count
separately.
"""

import random

ALGORITHMS = ("sliding_window", "prefix_sum", "matrix")
DIFFICULTY = "hard"
ENTRY_POINT = "count_plain_plots"
EXAMPLES = (
    (([[1, 0], [2, 1]], 1), 5),
    (([[0, 0, 0]], 0), 6),
    (([[5]], 4), 0),
    (([[1, 1], [1, 1], [1, 1]], 2), 13),
)
SHAPES = ("random", "sparse", "tall", "wide", "heavy")
SIZES = (100, 12_000)
CHECKER = "equal"
EDGE_CASES = (
    ([[0]], 0),
    ([[3], [1], [2]], 3),
    ([[3, 1, 2]], 3),
    ([[9, 9], [9, 9]], 0),
    ([[0, 7, 0], [0, 7, 0]], 6),
    ([[1, 2, 3], [4, 5, 6]], 1000),
)
BRUTE_FORCE_SIZE = 20


def count_plain_plots(grid: list[list[int]], limit: int) -> int:
    """Slide two borders over the columns' totals of each band of rows; bands along the shorter side."""
    lines: list[list[int]] = grid
    if len(grid) > len(grid[0]):
        lines = [list(column) for column in zip(*grid, strict=True)]
    count = 0
    for top in range(len(lines)):
        totals = [0] * len(lines[0])
        for line in lines[top:]:
            totals = [total + stones for total, stones in zip(totals, line, strict=True)]
            inside = left = found = 0
            for right, total in enumerate(totals, 1):
                inside += total
                while inside > limit:
                    inside -= totals[left]
                    left += 1
                found += right - left
            if not found:
                break
            count += found
    return count


def slow_all_borders(grid: list[list[int]], limit: int) -> int:
    """Try all four borders of a plot on a table of totals from the corner."""
    columns = len(grid[0])
    corner = [[0] * (columns + 1)]
    for line in grid:
        above, running, row = corner[-1], 0, [0]
        for position, stones in enumerate(line, 1):
            running += stones
            row.append(above[position] + running)
        corner.append(row)
    count = 0
    for top in range(len(grid)):
        for bottom in range(top + 1, len(grid) + 1):
            border = [low - high for low, high in zip(corner[bottom], corner[top], strict=True)]
            for left in range(columns):
                most = limit + border[left]
                for right in range(left + 1, columns + 1):
                    if border[right] > most:
                        break
                    count += 1
    return count


def brute_force(grid: list[list[int]], limit: int) -> int:
    """Add up the squares of every plot."""
    count = 0
    for top in range(len(grid)):
        for bottom in range(top, len(grid)):
            for left in range(len(grid[0])):
                for right in range(left, len(grid[0])):
                    plot = [line[left : right + 1] for line in grid[top : bottom + 1]]
                    count += sum(map(sum, plot)) <= limit
    return count


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[list[int]], int]:
    """A grid of about `size` squares; the canonical work grows like size ** 1.5 when it is square."""
    side = max(1, int(size**0.5))
    short = max(1, int(side * 0.7))
    long = -(-size // short)
    rows, columns = {"tall": (long, short), "wide": (short, long)}.get(shape, (side, side))
    pool = [0] * 60 + list(range(1, 10)) if shape == "sparse" else list(range(10))
    if shape == "heavy":
        pool = [0, 990, 995, 1000]
    grid = [rng.choices(pool, k=columns) for _ in range(rows)]
    stones = sum(map(sum, grid))
    return grid, int(stones * rng.uniform(0.28, 0.32)) if size > 30 else rng.randint(0, stones)
