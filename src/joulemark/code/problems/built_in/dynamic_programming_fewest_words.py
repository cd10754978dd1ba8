"""Fewest words that spell a text

Description: `text` is to be cut into pieces such that every piece is one of `words`; a word may be used any
number of times, and the same word may be listed twice. Return the fewest pieces, or -1 if the text cannot
be spelled. The empty text needs 0 pieces. Limits: `0 <= len(text) <= 10**6`, 1 to 5000 words of 1 to 12
letters, lower-case letters only.
"""

import random

ALGORITHMS = ("dynamic_programming", "hash_table", "strings")
DIFFICULTY = "medium"
ENTRY_POINT = "fewest_words"
EXAMPLES = (
    (("redrobin", ["red", "rob", "in", "robin", "r"]), 2),
    (("aaaaa", ["aa", "aaa"]), 2),
    (("abc", ["ab", "bc"]), -1),
    (("", ["x"]), 0),
)
SHAPES = ("random", "one_letter", "two_letters", "broken")
SIZES = (250, 40_000)
CHECKER = "equal"
EDGE_CASES = (
    ("a", ["a"]),
    ("a", ["b"]),
    ("aaaaaaa", ["aaaa", "aaa"]),
    ("abababab", ["ab", "abab", "ab"]),
    ("abcd", ["a", "abc", "bcd", "d"]),
    ("aaab", ["a", "aa", "aaa"]),
    ("xyx", ["xyxx", "xyx"]),
)
BRUTE_FORCE_SIZE = 10


def fewest_words(text: str, words: list[str]) -> int:
    """From every place that can be reached, look up one slice for each length that some word has."""
    known = set(words)
    lengths = sorted({len(word) for word in known})
    unknown = len(text) + 1
    fewest = [0] + [unknown] * (len(text) + lengths[-1])
    for place in range(len(text)):
        pieces = fewest[place] + 1
        if pieces > unknown:
            continue
        for length in lengths:
            end = place + length
            if pieces < fewest[end] and text[place:end] in known:
                fewest[end] = pieces
    return fewest[len(text)] if fewest[len(text)] < unknown else -1


def slow_try_every_word(text: str, words: list[str]) -> int:
    """At every place, try every word of the list."""
    unknown = len(text) + 1
    fewest = [0] + [unknown] * len(text)
    for end in range(1, len(text) + 1):
        for word in words:
            if len(word) <= end and text[end - len(word) : end] == word:
                fewest[end] = min(fewest[end], fewest[end - len(word)] + 1)
    return fewest[-1] if fewest[-1] < unknown else -1


def brute_force(text: str, words: list[str]) -> int:
    """Try every cut of the text."""
    best = -1 if text else 0
    for cuts in range(1 << max(0, len(text) - 1)):
        pieces = []
        start = 0
        for place in range(1, len(text) + 1):
            if place == len(text) or cuts >> (place - 1) & 1:
                pieces.append(text[start:place])
                start = place
        if all(piece in words for piece in pieces) and (best < 0 or len(pieces) < best):
            best = len(pieces)
    return best


def generate(rng: random.Random, size: int, shape: str) -> tuple[str, list[str]]:
    """Words over few letters and a text of about `size` letters put together from them."""
    letters = {"one_letter": "a", "two_letters": "ab"}.get(shape, "abcde")
    longest = 12 if size > 20 else 4
    words = ["".join(rng.choices(letters, k=rng.randint(2, longest))) for _ in range(200 if size > 20 else 8)]
    if size > 20:
        words += letters
    pieces: list[str] = []
    length = 0
    while length < size:
        pieces.append(rng.choice(words))
        length += len(pieces[-1])
    text = "".join(pieces)[: max(size, len(pieces[0]))]
    if shape == "broken":
        place = rng.randrange(len(text))
        text = text[:place] + "z" + text[place + 1 :]
    return text, words
