"""Ways to read a pattern into a text

Description: Give every different letter of `pattern` a non-empty string, different letters different
strings, so that putting the strings in the place of the letters makes exactly `text`. Return in how many
ways this can be done. Limits: 1 to 12 letters in `pattern`, at most 5 of them different; `text` has 0 to
2000 letters (none: there is no way). Both are of lower-case letters.
"""

import itertools
import random

ALGORITHMS = ("backtracking", "hash_table", "strings")
DIFFICULTY = "medium"
ENTRY_POINT = "count_readings"
EXAMPLES = (
    (("aba", "redbluered"), 1),
    (("ab", "xyz"), 2),
    (("aa", "xyz"), 0),
    (("ab", "xx"), 0),
    (("abb", "zzzzz"), 2),
)
SHAPES = ("random", "one_letter", "periodic", "no_way")
SIZES = (20, 400)  # the length of the text; the work grows with its square
CHECKER = "equal"
EDGE_CASES = (
    ("a", ""),
    ("a", "q"),
    ("ab", "q"),
    ("abc", "xxxxxx"),
    ("aab", "xxxx"),
    ("abcabc", "xyxyxyxy"),
    ("zyz", "aaaaaaa"),
)
BRUTE_FORCE_SIZE = 12


def count_readings(pattern: str, text: str) -> int:
    """Letter by letter; leave room for the rest; the last new letter has no choice of length."""
    return _read(pattern, text, 0, 0, {})


def _read(pattern: str, text: str, place: int, start: int, strings: dict[str, str]) -> int:
    """Ways to read the pattern from `place` into the text from `start`."""
    while place < len(pattern) and pattern[place] in strings:
        piece = strings[pattern[place]]
        if not text.startswith(piece, start):
            return 0
        start += len(piece)
        place += 1
    room = len(text) - start
    if place == len(pattern):
        return int(room == 0)
    letter = pattern[place]
    repeats = others = 0
    for other in pattern[place:]:
        if other == letter:
            repeats += 1
        elif other in strings:
            room -= len(strings[other])
        else:
            room -= 1
            others += 1
    if room < repeats:
        return 0
    longest = room // repeats
    shortest = 1
    if not others:
        if room % repeats:
            return 0
        shortest = longest
    ways = 0
    taken = set(strings.values())
    for length in range(shortest, longest + 1):
        piece = text[start : start + length]
        if piece not in taken:
            strings[letter] = piece
            ways += _read(pattern, text, place + 1, start + length, strings)
            del strings[letter]
    return ways


def slow_all_lengths(pattern: str, text: str) -> int:
    """Letter by letter with every length that the text has room for; the rest is not looked at."""
    return _read_all(pattern, text, {})


def _read_all(pattern: str, text: str, strings: dict[str, str]) -> int:
    """Ways to read the pattern into the text."""
    if not pattern or not text:
        return int(pattern == text)
    if pattern[0] in strings:
        piece = strings[pattern[0]]
        return _read_all(pattern[1:], text[len(piece) :], strings) if text.startswith(piece) else 0
    pieces = [text[:length] for length in range(1, len(text) + 1)]
    return sum(
        _read_all(pattern[1:], text[len(piece) :], {**strings, pattern[0]: piece})
        for piece in pieces
        if piece not in strings.values()
    )


def brute_force(pattern: str, text: str) -> int:
    """Go through all cuts of the text into as many pieces as the pattern has letters."""
    count = 0
    for cuts in itertools.combinations(range(1, len(text)), len(pattern) - 1):
        pieces = [text[start:end] for start, end in itertools.pairwise((0, *cuts, len(text)))]
        pairs = set(zip(pattern, pieces, strict=True))
        count += len(pairs) == len(set(pattern)) == len(set(pieces)) and "" not in pieces
    return count


def generate(rng: random.Random, size: int, shape: str) -> tuple[str, str]:
    """A pattern of three letters, each used twice, and a text of about `size` letters."""
    letters = rng.sample("abcdefgh", 3)
    pattern = "".join(letters[index] for index in rng.choice(((0, 1, 2, 0, 1, 2), (0, 1, 2, 0, 2, 1))))
    if size < 13:
        pattern = "".join(rng.choices(letters, k=rng.randint(1, 5)))
    if shape == "periodic":
        return pattern, "xy" * (size // 4 * 2 or 1)
    if shape == "one_letter":
        return pattern, "x" * (size // 2 * 2 or 1)
    if shape == "no_way":
        return pattern, "".join(rng.choices("xyz", k=size))
    first, second = sorted(rng.randint(0, size // 2) for _ in range(2))
    lengths = (first, second - first, size // 2 - second)
    pieces = {
        letter: ("xxy" * length)[:length] or "x" for letter, length in zip(letters, lengths, strict=True)
    }
    return pattern, "".join(pieces[letter] for letter in pattern)
