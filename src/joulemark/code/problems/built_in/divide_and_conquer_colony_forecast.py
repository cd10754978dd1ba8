"""Forecast of a colony by a fixed rule

Description: The size of a colony is `first[day]` on the first `k` days (from day 0), and after that
`rule[0]` times the size one day ago plus `rule[1]` times the size two days ago and so on to `rule[k - 1]`
times the size `k` days ago; `k` is the length of both lists. Return the size on day `day`, modulo
998244353. Limits: `1 <= k <= 1000`, `0 <= day <= 10**7`, all numbers in the lists from 0 to 998244352.
"""

import operator
import random

ALGORITHMS = ("divide_and_conquer", "polynomials", "big_integers")
DIFFICULTY = "medium"
ENTRY_POINT = "colony_size"
EXAMPLES = (
    (([1, 1], [0, 1], 10), 55),
    (([2], [3], 4), 48),
    (([0, 1], [5, 7], 9), 7),
    (([1, 2, 3], [1, 1, 1], 3), 6),
)
SHAPES = ("random", "sparse", "zero_start", "far_day")
SIZES = (4, 400)  # the length of the rule
CHECKER = "equal"
EDGE_CASES = (
    ([0], [9], 5),
    ([5], [9], 0),
    ([998_244_352], [998_244_352], 3),
    ([1, 2, 3], [4, 5, 6], 2),
    ([0, 0, 1], [4, 5, 6], 11),
    ([7, 0], [0, 0], 8),
)
BRUTE_FORCE_SIZE = 8


def colony_size(rule: list[int], first: list[int], day: int) -> int:
    """A fraction of polynomials, extended by the mirror of its lower part: half the terms go each time."""
    below = [1, *[-factor % 998_244_353 for factor in rule]]
    above = _multiply(first, below)[: len(rule)]
    while day:
        mirror = [-factor % 998_244_353 if place % 2 else factor for place, factor in enumerate(below)]
        above = _multiply(above, mirror)[day % 2 :: 2]
        below = _multiply(below, mirror)[::2]
        day //= 2
    return above[0]


def _multiply(one: list[int], other: list[int]) -> list[int]:
    """The product of two polynomials, by one product of two long numbers with ten bytes for a factor."""
    product = int.from_bytes(b"".join([factor.to_bytes(10, "little") for factor in one]), "little")
    product *= int.from_bytes(b"".join([factor.to_bytes(10, "little") for factor in other]), "little")
    length = 10 * (len(one) + len(other) - 1)
    digits = product.to_bytes(length, "little")
    return [int.from_bytes(digits[at : at + 10], "little") % 998_244_353 for at in range(0, length, 10)]


def slow_day_by_day(rule: list[int], first: list[int], day: int) -> int:
    """Work out every day up to the one that is asked for."""
    recent = first[::-1]
    for _ in range(day - len(first) + 1):
        recent.insert(0, sum(map(operator.mul, rule, recent)) % 998_244_353)
        recent.pop()
    return first[day] if day < len(first) else recent[0]


def slow_matrix_power(rule: list[int], first: list[int], day: int) -> int:
    """The day's power of the step matrix, by repeated squaring."""
    size = len(rule)
    power = [rule] + [[int(column == row) for column in range(size)] for row in range(size - 1)]
    sizes = first[::-1]
    steps = max(0, day - size + 1)
    while steps:
        if steps % 2:
            sizes = [sum(map(operator.mul, row, sizes)) % 998_244_353 for row in power]
        columns = list(zip(*power, strict=True))
        power = [[sum(map(operator.mul, row, column)) % 998_244_353 for column in columns] for row in power]
        steps //= 2
    return first[day] if day < size else sizes[0]


def brute_force(rule: list[int], first: list[int], day: int) -> int:
    """The rule as it stands, without any remainder on the way."""
    sizes = list(first)
    while len(sizes) <= day:
        sizes.append(sum(factor * sizes[-back] for back, factor in enumerate(rule, 1)))
    return sizes[day] % 998_244_353


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], list[int], int]:
    """A rule of `size` factors and a day that grows with it."""
    rule = [rng.randrange(998_244_353) for _ in range(size)]
    first = [rng.randrange(998_244_353) for _ in range(size)]
    if shape == "sparse":
        rule = [factor if rng.random() < 0.1 else 0 for factor in rule]
    elif shape == "zero_start":
        first = [0] * (size - 1) + [1]
    day = rng.randint(100 * size, 140 * size) * (4 if shape == "far_day" else 1)
    return rule, first, day if size > 8 else rng.randint(0, 12 * size)
