"""Longest stretch without a rare letter

Description: Return the length of the longest stretch of neighbouring letters of `text` in which every
letter that occurs at all occurs at least `least` times (within the stretch), or 0 if there is none. Limits:
`0 <= len(text) <= 3 * 10**6`, `1 <= least <= 10**6`, lower-case letters only.
"""

import collections
import itertools
import math
import random
import string

ALGORITHMS = ("divide_and_conquer", "strings")
DIFFICULTY = "easy"
ENTRY_POINT = "longest_steady_stretch"
EXAMPLES = (
    (("aabcbaa", 2), 2),
    (("ababacb", 2), 5),
    (("abc", 1), 3),
    (("abc", 2), 0),
)
SHAPES = ("random", "few_letters", "blocks", "common_letters")
SIZES = (2_000, 1_000_000)
CHECKER = "equal"
EDGE_CASES = (
    ("", 1),
    ("q", 1),
    ("q", 2),
    ("aaaa", 4),
    ("aaaa", 5),
    ("aabbcb", 3),
    ("abcabcdabcabc", 4),
)
BRUTE_FORCE_SIZE = 14


def longest_steady_stretch(text: str, least: int) -> int:
    """No good stretch holds a letter that is rare in the whole: split at those, and solve the parts."""
    longest = 0
    parts = [text]
    while parts:
        part = parts.pop()
        if len(part) <= longest:
            continue
        rare = [letter for letter in set(part) if part.count(letter) < least]
        if not rare:
            longest = len(part)
            continue
        for letter in rare[1:]:
            part = part.replace(letter, rare[0])
        shortest = max(longest + 1, least)
        parts += [piece for piece in part.split(rare[0]) if len(piece) >= shortest]
    return longest


def slow_by_number_of_letters(text: str, least: int) -> int:
    """For each number of different letters, slide a window that holds at most so many."""
    longest = 0
    for different in range(1, len(set(text)) + 1):
        counts: dict[str, int] = {}
        enough = 0
        start = 0
        for end, letter in enumerate(text):
            counts[letter] = counts.get(letter, 0) + 1
            enough += counts[letter] == least
            while len(counts) > different:
                first = text[start]
                enough -= counts[first] == least
                counts[first] -= 1
                if not counts[first]:
                    del counts[first]
                start += 1
            if enough == len(counts):
                longest = max(longest, end + 1 - start)
    return longest


def slow_cut_by_hand(text: str, least: int) -> int:
    """The same splits at all rare letters at once, letter by letter and without a look at the length."""
    counts = collections.Counter(text)
    rare = {letter for letter, count in counts.items() if count < least}
    if not rare:
        return len(text)
    longest = 0
    part = ""
    for letter in text + min(rare):
        if letter in rare:
            longest = max(longest, slow_cut_by_hand(part, least))
            part = ""
        else:
            part = part + letter
    return longest


def brute_force(text: str, least: int) -> int:
    """Look at every stretch."""
    longest = 0
    for start, end in itertools.combinations(range(len(text) + 1), 2):
        stretch = text[start:end]
        if all(stretch.count(letter) >= least for letter in stretch):
            longest = max(longest, end - start)
    return longest


def generate(rng: random.Random, size: int, shape: str) -> tuple[str, int]:
    """A text of `size` letters; by default ten letters, some much rarer than others, and rare strays."""
    if shape == "blocks":
        blocks = [letter * count for letter in "abcdefg" for count in range(1, 6)]
        text = "".join(rng.choices(blocks, k=size // 3 + 1))[:size]
        return text, rng.randint(1, 4) if size < 20 else rng.randint(size // 9, size // 6)
    # how many of the 256 bytes stand for each letter; what is over stands for none
    if few := shape == "few_letters" or size < 20:
        letter_of = b"a" * 153 + b"b" * 68 + b"c" * 34
    elif shape == "common_letters":
        letter_of = string.ascii_lowercase.encode() * 9
    else:
        letter_of = b"".join(bytes([97 + rank]) * round(57.36 * 1.25**-rank) for rank in range(10))
    none = bytes(range(len(letter_of), 256))
    text = rng.randbytes(size + size // 8 + 64).translate(letter_of.ljust(256), none)[:size].decode()
    if few:
        return text, rng.randint(1, 4) + size // 50
    if shape == "common_letters":
        return text, max(1, size // 26)
    least = math.isqrt(size) // 8 + 2
    letters = list(text)
    for stray in "uvwxyz":
        for _ in range(least - 1):
            letters[rng.randrange(size)] = stray
    return "".join(letters), least
