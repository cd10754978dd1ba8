"""Words on trails through a letter grid

Description: A trail goes through `grid` (equally long rows of lower-case letters) from square to square,
each next one directly above, below, left or right of the last, and never over a square twice. Return the
words that some trail spells, in alphabetical order. The words are different from each other. Limits: 1 to
10**5 squares, 1 to 10**5 words of 1 to 9 letters.
"""

import random
import string

ALGORITHMS = ("backtracking", "trie", "depth_first_search")
DIFFICULTY = "hard"
ENTRY_POINT = "words_on_trails"
EXAMPLES = (
    ((["cat", "xro"], ["car", "cart", "art", "taro", "at"]), ["at", "car", "taro"]),
    ((["ab"], ["aba", "ba", "b"]), ["b", "ba"]),
    ((["a"], ["aa", "a"]), ["a"]),
)
SHAPES = ("random", "few_letters", "planted", "shared_starts")
SIZES = (40, 4_000)  # the number of squares
CHECKER = "equal"
EDGE_CASES = (
    (["a"], ["a"]),
    (["aaa", "aaa"], ["aaaaaa", "aaaaaaa", "a"]),
    (["a", "b", "c"], ["abc", "ab", "abcb"]),
    (["xy", "yx"], ["xyxy", "xyx", "xx", "yxyx"]),
)
BRUTE_FORCE_SIZE = 12


def words_on_trails(grid: list[str], words: list[str]) -> list[str]:
    """All words at once, in a tree of letters from which found words and emptied branches are taken out."""
    children: list[dict[str, int]] = [{}]
    endings = [""]
    for word in words:
        node = 0
        for letter in word:
            if letter not in children[node]:
                children[node][letter] = len(children)
                children.append({})
                endings.append("")
            node = children[node][letter]
        endings[node] = word
    width = len(grid[0]) + 1
    squares = list(" ".join(grid) + " " * (width + 1))
    found: list[str] = []
    for place in range(len(squares) - width - 1):
        _walk(squares, width, place, (children, endings), 0, found)
    return sorted(found)


def _walk(
    squares: list[str],
    width: int,
    place: int,
    tree: tuple[list[dict[str, int]], list[str]],
    node: int,
    found: list[str],
) -> None:
    """Step on `place`; a negative place reads the border at the end of the list."""
    children, endings = tree
    letter = squares[place]
    if letter not in children[node]:
        return
    child = children[node][letter]
    if endings[child]:
        found.append(endings[child])
        endings[child] = ""
    squares[place] = " "
    for other in (place - width, place - 1, place + 1, place + width):
        if squares[other] in children[child]:
            _walk(squares, width, other, tree, child, found)
    squares[place] = letter
    if not children[child]:
        del children[node][letter]


def slow_word_by_word(grid: list[str], words: list[str]) -> list[str]:
    """Each word for itself, from every square, with the trail in a list."""
    squares = [(row, column) for row in range(len(grid)) for column in range(len(grid[0]))]
    return sorted(word for word in words if any(_spell(grid, word, [square]) for square in squares))


def _spell(grid: list[str], word: str, trail: list[tuple[int, int]]) -> bool:
    """Whether the trail spells the start of the word and can be completed."""
    row, column = trail[-1]
    if not (0 <= row < len(grid) and 0 <= column < len(grid[0])) or trail[-1] in trail[:-1]:
        return False
    if grid[row][column] != word[len(trail) - 1]:
        return False
    if len(trail) == len(word):
        return True
    steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return any(_spell(grid, word, [*trail, step]) for step in steps)


def brute_force(grid: list[str], words: list[str]) -> list[str]:
    """All trails of up to nine squares, one length after the other."""
    letters = {(row, column): letter for row, line in enumerate(grid) for column, letter in enumerate(line)}
    trails: list[tuple[tuple[int, int], ...]] = [(square,) for square in letters]
    spelled: set[str] = set()
    for _ in range(9):
        spelled.update("".join(letters[square] for square in trail) for trail in trails)
        trails = [
            (*trail, (row, column))
            for trail in trails
            for row, column in letters
            if abs(row - trail[-1][0]) + abs(column - trail[-1][1]) == 1 and (row, column) not in trail
        ]
    return sorted(set(words) & spelled)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[str], list[str]]:
    """A grid of about `size` squares and a word for every third square."""
    width = max(1, int(size**0.5))
    letters = {"few_letters": "abcd", "random": "abcdefghij"}.get(shape, string.ascii_lowercase)
    grid = ["".join(rng.choices(letters, k=width)) for _ in range(size // width)]
    words: set[str] = set()
    for _ in range(size // 3 + 2):
        row, column = rng.randrange(len(grid)), rng.randrange(width)
        word = grid[row][column]
        for down, right in rng.choices(((-1, 0), (1, 0), (0, -1), (0, 1)), k=rng.randint(3, 8)):
            row = min(len(grid) - 1, max(0, row + down))
            column = min(width - 1, max(0, column + right))
            word += grid[row][column] if shape != "random" or rng.random() < 0.9 else rng.choice(letters)
        words.add(("ab" + word)[:9] if shape == "shared_starts" else word)
    return grid, sorted(words)
