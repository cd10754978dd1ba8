"""The most varied stretch of a ribbon

Description: A ribbon is printed with the characters of `text` (1 <= len(text) <= 10**6; letters, digits and
signs; capital and small letters differ). A piece of exactly `width` neighbouring characters is to be cut out
(1 <= width <= len(text)), and it should show as many different characters as possible. Return a list of two
numbers: the start (counted from 0) of the best piece, and how many different characters it shows. If several
pieces are equally good, take the one that starts first.
"""

import collections
import random
import string

ALGORITHMS = ("sliding_window", "hash_table", "string")
DIFFICULTY = "easy"
ENTRY_POINT = "most_varied_piece"
EXAMPLES = (
    (("aabacd", 3), [2, 3]),
    (("aabacd", 4), [2, 4]),
    (("zzzz", 2), [0, 1]),
    (("aA", 2), [0, 2]),
)
SHAPES = ("skewed", "uniform", "runs", "repeating")
SIZES = (1_000, 250_000)
CHECKER = "equal"
EDGE_CASES = (("x", 1), ("ab", 1), ("aaab", 2), ("abcabc", 3), ("aabb", 4), ("abba", 3))
BRUTE_FORCE_SIZE = 12


def most_varied_piece(text: str, width: int) -> list[int]:
    """Keep a count for each character of the window; a piece differs from the last by two characters."""
    counts = collections.Counter(text[:width])
    distinct = len(counts)
    best_start, best_distinct = 0, distinct
    for start, (leaving, entering) in enumerate(zip(text, text[width:], strict=False), 1):
        if leaving == entering:
            continue
        counts[leaving] -= 1
        if not counts[leaving]:
            distinct -= 1
        if not counts[entering]:
            distinct += 1
            counts[entering] = 1
            if distinct > best_distinct:
                best_start, best_distinct = start, distinct
        else:
            counts[entering] += 1
    return [best_start, best_distinct]


def slow_set_each(text: str, width: int) -> list[int]:
    """Build the set of characters of every piece again."""
    best_start, best_distinct = 0, 0
    for start in range(len(text) - width + 1):
        distinct = len(set(text[start : start + width]))
        if distinct > best_distinct:
            best_start, best_distinct = start, distinct
    return [best_start, best_distinct]


def brute_force(text: str, width: int) -> list[int]:
    """Count the characters of a piece that have not come before inside it; the best by sorting."""
    results = []
    for start in range(len(text) - width + 1):
        piece = text[start : start + width]
        fresh = [character for position, character in enumerate(piece) if character not in piece[:position]]
        results.append((-len(fresh), start))
    results.sort()
    return [results[0][1], -results[0][0]]


def generate(rng: random.Random, size: int, shape: str) -> tuple[str, int]:
    """`size` characters; the width is some hundreds once there is room for it."""
    width = max(1, min(size // 3, rng.randint(350, 450)))
    letters = list(string.ascii_letters + string.digits + "!?+-*/=<>")
    rng.shuffle(letters)
    if shape == "uniform":
        return "".join(rng.choices(letters[: rng.randint(2, 60)], k=size)), width
    if shape == "runs":
        pieces = [rng.choice(letters) * rng.randint(1, 40) for _ in range(size // 20 + 1)]
        return ("".join(pieces) + letters[0] * size)[:size], width
    if shape == "repeating":
        motif = "".join(rng.choices(letters, k=rng.randint(1, 90)))
        return (motif * (size // len(motif) + 1))[:size], width
    weights = [0.88**rank for rank in range(len(letters))]
    return "".join(rng.choices(letters, weights, k=size)), width
