"""Folding a message into a seal

Description: To seal a `message` (bytes, 1 <= len(message) <= 5 * 10**6) with a block length k, zero bytes are
added at its end until its length is a multiple of k. Then it is cut into blocks of k bytes, and byte i of the
seal is the bitwise exclusive or of byte i of all blocks. `lengths` lists several block lengths (1 to 100 of
them, 1 <= k <= 4096, they may repeat and may be greater than len(message)). Return the seals for all of them
in the order of `lengths`, each as a string of 2 * k hexadecimal digits in lower case.
"""

import random

ALGORITHMS = ("bit_manipulation", "divide_and_conquer")
DIFFICULTY = "easy"
ENTRY_POINT = "folded_seals"
EXAMPLES = (
    ((b"\x01\x02\x04", [1, 2, 3]), ["07", "0502", "010204"]),
    ((b"\xff\xff", [1, 4]), ["00", "ffff0000"]),
    ((b"aaab", [2]), ["0003"]),
)
SHAPES = ("random", "zeros", "one_byte_set", "periodic")
SIZES = (1_000, 3_000_000)
CHECKER = "equal"
EDGE_CASES = (
    (b"\x00", [1]),
    (b"\x10", [3]),
    (b"\x01\x01\x01", [2, 2]),
    (b"abcdefg", [3, 7, 8]),
    (b"\x00\x00\x09", [1, 2, 4]),
)
BRUTE_FORCE_SIZE = 16


def folded_seals(message: bytes, lengths: list[int]) -> list[str]:
    """Read the message as one large number and fold it at a border of blocks until one block is left."""
    number = int.from_bytes(message, "little")
    seals = []
    for length in lengths:
        folded = number
        blocks = -(-len(message) // length)
        while blocks > 1:
            blocks = (blocks + 1) // 2
            bits = 8 * length * blocks
            folded = (folded >> bits) ^ (folded & ((1 << bits) - 1))
        seals.append(folded.to_bytes(length, "little").hex())
    return seals


def slow_block_by_block(message: bytes, lengths: list[int]) -> list[str]:
    """Turn each block into a number of its own."""
    seals = []
    for length in lengths:
        seal = 0
        for start in range(0, len(message), length):
            seal ^= int.from_bytes(message[start : start + length], "little")
        seals.append(seal.to_bytes(length, "little").hex())
    return seals


def slow_byte_by_byte(message: bytes, lengths: list[int]) -> list[str]:
    """Work on single bytes."""
    seals = []
    for length in lengths:
        seal = bytearray(length)
        for position, byte in enumerate(message):
            seal[position % length] ^= byte
        seals.append(seal.hex())
    return seals


def brute_force(message: bytes, lengths: list[int]) -> list[str]:
    """Count for every bit of every place in how many blocks it is set."""
    seals = []
    for length in lengths:
        padded = list(message)
        while len(padded) % length:
            padded.append(0)
        digits = ""
        for place in range(length):
            column = [format(byte, "08b") for byte in padded[place::length]]
            ones = [sum(text[bit] == "1" for text in column) for bit in range(8)]
            digits += format(int("".join(str(count % 2) for count in ones), 2), "02x")
        seals.append(digits)
    return seals


def generate(rng: random.Random, size: int, shape: str) -> tuple[bytes, list[int]]:
    """A message of `size` bytes and (once it is long enough) 24 block lengths."""
    count = min(24, size // 4 + 1)
    lengths = [rng.randint(1, max(1, min(size + 2, 40))) for _ in range(count)]
    if shape == "zeros":
        return bytes(size), lengths
    if shape == "one_byte_set":
        place = rng.randrange(size)
        return bytes(place) + b"\x80" + bytes(size - place - 1), lengths
    if shape == "periodic":
        period = rng.randbytes(rng.randint(1, 12))
        return (period * (size // len(period) + 1))[:size], lengths
    return rng.randbytes(size), lengths
