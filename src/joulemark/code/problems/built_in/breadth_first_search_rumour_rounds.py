"""Rounds of a rumour

Description: `friends` is a list of pairs of names (at most 10**6 pairs; a pair may be listed again, also the
other way round, and a name is never paired with itself). In round 0 exactly the people in `starters` know a
rumour; some of those names may appear twice there or in no pair. In every further round all who know it tell
all their friends. Return a list with the number of people who hear the rumour for the first time in round 0,
in round 1, and so on, up to the last round in which somebody new hears it; the list is empty if there are no
starters.
"""

import random

ALGORITHMS = ("breadth_first_search", "graph", "hash_table")
DIFFICULTY = "easy"
ENTRY_POINT = "rumour_rounds"
EXAMPLES = (
    (([("ann", "bob"), ("bob", "cid"), ("dan", "eve")], ["ann"]), [1, 1, 1]),
    (([("ann", "bob"), ("cid", "bob"), ("cid", "dan")], ["bob", "bob", "zoe"]), [2, 2, 1]),
    (([("ann", "bob"), ("bob", "ann")], ["bob", "ann"]), [2]),
)
SHAPES = ("neighbours", "random", "line", "islands")
SIZES = (500, 60_000)
CHECKER = "equal"
EDGE_CASES = (
    ([("ann", "bob")], ["cid"]),
    ([("ann", "bob")], ["bob"]),
    ([("ann", "bob"), ("bob", "cid"), ("cid", "ann")], ["cid", "ann"]),
    ([("d", "c"), ("c", "b"), ("b", "a")], ["a", "d"]),
)
BRUTE_FORCE_SIZE = 10


def rumour_rounds(friends: list[tuple[str, str]], starters: list[str]) -> list[int]:
    """Canonical: a search in breadth from all starters, by the friends of those who have just heard."""
    circle: dict[str, list[str]] = {}
    for one, other in friends:
        circle.setdefault(one, []).append(other)
        circle.setdefault(other, []).append(one)
    heard = set(starters)
    news = list(heard)
    rounds = []
    while news:
        rounds.append(len(news))
        told = []
        for person in news:
            for friend in circle.get(person, ()):
                if friend not in heard:
                    heard.add(friend)
                    told.append(friend)
        news = told
    return rounds


def slow_all_pairs_each_round(friends: list[tuple[str, str]], starters: list[str]) -> list[int]:
    """Goes through the whole list of pairs in every round."""
    heard = set(starters)
    rounds = []
    news = heard
    while news:
        rounds.append(len(news))
        news = {other for one, other in friends if one in heard and other not in heard}
        news |= {one for one, other in friends if other in heard and one not in heard}
        heard = heard | news
    return rounds


def brute_force(friends: list[tuple[str, str]], starters: list[str]) -> list[int]:
    """Computes the distance between every two people first, and counts by the distance to a starter."""
    people = {name for pair in friends for name in pair} | set(starters)
    apart = {(one, other): 0 if one == other else 99 for one in people for other in people}
    for one, other in friends:
        apart[one, other] = apart[other, one] = 1
    for middle in people:
        for one in people:
            for other in people:
                apart[one, other] = min(apart[one, other], apart[one, middle] + apart[middle, other])
    rounds = [min((apart[start, name] for start in starters), default=99) for name in people]
    return [rounds.count(number) for number in range(99) if number in rounds]


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[str, str]], list[str]]:
    """`size` pairs; "neighbours" takes a number of rounds of about the root of the size."""
    count = size // 2 + 2
    names = [f"{chr(97 + number % 26)}{number}" for number in range(count)]
    rng.shuffle(names)
    if shape == "random":
        pairs = zip(rng.choices(names, k=size), rng.choices(names, k=size), strict=True)
        listed = [(one, other) for one, other in pairs if one != other]
    elif shape == "line":
        listed = ([(names[place], names[place + 1]) for place in range(count - 1)] * 2)[:size]
    else:
        reach = int(count**0.5 / 2) + 1 if shape == "neighbours" else 12
        places, steps = rng.choices(range(count), k=size), rng.choices([*range(1, reach + 1)], k=size)
        later = names + names[-1:] * reach
        listed = [
            (names[place], later[place + step])
            for place, step in zip(places, steps, strict=True)
            if place < count - 1 and (shape == "neighbours" or place % 50 + step < 50)
        ]
    # "line" starts at one end, where the number of rounds is the number of people
    starters = names[:1] if shape == "line" else rng.sample(names, 1 + count // 200 * (shape == "islands"))
    return listed, starters + starters[: rng.randrange(2)]
