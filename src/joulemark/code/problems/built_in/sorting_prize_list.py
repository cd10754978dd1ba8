"""The prize list of a race

Description: `entries` lists the runners of a race as (name, points, seconds): a name of small letters, points
from 0 to 1000 and a time in seconds as a float (1 <= len(entries) <= 2 * 10**5). The prize list is ordered by
points, most first; runners with equal points by time, shortest first; runners who are equal in both by name
in reverse alphabetical order. Return the names in the order of the prize list.
"""

import functools
import operator
import random

ALGORITHMS = ("sorting", "string")
DIFFICULTY = "medium"
ENTRY_POINT = "prize_list"
EXAMPLES = (
    (([("ann", 5, 10.5), ("bob", 7, 12.0), ("cyd", 5, 10.0)],), ["bob", "cyd", "ann"]),
    (([("ann", 5, 10.5), ("bob", 5, 10.5), ("bo", 5, 10.5)],), ["bob", "bo", "ann"]),
    (([("zoe", 0, 0.25)],), ["zoe"]),
)
SHAPES = ("random", "all_equal_but_names", "distinct_times", "already_ordered")
SIZES = (500, 50_000)
CHECKER = "equal"
EDGE_CASES = (
    ([("a", 1, 1.0)],),
    ([("a", 1, 1.0), ("a", 1, 1.0)],),
    ([("a", 1, 1.0), ("aa", 1, 1.0), ("aaa", 1, 1.0)],),
    ([("b", 0, 2.5), ("a", 0, 2.25), ("c", 1, 99.5)],),
    ([("x", 3, 1.5), ("y", 3, 1.5), ("x", 3, 1.25), ("y", 2, 1.0)],),
)
BRUTE_FORCE_SIZE = 12


def prize_list(entries: list[tuple[str, int, float]]) -> list[str]:
    """Sort by the last rule first: every further sort keeps the order of equals."""
    order = sorted(entries, key=operator.itemgetter(0), reverse=True)
    order.sort(key=operator.itemgetter(2))
    order.sort(key=operator.itemgetter(1), reverse=True)
    return [name for name, _, _ in order]


def slow_compare(entries: list[tuple[str, int, float]]) -> list[str]:
    """A function that compares two entries is called for every comparison of the sort."""

    def compare(one: tuple[str, int, float], two: tuple[str, int, float]) -> int:
        if one[1] != two[1]:
            return two[1] - one[1]
        if one[2] != two[2]:
            return -1 if one[2] < two[2] else 1
        return (one[0] < two[0]) - (one[0] > two[0])

    return [name for name, _, _ in sorted(entries, key=functools.cmp_to_key(compare))]


def slow_letters_as_numbers(entries: list[tuple[str, int, float]]) -> list[str]:
    """One sort, with a key that spells the name in negative numbers and ends with a positive one."""

    def key(entry: tuple[str, int, float]) -> tuple[int, float, list[int]]:
        name, points, seconds = entry
        return -points, seconds, [-ord(letter) for letter in name] + [1]

    return [name for name, _, _ in sorted(entries, key=key)]


def brute_force(entries: list[tuple[str, int, float]]) -> list[str]:
    """Pick the best of the rest again and again, rule by rule."""
    rest = list(entries)
    names = []
    while rest:
        most = max(points for _, points, _ in rest)
        shortest = min(seconds for _, points, seconds in rest if points == most)
        name = max(name for name, points, seconds in rest if (points, seconds) == (most, shortest))
        rest.remove((name, most, shortest))
        names.append(name)
    return names


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[str, int, float]]]:
    """`size` runners; by default many are equal in points and quite a few in time as well."""
    # a letter for every random byte below 234 = 9 * 26; the others are left out
    letter_of = b"abcdefghijklmnopqrstuvwxyz" * 9 + bytes(22)
    letters = rng.randbytes(16 * size + 64).translate(letter_of, bytes(range(234, 256))).decode()
    lengths = rng.choices([*range(3, 15)], k=size)
    names = [
        letters[start : start + length]
        for start, length in zip(range(0, 14 * size, 14), lengths, strict=True)
    ]
    points = rng.choices([*range(0, 40, 5)], k=size)
    times = rng.choices([600.0 + tenths / 10 for tenths in range(40)], k=size)
    if shape == "all_equal_but_names":
        points, times = [10] * size, [61.5] * size
        names = ["runner" + name[:4] for name in names]
    elif shape == "distinct_times":
        times = [500.0 + 400.0 * rng.random() for _ in range(size)]
    elif shape == "already_ordered":
        points.sort(reverse=True)
        times.sort()
    return (list(zip(names, points, times, strict=True)),)
