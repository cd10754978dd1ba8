"""Ones in a giant product

Description: Return how many binary digits of the product of all `factors` are ones. The number 0 has no
ones. Limits: 1 to 10**5 factors, `0 <= factor < 2**64`.
"""

import math
import random

ALGORITHMS = ("divide_and_conquer", "big_integers")
DIFFICULTY = "easy"
ENTRY_POINT = "ones_in_product"
EXAMPLES = (
    (([3, 5],), 4),
    (([7, 9, 1],), 6),
    (([6, 0, 4],), 0),
    (([2, 4, 8],), 1),
)
SHAPES = ("random", "long", "powers_of_two", "mixed")
SIZES = (1_000, 60_000)
CHECKER = "equal"
EDGE_CASES = (
    ([0],),
    ([1],),
    ([1, 1, 1],),
    ([18_446_744_073_709_551_615, 18_446_744_073_709_551_615],),
    ([4_294_967_296, 3, 3],),
    ([11, 13, 17, 19, 23],),
)
BRUTE_FORCE_SIZE = 12


def ones_in_product(factors: list[int]) -> int:
    """Multiply neighbours, then neighbours of the results: long numbers only meet numbers as long as they."""
    products = factors
    while len(products) > 1:
        pairs = [products[place] * products[place + 1] for place in range(0, len(products) - 1, 2)]
        if len(products) % 2:
            pairs.append(products[-1])
        products = pairs
    return products[0].bit_count()


def slow_one_after_the_other(factors: list[int]) -> int:
    """Multiply one long number by one short factor after the other."""
    product = 1
    for factor in factors:
        product *= factor
    return product.bit_count()


def slow_count_digits(factors: list[int]) -> int:
    """The product of all in a row, then its binary digits as a string."""
    return bin(math.prod(factors)).count("1")


def brute_force(factors: list[int]) -> int:
    """Multiply by hand: add shifted copies, then take the digits off one at a time."""
    product = 1
    for factor in factors:
        product = sum(product << place for place in range(factor.bit_length()) if factor >> place & 1)
    ones = 0
    while product:
        ones += product % 2
        product //= 2
    return ones


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int]]:
    """Factors of the shape asked for; the default has factors up to 1000."""
    if shape == "long":
        return ([rng.getrandbits(64) | 1 << 63 for _ in range(size // 4 + 1)],)
    if shape == "powers_of_two":
        return ([1 << rng.randint(0, 63) if rng.random() < 0.9 else 3 for _ in range(size // 4 + 1)],)
    if shape == "mixed":
        return ([rng.getrandbits(rng.randint(2, 64)) + (rng.random() < 0.99) for _ in range(size // 4 + 1)],)
    return (rng.choices([*range(1, 1_001)], k=size),)
