"""Earliest labels after striking out letters

Description: A label is a string of lower-case letters. For each pair `(label, strikes)` strike out exactly
`strikes` of the label's letters, leaving the others in their order, so that what is left comes earliest in
dictionary order. Return the list of what is left, in the order of the pairs. Limits: at most 10**4 pairs,
10**6 letters in all, `0 <= strikes <= len(label) <= 5000`; with `strikes == len(label)` the empty string is
left.
"""

import itertools
import random
import string

ALGORITHMS = ("greedy", "stack", "strings")
DIFFICULTY = "easy"
ENTRY_POINT = "trim_labels"
EXAMPLES = (
    (([("marble", 2), ("abcabc", 3)],), ["able", "aab"]),
    (([("zzz", 1), ("tin", 3)],), ["zz", ""]),
    (([("dcba", 2)],), ["ba"]),
)
SHAPES = ("random", "few_letters", "rising", "falling")
SIZES = (2_000, 300_000)
CHECKER = "equal"
EDGE_CASES = (
    ([("", 0)],),
    ([("q", 0), ("q", 1)],),
    ([("abcd", 2), ("dcba", 2)],),
    ([("aaaa", 2)],),
    ([("abab", 0), ("abab", 4)],),
    ([("bbbac", 2), ("bbbac", 4)],),
    ([("azbycx", 3)],),
)
BRUTE_FORCE_SIZE = 10


def trim_labels(labels: list[tuple[str, int]]) -> list[str]:
    """Keep a stack; a smaller letter strikes out the larger ones just before it while strikes are left."""
    trimmed = []
    for label, strikes in labels:
        kept: list[str] = []
        left = strikes
        for letter in label:
            while left and kept and kept[-1] > letter:
                kept.pop()
                left -= 1
            kept.append(letter)
        trimmed.append("".join(kept[: len(label) - strikes]))
    return trimmed


def slow_strike_one_by_one(labels: list[tuple[str, int]]) -> list[str]:
    """Strike out one letter at a time, looking from the start and building the string anew each time."""
    trimmed = []
    for label, strikes in labels:
        left = label
        for _ in range(strikes):
            place = 0
            while place + 1 < len(left) and left[place] <= left[place + 1]:
                place += 1
            left = left[:place] + left[place + 1 :]
        trimmed.append(left)
    return trimmed


def brute_force(labels: list[tuple[str, int]]) -> list[str]:
    """Try every choice of letters to keep."""
    return [
        min("".join(kept) for kept in itertools.combinations(label, len(label) - strikes))
        for label, strikes in labels
    ]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[str, int]]]:
    """Labels with `size` letters in all and up to half of the letters of each to strike out."""
    alphabet = b"ab" if shape == "few_letters" else string.ascii_lowercase.encode()
    # as many of the 256 bytes for each letter; those that are over stand for none
    letter_of = alphabet * (256 // len(alphabet))
    none = bytes(range(len(letter_of), 256))
    text = rng.randbytes(size + size // 8 + 64).translate(letter_of.ljust(256), none)
    labels: list[tuple[str, int]] = []
    open_letters = size
    while open_letters:
        length = min(open_letters, rng.randint(1, 6) if size < 20 else rng.randint(1_500, 2_500))
        open_letters -= length
        letters = text[open_letters : open_letters + length]
        if shape in ("rising", "falling"):
            order = sorted(alphabet, reverse=shape == "falling")
            mixed = bytearray().join(bytes([letter]) * letters.count(letter) for letter in order)
            strays = rng.choices(alphabet, k=length // 20)
            for place, stray in zip(rng.choices(range(length), k=length // 20), strays, strict=True):
                mixed[place] = stray
            letters = bytes(mixed)
        labels.append((letters.decode(), rng.randint(length // 4, (length + 1) // 2)))
    return (labels,)
