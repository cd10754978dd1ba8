"""Words in a foreign alphabet

Description: The letters of a foreign language have an order of their own: `alphabet` is a string of 1 to 62
different characters (digits and letters of ASCII), the earliest first. Sort `words` (1 <= len(words) <=
10**5, at most 3 * 10**6 characters altogether) as its dictionary would: two words are ordered by the first
place at which they differ, and if one of them is the beginning of the other, the shorter one comes first. All
characters of all words are in the alphabet; a word may be empty, and a word that is given several times is
returned as many times. Return the sorted list.
"""

import functools
import random
import string

ALGORITHMS = ("sorting", "string")
DIFFICULTY = "easy"
ENTRY_POINT = "sorted_words"
EXAMPLES = (
    (("zyx", ["x", "z", "y"]), ["z", "y", "x"]),
    (("ba", ["ab", "a", "b", "ba", ""]), ["", "b", "ba", "a", "ab"]),
    (("aA1", ["1a", "A1", "a1", "A1"]), ["a1", "A1", "A1", "1a"]),
)
SHAPES = ("random", "long_beginnings", "few_letters", "short_words")
SIZES = (500, 60_000)
CHECKER = "equal"
EDGE_CASES = (
    ("a", ["a"]),
    ("a", ["aaa", "a", "aa", ""]),
    ("cab", ["abc", "bca", "cab"]),
    ("ab", ["b", "a", "b", "a"]),
    ("9A0a", ["a0", "A0", "00", "90"]),
)
BRUTE_FORCE_SIZE = 12


def sorted_words(alphabet: str, words: list[str]) -> list[str]:
    """Write each word once in letters whose usual order is the wanted one, and sort by that."""
    table = str.maketrans(alphabet, "".join(sorted(alphabet)))
    return sorted(words, key=lambda word: word.translate(table))


def slow_compare(alphabet: str, words: list[str]) -> list[str]:
    """Compare pairs of words letter by letter, each time anew."""

    def compare(one: str, two: str) -> int:
        for left, right in zip(one, two, strict=False):
            if left != right:
                return alphabet.index(left) - alphabet.index(right)
        return len(one) - len(two)

    return sorted(words, key=functools.cmp_to_key(compare))


def slow_lists_of_places(alphabet: str, words: list[str]) -> list[str]:
    """Look up the place of every letter with a search through the alphabet."""
    return sorted(words, key=lambda word: [alphabet.index(letter) for letter in word])


def brute_force(alphabet: str, words: list[str]) -> list[str]:
    """Sort into piles by the last place first, with words filled up by a sign before all letters."""
    longest = max(map(len, words))
    result = [word.ljust(longest) for word in words]
    for place in reversed(range(longest)):
        result = [word for letter in " " + alphabet for word in result if word[place] == letter]
    return [word.rstrip(" ") for word in result]


def generate(rng: random.Random, size: int, shape: str) -> tuple[str, list[str]]:
    """`size` words of some ten letters."""
    letters = list(string.ascii_letters + string.digits)
    rng.shuffle(letters)
    if shape == "few_letters":
        letters = letters[: rng.randint(1, 4)]
    elif shape != "short_words":
        letters = letters[:40]
    longest = 2 if shape == "short_words" else 16
    lengths = rng.choices([*range(longest // 4, longest + 1)], k=size)
    total = sum(lengths)
    # as many of the 256 bytes for each letter; those that are over stand for none
    letter_of = "".join(letters * (256 // len(letters))).encode()
    none = bytes(range(len(letter_of), 256))
    text = rng.randbytes(total + total // 4 + 64).translate(letter_of.ljust(256), none).decode()
    beginnings = (
        ["".join(rng.choices(letters, k=10)) for _ in range(5)] if shape == "long_beginnings" else [""]
    )
    words = []
    start = 0
    for beginning, length in zip(rng.choices(beginnings, k=size), lengths, strict=True):
        words.append(beginning + text[start : start + length])
        start += length
    return "".join(letters), words
