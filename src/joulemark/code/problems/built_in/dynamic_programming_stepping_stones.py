"""Ways across the stepping stones

Description: `path` is a string of `.` (a dry stone) and `#` (a wet one); its first and last characters are
dry. From a stone one may jump ahead by 1 to `reach` places, on dry stones only. Return in how many ways one
can get from the first stone to the last, modulo 1000000007; two ways differ if they touch different stones.
A path of one stone has one way. Limits: `1 <= len(path) <= 10**6`, `1 <= reach <= 10**6`.
"""

import itertools
import random

ALGORITHMS = ("dynamic_programming", "prefix_sums")
DIFFICULTY = "easy"
ENTRY_POINT = "ways_across"
EXAMPLES = (
    ((".....", 2), 5),
    ((".#..", 2), 1),
    ((".##.", 2), 0),
    (("...", 9), 2),
)
SHAPES = ("random", "all_dry", "mostly_wet", "far_reach")
SIZES = (1_000, 200_000)
CHECKER = "equal"
EDGE_CASES = (
    (".", 1),
    ("..", 1),
    (".#.", 1),
    (".#.", 2),
    ("......", 1_000_000),
    ("..##..", 3),
    (".#.#.#.#.", 4),
)
BRUTE_FORCE_SIZE = 12


def ways_across(path: str, reach: int) -> int:
    """Keep the sum of the ways to the last `reach` stones; a step adds one stone and takes one away."""
    modulus = 1_000_000_007
    ways = [1]
    window = 1
    for place in range(1, len(path)):
        if place > reach:
            window -= ways[place - reach - 1]
        if path[place] == ".":
            here = window % modulus
            ways.append(here)
            window += here
        else:
            ways.append(0)
    return ways[-1]


def slow_add_up_again(path: str, reach: int) -> int:
    """Add up the ways to all the stones within reach, for every stone."""
    ways = [1]
    for place in range(1, len(path)):
        here = 0
        if path[place] == ".":
            for before in range(max(0, place - reach), place):
                here += ways[before]
        ways.append(here % 1_000_000_007)
    return ways[-1]


def brute_force(path: str, reach: int) -> int:
    """Try every set of stones between the ends."""
    last = len(path) - 1
    if last == 0:
        return 1
    dry = [place for place in range(1, last) if path[place] == "."]
    return sum(
        all(after - before <= reach for before, after in itertools.pairwise((0, *chosen, last)))
        for count in range(len(dry) + 1)
        for chosen in itertools.combinations(dry, count)
    )


def generate(rng: random.Random, size: int, shape: str) -> tuple[str, int]:
    """A path of `size` stones; about one in six is wet and the default reach is some sixty places."""
    wet = {"all_dry": 0.0, "mostly_wet": 0.6}.get(shape, 0.17)
    stones = ["#" if rng.random() < wet else "." for _ in range(size)]
    stones[0] = stones[-1] = "."
    if size < 20:
        return "".join(stones), rng.randint(1, 4)
    return "".join(stones), rng.randint(250, 300) if shape == "far_reach" else rng.randint(55, 65)
