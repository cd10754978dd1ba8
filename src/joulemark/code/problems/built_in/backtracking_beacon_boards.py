"""Beacons that do not light each other

Description: Each board is a list of equally long strings, as many rows as columns, of `.` (free) and `#`
(blocked). Put one beacon on a free square of every row so that no two beacons share a column or a diagonal
line; light passes over blocked squares. Return the list of the numbers of ways, one for each board. Limits:
1 to 10**4 boards of side 1 to 8.
"""

import itertools
import random

ALGORITHMS = ("backtracking", "bit_manipulation")
DIFFICULTY = "easy"
ENTRY_POINT = "count_beacon_ways"
EXAMPLES = (
    (([["....", "....", "....", "...."]],), [2]),
    (([[".#..", "....", "....", "...."], ["."]],), [1, 1]),
    (([["...", "...", "..."], ["#"]],), [0, 0]),
)
SHAPES = ("random", "open", "crowded", "large")
SIZES = (2, 1_500)  # the number of boards
CHECKER = "equal"
EDGE_CASES = (
    ([["."]],),
    ([["#"]],),
    ([["..", ".."]],),
    ([[".....", ".....", ".....", ".....", "....."]],),
    ([["......", "######", "......", "......", "......", "......"]],),
    ([["#.##", "###.", ".###", "##.#"], ["...#", ".#..", "..#.", "#..."]],),
)
BRUTE_FORCE_SIZE = 3


def count_beacon_ways(boards: list[list[str]]) -> list[int]:
    """Row by row, with the lit columns and diagonals of the next row as the bits of whole numbers."""
    return [
        _place(
            [sum(1 << column for column, square in enumerate(row) if square == ".") for row in board],
            0,
            0,
            0,
            0,
        )
        for board in boards
    ]


def _place(free: list[int], row: int, columns: int, rising: int, falling: int) -> int:
    """Ways to fill the rows from `row` on."""
    places = free[row] & ~(columns | rising | falling)
    row += 1
    if row == len(free):
        return places.bit_count()
    ways = 0
    while places:
        bit = places & -places
        places ^= bit
        ways += _place(free, row, columns | bit, (rising | bit) << 1, (falling | bit) >> 1)
    return ways


def slow_compare_with_all(boards: list[list[str]]) -> list[int]:
    """Row by row, but each square is compared with all beacons so far, in a list that is copied."""
    return [_compare(board, []) for board in boards]


def _compare(board: list[str], beacons: list[tuple[int, int]]) -> int:
    """Ways to add beacons to those that are there."""
    row = len(beacons)
    if row == len(board):
        return 1
    ways = 0
    for column in range(len(board)):
        lit = [
            (other, place)
            for other, place in beacons
            if place == column or abs(place - column) == row - other
        ]
        if board[row][column] == "." and not lit:
            ways += _compare(board, [*beacons, (row, column)])
    return ways


def brute_force(boards: list[list[str]]) -> list[int]:
    """Go through all orders of the columns."""
    counts = []
    for board in boards:
        side = len(board)
        count = 0
        for columns in itertools.permutations(range(side)):
            if any(board[row][column] == "#" for row, column in enumerate(columns)):
                continue
            if len({row + column for row, column in enumerate(columns)}) < side:
                continue
            count += len({row - column for row, column in enumerate(columns)}) == side
        counts.append(count)
    return counts


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[list[str]]]:
    """`size` boards, of side 4 to 7 by default, with some squares blocked."""
    boards = []
    for _ in range(size):
        side = 8 if shape == "large" and size > 3 and rng.random() < 0.2 else rng.randint(4, 7)
        blocked = {"open": 0.0, "crowded": 0.4}.get(shape, 0.1)
        boards.append(
            ["".join("#" if rng.random() < blocked else "." for _ in range(side)) for _ in range(side)]
        )
    return (boards,)
