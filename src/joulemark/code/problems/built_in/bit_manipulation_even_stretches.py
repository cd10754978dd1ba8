"""Stretches where everything is even

Description: A watchman writes down the name of every flag he sees; `flags` is his list (1 <= len(flags) <=
10**6, at most 60 different names, each a string of 1 to 20 letters). Count the stretches of the list, that
is, runs of one or more entries in a row, in which every name that occurs does so an even number of times.
Stretches that start or end at different places count separately, even if they read the same.
"""

import random

ALGORITHMS = ("bit_manipulation", "hash_table", "prefix_sum")
DIFFICULTY = "medium"
ENTRY_POINT = "count_even_stretches"
EXAMPLES = (
    ((["red", "red", "blue", "blue"],), 3),
    ((["red", "blue", "red", "blue"],), 1),
    ((["red", "red", "red"],), 2),
    ((["red", "blue", "green"],), 0),
)
SHAPES = ("random", "one_name", "all_names_free", "palindromes")
SIZES = (1_000, 250_000)
CHECKER = "equal"
EDGE_CASES = (
    (["a"],),
    (["a", "a"],),
    (["a", "b", "b", "a"],),
    (["a", "a", "a", "a", "a"],),
    (["a", "A", "a", "A", "a"],),
)
BRUTE_FORCE_SIZE = 14


def count_even_stretches(flags: list[str]) -> int:
    """One bit per name: a stretch is even if the parities before it and after it are the same number."""
    bits = {name: 1 << position for position, name in enumerate(dict.fromkeys(flags))}
    parities = 0
    seen = {0: 1}
    count = 0
    for name in flags:
        parities ^= bits[name]
        before = seen.get(parities, 0)
        count += before
        seen[parities] = before + 1
    return count


def slow_tuples_of_parities(flags: list[str]) -> int:
    """The same idea, but the parities are a list that is copied into a tuple at each entry."""
    places = {name: position for position, name in enumerate(dict.fromkeys(flags))}
    parities = [False] * len(places)
    seen = {tuple(parities): 1}
    count = 0
    for name in flags:
        parities[places[name]] = not parities[places[name]]
        key = tuple(parities)
        count += seen.get(key, 0)
        seen[key] = seen.get(key, 0) + 1
    return count


def slow_text_of_odd_names(flags: list[str]) -> int:
    """The same idea, but the names that are odd so far are written into a text at each entry."""
    odd: set[str] = set()
    seen = {"": 1}
    count = 0
    for name in flags:
        odd ^= {name}
        key = " ".join(sorted(odd))
        count += seen.get(key, 0)
        seen[key] = seen.get(key, 0) + 1
    return count


def brute_force(flags: list[str]) -> int:
    """Count the names of every stretch."""
    count = 0
    for start in range(len(flags)):
        for end in range(start + 1, len(flags) + 1):
            stretch = flags[start:end]
            count += all(stretch.count(name) % 2 == 0 for name in stretch)
    return count


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[str]]:
    """`size` entries; handfuls of flags come back in another order soon after they were shown."""
    most = 48 if size > 50 else 4
    names = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(most)]
    if shape == "one_name":
        return (names[:1] * size,)
    if shape == "all_names_free":
        return (rng.choices(names, k=size),)
    flags: list[str] = []
    while len(flags) < size:
        handful = rng.choices(names, k=rng.randint(1, 12))
        flags += handful
        if rng.random() < 0.8:
            flags += handful[::-1] if shape == "palindromes" else sorted(handful)
    return (flags[:size],)
