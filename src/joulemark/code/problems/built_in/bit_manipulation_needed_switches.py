"""Switches that can be spared

Description: A sign has `lamps` lamps, numbered from 0 (1 <= lamps <= 200). Each entry of `switches` lists the
lamps that one switch turns over, on to off and off to on; the numbers in an entry are all different and an
entry may be empty (1 <= len(switches) <= 2 * 10**5). All lamps are off at first, and switches may be pressed
in any order, as often as one likes. Some switches are to be taken away so that every picture that could be
shown before can still be shown. Return the least number of switches that have to stay.
"""

import random

ALGORITHMS = ("bit_manipulation", "linear_algebra", "matrix")
DIFFICULTY = "hard"
ENTRY_POINT = "fewest_switches"
EXAMPLES = (
    ((3, [[0, 1], [1, 2], [0, 2]]), 2),
    ((2, [[0], [1], [0, 1]]), 2),
    ((4, [[3], [3], []]), 1),
    ((5, [[0, 1, 2], [2, 3, 4], [0, 1, 3, 4], [2]]), 3),
)
SHAPES = ("random", "neighbours", "dependent", "repeated")
SIZES = (100, 100_000)
CHECKER = "equal"
EDGE_CASES = (
    (1, [[], [0]]),
    (1, [[0], [0]]),
    (3, [[2, 1, 0], [0, 1, 2]]),
    (4, [[0, 1], [1, 2], [2, 3], [3, 0]]),
    (70, [[69], [0, 69], [0]]),
)
BRUTE_FORCE_SIZE = 9


def fewest_switches(lamps: int, switches: list[list[int]]) -> int:
    """For each lamp keep what is left of it, as bits, once all pictures that can be shown count as nothing.

    A switch is needed if its lamps do not cancel out; then one bit of theirs is replaced everywhere.
    """
    rests = [1 << lamp for lamp in range(lamps)]
    needed = 0
    for switch in switches:
        row = 0
        for lamp in switch:
            row ^= rests[lamp]
        if row:
            lowest = row & -row
            rests = [rest ^ row if rest & lowest else rest for rest in rests]
            needed += 1
            if needed == lamps:
                break
    return needed


def slow_numbers(lamps: int, switches: list[list[int]]) -> int:
    """Elimination by the highest bit: a switch that can be spared takes many steps to vanish."""
    reduced: dict[int, int] = {}
    for switch in switches:
        row = sum(1 << lamp for lamp in switch)
        while row:
            highest = row.bit_length()
            if highest not in reduced:
                reduced[highest] = row
                break
            row ^= reduced[highest]
    return len(reduced)


def slow_sets(lamps: int, switches: list[list[int]]) -> int:
    """The same elimination on sets of lamps."""
    reduced: dict[int, set[int]] = {}
    for switch in switches:
        row = set(switch)
        while row:
            highest = max(row)
            if highest not in reduced:
                reduced[highest] = row
                break
            row = row ^ reduced[highest]
    return len(reduced)


def brute_force(lamps: int, switches: list[list[int]]) -> int:
    """List all pictures; every switch that has to stay doubles their number."""
    pictures: set[frozenset[int]] = {frozenset()}
    for switch in switches:
        pictures |= {picture ^ frozenset(switch) for picture in pictures}
    needed = 0
    while 2**needed < len(pictures):
        needed += 1
    return needed


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, list[list[int]]]:
    """`size` switches, at most 110 lamps; an even number of lamps per switch, so not all is possible."""
    lamps = max(1, min(110, size - size // 10))
    if shape == "neighbours":
        ring = [*range(lamps)] * 2
        starts = rng.choices(ring, k=size)
        widths = rng.choices([2 * min(pairs, lamps // 2) for pairs in range(1, 6)], k=size)
        return lamps, [ring[start : start + width] for start, width in zip(starts, widths, strict=True)]
    kinds = {"repeated": size // 4 + 1, "dependent": min(size, 60)}.get(shape, size)
    # bytes as lamps by their remainders, without those that would make some lamps likelier than others
    lamp_of = bytes(byte % lamps for byte in range(256))
    flat = rng.randbytes(22 * kinds).translate(lamp_of, bytes(range(256 - 256 % lamps, 256)))
    chosen = [[*{*flat[start : start + 11]}] for start in range(0, 11 * kinds, 11)]
    switches = [switch[len(switch) % 2 :] for switch in chosen]
    if shape == "repeated":
        return lamps, rng.choices(switches, k=size)
    if shape == "dependent":
        sets = [{*switch} for switch in switches]
        return lamps, rng.choices([sorted(one ^ two) for one in sets for two in sets], k=size)
    return lamps, switches
