"""Number of complete circles of friends

Description: People are numbered from 0 to `people - 1`; `friendships` lists pairs of different people who
are friends (a pair may be listed twice, in either order). A circle is a group of one or more people who are
all friends of each other and to which no one can be added without breaking that; someone without friends is
a circle alone. Return the number of different circles. Limits: 1 to 10**5 people with at most 60 friends
each.
"""

import itertools
import random

ALGORITHMS = ("backtracking", "graph", "sets")
DIFFICULTY = "hard"
ENTRY_POINT = "count_circles"
EXAMPLES = (
    ((4, [(0, 1), (1, 2), (0, 2), (2, 3)]), 2),
    ((3, [(0, 1)]), 2),
    ((4, [(0, 1), (1, 2), (2, 3), (3, 0)]), 4),
    ((2, [(0, 1), (1, 0)]), 1),
)
SHAPES = ("random", "tight", "loose", "couples_apart")
SIZES = (20, 1_000)
CHECKER = "equal"
EDGE_CASES = (
    (2, [(1, 0)]),
    (5, [(0, 1), (0, 2), (0, 3), (0, 4)]),
    (4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
    (6, [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]),
    (6, [(2, 0), (0, 3), (0, 4), (5, 0), (1, 2), (2, 1)]),
)
BRUTE_FORCE_SIZE = 9


def count_circles(people: int, friendships: list[tuple[int, int]]) -> int:
    """By lowest member, with a pivot: a circle holds it or someone who is no friend of it."""
    friends: list[set[int]] = [set() for _ in range(people)]
    for one, other in friendships:
        friends[one].add(other)
        friends[other].add(one)
    circles = 0
    for person, known in enumerate(friends):
        later = {friend for friend in known if friend > person}
        circles += _grow(friends, later, known - later)
    return circles


def _grow(friends: list[set[int]], open_people: set[int], closed: set[int]) -> int:
    """Circles that add some of `open_people` and to which none of `closed` could be added."""
    if not open_people:
        return int(not closed)
    most = -1
    pivot = -1
    for person in itertools.chain(open_people, closed):
        reach = len(open_people & friends[person])
        if reach > most:
            most, pivot = reach, person
    circles = 0
    for person in open_people - friends[pivot]:
        known = friends[person]
        circles += _grow(friends, open_people & known, closed & known)
        open_people.discard(person)
        closed.add(person)
    return circles


def slow_without_pivot(people: int, friendships: list[tuple[int, int]]) -> int:
    """Every group of friends is grown, complete or not."""
    friends: list[set[int]] = [set() for _ in range(people)]
    for one, other in friendships:
        friends[one].add(other)
        friends[other].add(one)
    return sum(_grow_all(friends, friends[person], person) for person in range(people))


def _grow_all(friends: list[set[int]], common: set[int], latest: int) -> int:
    """Circles that add later people than `latest` to a group whose common friends are `common`."""
    if not common:
        return 1
    return sum(_grow_all(friends, common & friends[person], person) for person in common if person > latest)


def brute_force(people: int, friendships: list[tuple[int, int]]) -> int:
    """Go through all groups of people."""
    pairs = {frozenset(pair) for pair in friendships}
    circles = 0
    for group in range(1, 1 << people):
        members = [person for person in range(people) if group >> person & 1]
        others = [person for person in range(people) if not group >> person & 1]
        circles += all(frozenset(pair) in pairs for pair in itertools.combinations(members, 2)) and not any(
            all(frozenset((other, member)) in pairs for member in members) for other in others
        )
    return circles


def generate(rng: random.Random, size: int, shape: str) -> tuple[int, list[tuple[int, int]]]:
    """People in a row; neighbours up to 16 places apart are friends more often than not."""
    people = size
    share = {"tight": 0.93, "loose": 0.3, "couples_apart": 1.0}.get(shape, 0.85)
    reach = 8 if shape == "couples_apart" else 16
    friendships = []
    for person in range(people):
        for other in range(person + 1, min(people, person + reach + 1)):
            apart = shape == "couples_apart" and other == person + 1 and person % 2 == 0
            if rng.random() < share and not apart:
                friendships.append(rng.choice(((person, other), (other, person))))
    rng.shuffle(friendships)
    return people, friendships
