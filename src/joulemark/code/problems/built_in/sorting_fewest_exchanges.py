"""Fewest exchanges on a shelf

Description: Books with different catalogue numbers stand on a shelf; `numbers` gives them from left to right
(1 <= len(numbers) <= 2 * 10**5, all different, each from -10**9 to 10**9). In one move any two books, however
far apart, change places. Return a list of two numbers: the least number of moves after which the numbers
ascend from left to right, and the number of books that stand at their right place from the start.
"""

import itertools
import operator
import random

ALGORITHMS = ("sorting", "graph")
DIFFICULTY = "medium"
ENTRY_POINT = "fewest_exchanges"
EXAMPLES = (
    (([30, 10, 20],), [2, 0]),
    (([4, 3, 2, 1],), [2, 0]),
    (([1, 2, 9, 7],), [1, 2]),
    (([-5],), [0, 1]),
)
SHAPES = ("mixed_in_parts", "random", "reversed", "sorted", "one_moved_far")
SIZES = (1_000, 100_000)
CHECKER = "equal"
EDGE_CASES = (
    ([0],),
    ([2, 1],),
    ([1, 2, 3],),
    ([2, 3, 4, 1],),
    ([-1, -2, 0, 5, 4],),
    ([3, 2, 1],),
)
BRUTE_FORCE_SIZE = 6


def fewest_exchanges(numbers: list[int]) -> list[int]:
    """Each cycle of the permutation that sorts takes one move less than it has books."""
    sources = sorted(range(len(numbers)), key=numbers.__getitem__)
    in_place = sum(map(operator.eq, sources, range(len(sources))))
    moves = 0
    for place in range(len(sources)):
        source = sources[place]
        while source != place:
            sources[place] = sources[source]
            sources[source] = source
            source = sources[place]
            moves += 1
    return [moves, in_place]


def slow_select(numbers: list[int]) -> list[int]:
    """For every place search the shelf for the book that belongs there, and exchange."""
    shelf = list(numbers)
    moves = in_place = 0
    for place, wanted in enumerate(sorted(numbers)):
        if numbers[place] == wanted:
            in_place += 1
        if shelf[place] != wanted:
            other = shelf.index(wanted, place + 1)
            shelf[place], shelf[other] = wanted, shelf[place]
            moves += 1
    return [moves, in_place]


def brute_force(numbers: list[int]) -> list[int]:
    """Try all single moves from all shelves reached so far until the shelf is sorted."""
    goal = tuple(sorted(numbers))
    reached = {tuple(numbers)}
    moves = 0
    while goal not in reached:
        further = set()
        for shelf in reached:
            for one, two in itertools.combinations(range(len(shelf)), 2):
                changed = list(shelf)
                changed[one], changed[two] = changed[two], changed[one]
                further.add(tuple(changed))
        reached = further
        moves += 1
    return [moves, sum(number == wanted for number, wanted in zip(numbers, goal, strict=True))]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int]]:
    """`size` numbers; the default shape mixes parts of some thousand books each."""
    gaps = rng.choices([*range(1, 5000)], k=size)
    numbers = list(itertools.accumulate(gaps, initial=-500_000_000))[1:]
    if shape == "reversed":
        numbers.reverse()
    elif shape == "random":
        rng.shuffle(numbers)
    elif shape == "one_moved_far":
        numbers.append(numbers.pop(rng.randrange(size // 10 + 1)))
    elif shape == "mixed_in_parts":
        parts = []
        for start in range(0, size, 1500):
            part = numbers[start : start + 1500]
            rng.shuffle(part)
            parts += part
        numbers = parts
    return (numbers,)
