"""Sealed rooms of a floor plan

Description: A floor plan is a list of strings of equal length, at least one row and one column and at most
10**6 characters in all: "#" is wall and "." is floor. Floor squares that share a side belong to the same
room. A room is sealed when none of its squares lies in the first or last row or in the first or last column.
Return a tuple: the number of sealed rooms, and the number of squares of the largest of them (0 if there is
none).
"""

import random

ALGORITHMS = ("depth_first_search", "grid", "flood_fill")
DIFFICULTY = "easy"
ENTRY_POINT = "sealed_rooms"
EXAMPLES = (
    ((["####", "#..#", "####"],), (1, 2)),
    ((["##.##", "#.#.#", "##.##", "#####"],), (3, 1)),
    ((["...", ".#.", "..."],), (0, 0)),
    ((["#####", "#.#.#", "#.#.#", "###.#"],), (1, 2)),
)
SHAPES = ("caves", "sparse_floor", "cabins", "halls")
SIZES = (1_000, 150_000)
CHECKER = "equal"
EDGE_CASES = (
    (["."],),
    (["#"],),
    (["###", "#.#", "###"],),
    (["###", "#.#", "#.#"],),
    (["#####", "#...#", "#.#.#", "#...#", "#####"],),
    (["....."],),
)
BRUTE_FORCE_SIZE = 100


def sealed_rooms(plan: list[str]) -> tuple[int, int]:
    """Canonical: one flood fill for every room, on a flat copy that is marked while it is filled."""
    width = len(plan[0]) + 2
    flat = bytearray("#" * width + "".join(f"#{row}#" for row in plan) + "#" * width, "ascii")
    wall, floor = b"#."

    def fill(start: int) -> int:
        area = 0
        stack = [start]
        while stack:
            square = stack.pop()
            if flat[square] == floor:
                flat[square] = wall
                area += 1
                stack += (square - width, square - 1, square + 1, square + width)
        return area

    # every room that touches the border goes first, so that what is left is sealed
    end = len(flat) - width
    for edge in (
        range(width, 2 * width),
        range(end - width, end),
        range(1, end, width),
        range(width - 2, end, width),
    ):
        for square in edge:
            fill(square)
    count = largest = 0
    square = flat.find(floor)
    while square >= 0:
        count += 1
        largest = max(largest, fill(square))
        square = flat.find(floor, square + 1)
    return count, largest


def slow_fill_from_every_square(plan: list[str]) -> tuple[int, int]:
    """Fills the room anew from each of its squares and counts it only at its first one."""
    height, width = len(plan), len(plan[0])
    count = largest = 0
    for row in range(height):
        for column in range(width):
            if plan[row][column] == "#":
                continue
            room = {(row, column)}
            stack = [(row, column)]
            while stack:
                y, x = stack.pop()
                for square in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                    inside = 0 <= square[0] < height and 0 <= square[1] < width
                    if inside and square not in room and plan[square[0]][square[1]] == ".":
                        room.add(square)
                        stack.append(square)
            if min(room) == (row, column) and all(0 < y < height - 1 and 0 < x < width - 1 for y, x in room):
                count += 1
                largest = max(largest, len(room))
    return count, largest


def brute_force(plan: list[str]) -> tuple[int, int]:
    """Spreads the smallest number of a room over its squares until nothing changes."""
    height, width = len(plan), len(plan[0])
    number = {(y, x): y * width + x for y in range(height) for x in range(width) if plan[y][x] == "."}
    changed = True
    while changed:
        changed = False
        for (y, x), own in number.items():
            around = [number.get(square, own) for square in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1))]
            if min(around) < own:
                number[y, x] = min(around)
                changed = True
    rooms: dict[int, list[tuple[int, int]]] = {}
    for square, room in number.items():
        rooms.setdefault(room, []).append(square)
    inner = [r for r in rooms.values() if all(0 < y < height - 1 and 0 < x < width - 1 for y, x in r)]
    return len(inner), max(map(len, inner), default=0)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[str]]:
    """A nearly square plan of about `size` squares."""
    width = max(1, int(size**0.5))
    height = max(1, size // width)
    if shape in ("cabins", "halls"):
        step = (3 if shape == "cabins" else 12) + rng.randrange(4)
        line = "".join("#" if x % step == 0 else "." for x in range(width))
        return (["#" * width if y % step == 0 else line for y in range(height)],)
    floor = 0.35 if shape == "sparse_floor" else 0.5
    return (["".join(rng.choices("#.", (1 - floor, floor), k=width)) for _ in range(height)],)
