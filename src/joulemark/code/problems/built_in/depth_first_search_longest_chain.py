"""Longest chain of steps in a recipe

Description: `minutes` gives for each step of a recipe, by its name, how long it takes (0 to 10**6 minutes; 1
to 10**6 steps). Each pair `(first, second)` of `orders` says that `second` can only start when `first` has
ended; both are keys of `minutes`, and a pair may appear more than once. The pairs never contradict each
other: no step has to wait, even through others, for itself. Any number of steps can go on at the same time.
Return the least number of minutes in which all the steps can be done, which is the longest total along a
chain of steps that wait for each other. No chain has more than 300 steps.
"""

import random

ALGORITHMS = ("depth_first_search", "memoization", "graph")
DIFFICULTY = "medium"
ENTRY_POINT = "least_minutes"
EXAMPLES = (
    (({"chop": 5, "fry": 10, "boil": 12}, [("chop", "fry")]), 15),
    (({"a": 3, "b": 4, "c": 5, "d": 1}, [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]), 9),
    (({"rest": 30, "eat": 20, "mix": 2}, [("mix", "eat"), ("mix", "eat")]), 30),
)
SHAPES = ("layers", "diamonds", "chains", "sparse")
SIZES = (500, 25_000)
CHECKER = "equal"
EDGE_CASES = (  # type: ignore[var-annotated]
    ({"only": 7}, []),
    ({"a": 0, "b": 0}, [("b", "a")]),
    ({"long": 100, "x": 1, "y": 2}, [("x", "y")]),
    ({"p": 1, "q": 1, "r": 9}, [("p", "q"), ("q", "r"), ("p", "r")]),
)
BRUTE_FORCE_SIZE = 12


def least_minutes(minutes: dict[str, int], orders: list[tuple[str, str]]) -> int:
    """Canonical: the longest chain from every step is found once, after those of what waits for it."""
    followers: dict[str, list[str]] = {}
    for first, second in orders:
        if first in followers:
            followers[first].append(second)
        else:
            followers[first] = [second]
    longest: dict[str, int] = {}
    for start in followers:
        stack = [start]
        while stack:
            step = stack[-1]
            if step in longest:
                stack.pop()
                continue
            best = 0
            ready = True
            for follower in followers.get(step, ()):
                if follower not in longest:
                    stack.append(follower)
                    ready = False
                elif longest[follower] > best:
                    best = longest[follower]
            if ready:
                longest[step] = minutes[step] + best
                stack.pop()
    return max(max(longest.values(), default=0), max(minutes.values()))


def slow_every_chain(minutes: dict[str, int], orders: list[tuple[str, str]]) -> int:
    """Walks along every chain there is: what follows a step is searched again each time it is reached."""
    followers: dict[str, list[str]] = {step: [] for step in minutes}
    for first, second in orders:
        followers[first].append(second)

    def longest_from(step: str) -> int:
        return minutes[step] + max((longest_from(follower) for follower in followers[step]), default=0)

    return max(map(longest_from, minutes))


def brute_force(minutes: dict[str, int], orders: list[tuple[str, str]]) -> int:
    """Moves the end of a step later for as long as some pair is broken."""
    ends = dict(minutes)
    changed = True
    while changed:
        changed = False
        for first, second in orders:
            if ends[second] < ends[first] + minutes[second]:
                ends[second] = ends[first] + minutes[second]
                changed = True
    return max(ends.values())


def generate(rng: random.Random, size: int, shape: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """`size` steps; a chain has at most 300 steps, and the number of chains from one step is at most 2**9."""
    steps = [f"step{number}" for number in range(size)]
    names = rng.sample(steps, size)
    pairs: list[tuple[int, int]] = []
    if shape == "chains":
        pairs = [(place - 1, place) for place in range(1, size) if place % 300]
    elif shape == "diamonds":
        # 28 steps are nine diamonds, each of a top, two sides and the next one's top
        for place in range(size):
            corner = place % 28 % 3
            if place % 28 < 27:
                pairs += [(place, place + 3 - corner)] if corner else [(place, place + 1), (place, place + 2)]
    elif shape == "sparse":
        pairs = [(int(place * rng.random()), place) for place in range(1, size)]
    else:
        # groups of eight layers of four steps; each step has two followers in the next layer
        places = [place for place in range(size) if place % 32 < 28 for _ in range(2)]
        followers = rng.choices((4, 5, 6, 7), k=len(places))
        pairs = [(place, place - place % 4 + more) for place, more in zip(places, followers, strict=True)]
    orders = [(names[first], names[second]) for first, second in pairs if second < size]
    rng.shuffle(orders)
    return dict(zip(steps, rng.choices([*range(100)], k=size), strict=True)), orders
