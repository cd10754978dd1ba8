"""Words that grow out of each other

Description: `words` is a list of 1 to 10**5 different words, each of 1 to 8 small letters a to z, and `start`
is one of them. A move replaces one word by another word of the list that has the same length and differs in
exactly one position. Return a tuple: how many words can be reached from `start` with any number of moves
(including `start` itself), and the greatest number of moves that one of them needs when every word is reached
with as few moves as possible.
"""

import random
import string

ALGORITHMS = ("breadth_first_search", "string", "hash_table")
DIFFICULTY = "medium"
ENTRY_POINT = "reachable_words"
EXAMPLES = (
    ((["cat", "cot", "cog", "dog", "sun"], "cat"), (4, 3)),
    ((["a", "b", "c", "at"], "b"), (3, 1)),
    ((["road", "load", "toad", "tool"], "tool"), (1, 0)),
)
SHAPES = ("families", "random", "tight", "chain")
SIZES = (120, 8_000)
CHECKER = "equal"
EDGE_CASES = (
    (["q"], "q"),
    (["ab", "ba"], "ab"),
    (["aa", "ab", "bb", "ba"], "bb"),
    (["abc", "abcd", "abd"], "abc"),
)
BRUTE_FORCE_SIZE = 25


def reachable_words(words: list[str], start: str) -> tuple[int, int]:
    """Canonical: neighbours share a pattern with a gap, and each pattern is used up once."""
    sharing: dict[str, list[str]] = {}
    for word in words:
        for place in range(len(word)):
            pattern = word[:place] + "." + word[place + 1 :]
            if pattern in sharing:
                sharing[pattern].append(word)
            else:
                sharing[pattern] = [word]
    reached = {start}
    ring = [start]
    moves = -1
    while ring:
        moves += 1
        outer = []
        for word in ring:
            for place in range(len(word)):
                for other in sharing.pop(word[:place] + "." + word[place + 1 :], ()):
                    if other not in reached:
                        reached.add(other)
                        outer.append(other)
        ring = outer
    return len(reached), moves


def slow_try_all_letters(words: list[str], start: str) -> tuple[int, int]:
    """Builds all the 25 other words for every position of a word and looks whether they are listed."""
    unreached = set(words) - {start}
    ring = [start]
    moves = -1
    while ring:
        moves += 1
        outer = []
        for word in ring:
            for place in range(len(word)):
                for letter in string.ascii_lowercase:
                    other = word[:place] + letter + word[place + 1 :]
                    if other in unreached:
                        unreached.remove(other)
                        outer.append(other)
        ring = outer
    return len(words) - len(unreached), moves


def slow_compare_all(words: list[str], start: str) -> tuple[int, int]:
    """Compares every reached word with every word that is not reached yet."""
    unreached = [word for word in words if word != start and len(word) == len(start)]
    ring = [start]
    moves = -1
    while ring:
        moves += 1
        outer = []
        for word in ring:
            near = [other for other in unreached if sum(map(str.__ne__, word, other)) == 1]
            if near:
                outer += near
                unreached = [other for other in unreached if other not in set(near)]
        ring = outer
    return 1 + sum(len(word) == len(start) for word in words if word != start) - len(unreached), moves


def brute_force(words: list[str], start: str) -> tuple[int, int]:
    """Lowers the moves of a word to one more than those of its neighbours until nothing changes."""
    moves = {word: 0 if word == start else len(words) for word in words}
    for _ in words:
        for word in words:
            for other in words:
                if len(word) == len(other) and sum(map(str.__ne__, word, other)) == 1:
                    moves[word] = min(moves[word], moves[other] + 1)
    reached = [number for number in moves.values() if number < len(words)]
    return len(reached), max(reached)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[str], str]:
    """At most `size` words; those of "families" come out of each other by changes of single letters."""
    letters = string.ascii_lowercase
    length = 8 if shape == "chain" else 7
    if shape == "random":
        letters, length = letters[: 2 + round(size ** (1 / 3))], 3
    elif shape == "tight":
        letters, length = "abcd", min(8, 2 + size.bit_length() // 2)
    words = ["".join(rng.choices(letters, k=length))]
    for _ in range(size - 1):
        if shape in ("random", "tight"):
            words.append("".join(rng.choices(letters, k=length - int(rng.random() * 2))))
        else:
            parent = words[-1] if shape == "chain" else words[int(rng.random() * len(words))]
            place = int(rng.random() * length)
            words.append(parent[:place] + letters[int(rng.random() * 26)] + parent[place + 1 :])
    start = words[0]
    words = list(dict.fromkeys(words))
    rng.shuffle(words)
    return words, start
