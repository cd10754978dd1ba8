"""How many words begin like this

Description: `words` is a list of 1 to 10**5 words in alphabetical order; a word may be there several times.
`beginnings` is a list of at most 10**5 texts. All of them consist of at most 20 small letters a to z; the
words have at least one letter, and a beginning may be empty. Return for each beginning, in order, how many
entries of `words` start with it; a word starts with itself and with the empty text.
"""

import random
from bisect import bisect_left

ALGORITHMS = ("binary_search", "string")
DIFFICULTY = "easy"
ENTRY_POINT = "count_by_beginning"
EXAMPLES = (
    ((["car", "card", "cart", "dog"], ["car", "cart", "d", "x"]), [3, 1, 1, 0]),
    ((["a", "a", "ab"], ["a", "", "abc"]), [3, 3, 0]),
    ((["zz", "zzz"], ["z", "zz", "zzz", "y"]), [2, 2, 1, 0]),
)
SHAPES = ("names", "repeated", "alike", "strangers")
SIZES = (500, 60_000)
CHECKER = "equal"
EDGE_CASES = (
    (["a"], ["", "a", "aa", "b"]),
    (["z", "zz", "zz"], ["z", "zz", "zzz"]),
    (["ab", "b", "ba"], ["a", "b", "c", "ab"]),
    (["m"], ["l", "n"]),
)
BRUTE_FORCE_SIZE = 20


def count_by_beginning(words: list[str], beginnings: list[str]) -> list[int]:
    """Canonical: words with the same beginning are neighbours; "{" is the sign that comes after "z"."""
    counts = []
    for beginning in beginnings:
        first = bisect_left(words, beginning)
        counts.append(bisect_left(words, beginning + "{", first) - first)
    return counts


def slow_look_at_all(words: list[str], beginnings: list[str]) -> list[int]:
    """Tests every word for every beginning."""
    return [sum([word.startswith(beginning) for word in words]) for beginning in beginnings]


def slow_stop_behind(words: list[str], beginnings: list[str]) -> list[int]:
    """Goes through the words from the first one on, but only as far as there can be a match."""
    counts = []
    for beginning in beginnings:
        count = 0
        for word in words:
            if word.startswith(beginning):
                count += 1
            elif word > beginning:
                break
        counts.append(count)
    return counts


def brute_force(words: list[str], beginnings: list[str]) -> list[int]:
    """Cuts all the words to the length of the beginning and counts the equal ones."""
    return [[word[: len(beginning)] for word in words].count(beginning) for beginning in beginnings]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[str], list[str]]:
    """`size` beginnings, and 4 * root(size) words but not more than `size`."""
    letters = {"names": "eatinosrldh", "repeated": "ab", "alike": "abc", "strangers": "mnopqrstuvwxyz"}[shape]
    count = min(size, 4 * int(size**0.5))
    start = "commonbegin" if shape == "alike" else ""
    lengths = (1, 2, 3, 4) if shape == "repeated" else (3, 4, 5, 6, 7, 8)
    words = sorted(
        start + "".join(rng.choices(letters, k=length)) for length in rng.choices(lengths, k=count)
    )
    triples = [one + two + three for one in "abcetz" for two in "abcetz" for three in "abcetz"]
    beginnings = rng.choices(triples, k=size)
    if shape != "strangers":
        beginnings = [
            beginning if rng.random() < 0.2 else word[: int(rng.random() * (len(word) + 1))]
            for word, beginning in zip(rng.choices(words, k=size), beginnings, strict=True)
        ]
    return words, beginnings
