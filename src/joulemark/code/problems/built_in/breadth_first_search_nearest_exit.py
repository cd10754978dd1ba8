"""Steps to the nearest exit

Description: A hall is a list of strings of equal length (at least one row and one column, at most 10**6
characters in all): "#" is a wall, "E" an exit, "P" a square with a person, and "." an empty square. In one
step a person moves to a square above, below, to the left or to the right that is not a wall; persons do not
stand in each other's way. Everybody takes a shortest way to the exit that is nearest to them. Return a tuple:
the sum of the steps of all persons who can reach an exit, and the number of persons who cannot reach any.
"""

import random

ALGORITHMS = ("breadth_first_search", "grid")
DIFFICULTY = "easy"
ENTRY_POINT = "steps_to_exits"
EXAMPLES = (
    ((["P.E", ".#.", "P.P"],), (8, 0)),
    ((["P#E", ".#P"],), (1, 1)),
    ((["PEPP"],), (4, 0)),
    ((["..", "#E"],), (0, 0)),
)
SHAPES = ("open", "cluttered", "one_exit", "corridors")
SIZES = (1_000, 150_000)
CHECKER = "equal"
EDGE_CASES = (
    (["P"],),
    (["E"],),
    (["PE"],),
    (["P#P", "###", "E#P"],),
    (["E...", "###.", "P..."],),
    (["PP", "PP"],),
)
BRUTE_FORCE_SIZE = 30


def steps_to_exits(hall: list[str]) -> tuple[int, int]:
    """Canonical: one search that starts from all the exits together and counts people as it meets them."""
    width = len(hall[0]) + 1
    flat = bytearray("#" * width + "".join(row + "#" for row in hall) + "#" * width, "ascii")
    wall, person, way_out = b"#PE"
    people = flat.count(person)
    ring = []
    square = flat.find(way_out)
    while square >= 0:
        ring.append(square)
        flat[square] = wall
        square = flat.find(way_out, square + 1)
    steps = total = 0
    while ring:
        steps += 1
        met = 0
        outer = []
        for square in ring:
            for beside in (square - width, square - 1, square + 1, square + width):
                here = flat[beside]
                if here != wall:
                    flat[beside] = wall
                    outer.append(beside)
                    if here == person:
                        met += 1
        total += steps * met
        people -= met
        ring = outer
    return total, people


def slow_search_for_each(hall: list[str]) -> tuple[int, int]:
    """Searches outwards from every person on its own until an exit is found."""
    height, width = len(hall), len(hall[0])
    total = stranded = 0
    for row in range(height):
        for column in range(width):
            if hall[row][column] != "P":
                continue
            queue = [(row, column, 0)]
            seen = {(row, column)}
            for y, x, steps in queue:
                if hall[y][x] == "E":
                    total += steps
                    break
                for beside in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                    inside = 0 <= beside[0] < height and 0 <= beside[1] < width
                    if inside and beside not in seen and hall[beside[0]][beside[1]] != "#":
                        seen.add(beside)
                        queue.append((*beside, steps + 1))
            else:
                stranded += 1
    return total, stranded


def brute_force(hall: list[str]) -> tuple[int, int]:
    """Improves the distance of every square from its neighbours' until nothing gets better."""
    far = len(hall) * len(hall[0])
    squares = {(y, x): mark for y, row in enumerate(hall) for x, mark in enumerate(row) if mark != "#"}
    steps = {square: 0 if mark == "E" else far for square, mark in squares.items()}
    for _ in range(far):
        for (y, x), own in steps.items():
            around = ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1))
            steps[y, x] = min(own, 1 + min(steps.get(beside, far) for beside in around))
    found = [steps[square] for square, mark in squares.items() if mark == "P"]
    return sum(own for own in found if own < far), sum(own >= far for own in found)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[str]]:
    """A hall of about `size` squares; "open" has a person on each tenth and an exit on each 150th."""
    width = max(1, int(size**0.5))
    height = max(1, size // width)
    walls = {"open": 0.15, "cluttered": 0.4, "one_exit": 0.1, "corridors": 0.0}[shape]
    exits = 1 / 60 if shape == "cluttered" else 1 / 150
    weights = (walls, exits, 0.1, 0.9 - walls - exits)
    if shape == "one_exit":
        weights = (walls, 0, 100 / (size + 300), 1 - walls)
    drawn_from = "".join(sign * round(30_000 * weight) for sign, weight in zip("#EP.", weights, strict=True))
    rows = ["".join(rng.choices(drawn_from, k=width)) for _ in range(height)]
    if shape == "corridors":
        gaps = [rng.randrange(width) for _ in rows]
        rows = [
            "#" * gap + "." + "#" * (width - gap - 1) if y % 2 else row
            for y, (row, gap) in enumerate(zip(rows, gaps, strict=True))
        ]
    if shape == "one_exit":
        middle = rows[height // 2]
        rows[height // 2] = middle[: width // 2] + "E" + middle[width // 2 + 1 :]
    return (rows,)
