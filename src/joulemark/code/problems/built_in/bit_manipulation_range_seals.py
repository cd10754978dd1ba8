"""Seals of number ranges

Description: A warehouse numbers its crates without gaps. A shipment holds every crate from number `low` to
number `high`, both included, and its seal is the bitwise exclusive or of all those numbers. `shipments` lists
the pairs (low, high) of all shipments (1 <= len(shipments) <= 10**6, 0 <= low <= high <= 10**12). Return the
sum of the seals.
"""

import functools
import operator
import random

ALGORITHMS = ("bit_manipulation", "math")
DIFFICULTY = "easy"
ENTRY_POINT = "sum_of_seals"
EXAMPLES = (
    (([(3, 5)],), 2),
    (([(1, 1), (0, 3)],), 1),
    (([(6, 9), (6, 9)],), 0),
    (([(1000000000000, 1000000000000)],), 1000000000000),
)
SHAPES = ("random", "single_crates", "aligned", "far")
SIZES = (500, 250_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(0, 0)],),
    ([(0, 1)],),
    ([(7, 7), (7, 8)],),
    ([(0, 6), (1, 6), (2, 6), (3, 6)],),
    ([(999999999998, 1000000000000)],),
)
BRUTE_FORCE_SIZE = 12


def sum_of_seals(shipments: list[tuple[int, int]]) -> int:
    """The exclusive or of 0..n depends on n modulo 4 only; two such values give a range."""
    total = 0
    for low, high in shipments:
        before = low - 1
        seal = (high, 1, high + 1, 0)[high & 3] ^ (before, 1, low, 0)[before & 3]
        total += seal
    return total


def slow_fold_range(shipments: list[tuple[int, int]]) -> int:
    """Go through every number of every range."""
    return sum(functools.reduce(operator.xor, range(low, high + 1)) for low, high in shipments)


def slow_bit_by_bit(shipments: list[tuple[int, int]]) -> int:
    """Count for each bit how often it is set in the range."""
    total = 0
    for low, high in shipments:
        for bit in range(high.bit_length()):
            period, half = 2 << bit, 1 << bit
            ones = 0
            for end, sign in ((high + 1, 1), (low, -1)):
                ones += sign * (end // period * half + max(0, end % period - half))
            if ones % 2:
                total += half
    return total


def brute_force(shipments: list[tuple[int, int]]) -> int:
    """Write every number in binary and note each column that holds an odd number of ones."""
    total = 0
    for low, high in shipments:
        columns = [0] * 48
        for number in range(low, high + 1):
            for place, digit in enumerate(reversed(bin(number)[2:])):
                columns[place] += int(digit)
        total += sum(2**place for place, ones in enumerate(columns) if ones % 2)
    return total


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, int]]]:
    """`size` shipments; a range holds at most some hundreds of crates, so that slow ways still end."""
    longest = min(400, 4 * size)
    first, last, step = {"aligned": (0, 10**6, 4), "far": (999_999_000_000, 999_999_500_000, 1)}.get(
        shape, (0, 10**6, 1)
    )
    lows = rng.choices(range(first, last, step), k=size)
    spans = {"single_crates": (0, 0, 0, 1), "aligned": [*range(3, longest, 4)]}.get(shape, [*range(longest)])
    lengths = rng.choices(spans, k=size)
    return (list(zip(lows, map(operator.add, lows, lengths), strict=True)),)
