"""Cells on a ring

Description: Cells stand in a ring, each of them on or off; `cells` shows them as a string of "1" and "0" (3
<= len(cells) <= 20000), the last one being next to the first. In one step every cell changes at the same
time: with l, c and r the old states (1 or 0) of the cell to its left, of the cell itself and of the cell to
its right, its new state is the bit of `rule` (0 <= rule <= 255) with the value 2 ** (4 * l + 2 * c + r).
Return the string of the cells after `steps` steps (0 <= steps <= 20000).
"""

import random

ALGORITHMS = ("bit_manipulation", "simulation", "string")
DIFFICULTY = "medium"
ENTRY_POINT = "cells_after"
EXAMPLES = (
    ((90, "00100", 1), "01010"),
    ((90, "00100", 2), "10001"),
    ((30, "0001000", 2), "0110010"),
    ((1, "000", 3), "111"),
    ((204, "0110", 7), "0110"),
)
SHAPES = ("random", "any_rule", "one_on", "sparse")
SIZES = (100, 10_000)
CHECKER = "equal"
EDGE_CASES = (
    (110, "101", 0),
    (0, "111", 1),
    (255, "000", 2),
    (170, "100", 1),
    (240, "100", 1),
    (127, "0000", 5),
)
BRUTE_FORCE_SIZE = 12


def cells_after(rule: int, cells: str, steps: int) -> str:
    """All cells sit in one number; a step joins the patterns that turn a cell on (or off, if fewer)."""
    length = len(cells)
    everything = (1 << length) - 1
    turns_off = rule.bit_count() > 4
    patterns = [pattern for pattern in range(8) if (rule >> pattern & 1) != turns_off]
    state = int(cells, 2)
    for _ in range(steps):
        left = (state >> 1) | ((state & 1) << (length - 1))
        right = ((state << 1) & everything) | (state >> (length - 1))
        lefts = (left ^ everything, left)
        states = (state ^ everything, state)
        rights = (right ^ everything, right)
        new = 0
        for pattern in patterns:
            new |= lefts[pattern >> 2] & states[pattern >> 1 & 1] & rights[pattern & 1]
        state = new ^ everything if turns_off else new
    return format(state, f"0{length}b")


def slow_cell_by_cell(rule: int, cells: str, steps: int) -> str:
    """Work out a list of single cells at every step."""
    table = [rule >> pattern & 1 for pattern in range(8)]
    row = [int(cell) for cell in cells]
    for _ in range(steps):
        lefts, rights = row[-1:] + row[:-1], row[1:] + row[:1]
        row = [
            table[4 * left + 2 * here + right] for left, here, right in zip(lefts, row, rights, strict=True)
        ]
    return "".join(map(str, row))


def slow_eight_at_a_time(rule: int, cells: str, steps: int) -> str:
    """Cut the ring into pieces of eight cells and remember what became of every piece with its neighbours."""
    known: dict[str, str] = {}
    for _ in range(steps):
        ring = cells[-1] + cells + cells[0]
        pieces = []
        for start in range(0, len(cells), 8):
            piece = ring[start : start + 10]
            if piece not in known:
                codes = [int(piece[index : index + 3], 2) for index in range(len(piece) - 2)]
                known[piece] = "".join(str(rule >> code & 1) for code in codes)
            pieces.append(known[piece])
        cells = "".join(pieces)
    return cells


def brute_force(rule: int, cells: str, steps: int) -> str:
    """Look each neighbourhood up as text."""
    outcome = {format(pattern, "03b"): str(rule // 2**pattern % 2) for pattern in range(8)}
    for _ in range(steps):
        ring = cells[-1] + cells + cells[0]
        cells = "".join(outcome[ring[position : position + 3]] for position in range(len(cells)))
    return cells


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, str, int]:
    """`size` cells (and two more) for `size` steps: the work grows like size ** 2 / 30 at most."""
    length = size + 2
    rule = rng.choice((30, 45, 86, 101, 106, 120))
    if shape == "any_rule":
        rule = rng.randrange(256)
    if shape == "one_on":
        place = rng.randrange(length)
        return rule, "0" * place + "1" + "0" * (length - place - 1), size
    pool = "0000000001" if shape == "sparse" else "01"
    return rule, "".join(rng.choices(pool, k=length)), size
