"""Fewest radio channels for each region

Description: Each region is `(masts, pairs)`: its masts are numbered from 0 to `masts - 1`, and `pairs`
lists the pairs of different masts that disturb each other when they send on the same channel (a pair may be
listed twice and in either order). Every mast gets one channel. Return for each region the fewest channels
with which no listed pair shares one. Limits: 1 to 10**4 regions of 1 to 12 masts.
"""

import itertools
import random

ALGORITHMS = ("backtracking", "graph", "bit_manipulation")
DIFFICULTY = "medium"
ENTRY_POINT = "fewest_channels"
EXAMPLES = (
    (([(3, [(0, 1), (1, 2)])],), [2]),
    (([(3, [(0, 1), (1, 2), (2, 0)])],), [3]),
    (([(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]), (4, [(3, 1)])],), [3, 2]),
)
SHAPES = ("random", "dense", "sparse", "wheels")
SIZES = (10, 2_000)  # the number of regions
CHECKER = "equal"
EDGE_CASES = (
    ([(2, [(1, 0), (0, 1)])],),
    ([(4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])],),
    ([(6, [(0, 3), (0, 4), (1, 3), (1, 5), (2, 4), (2, 5)])],),
    ([(7, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (5, 0), (5, 1), (5, 2), (5, 3), (5, 4)])],),
    ([(8, [(0, 7), (1, 6), (0, 6), (2, 5), (3, 4), (5, 7), (0, 5)])],),
)
BRUTE_FORCE_SIZE = 2


def fewest_channels(regions: list[tuple[int, list[tuple[int, int]]]]) -> list[int]:
    """Masts by how many earlier ones they disturb; a new channel is tried once, not once for each number."""
    fewest = []
    for masts, pairs in regions:
        disturbed = [0] * masts
        for one, other in pairs:
            disturbed[one] |= 1 << other
            disturbed[other] |= 1 << one
        order: list[int] = []
        placed = 0
        clique = 0  # the first masts of the order, as long as all of them disturb each other
        while len(order) < masts:
            mast = max(
                (mast for mast in range(masts) if not placed >> mast & 1),
                key=lambda mast: ((disturbed[mast] & placed).bit_count(), disturbed[mast].bit_count()),
            )
            if clique == len(order) and (disturbed[mast] & placed).bit_count() == clique:
                clique += 1
            order.append(mast)
            placed |= 1 << mast
        limit = clique
        while not _assign(order, disturbed, 0, [], limit):
            limit += 1
        fewest.append(limit)
    return fewest


def _assign(order: list[int], disturbed: list[int], place: int, channels: list[int], limit: int) -> bool:
    """Whether the masts from `place` on fit into the channels, each the set of its masts."""
    if place == len(order):
        return True
    mast = order[place]
    for channel, users in enumerate(channels):
        if not users & disturbed[mast]:
            channels[channel] = users | 1 << mast
            if _assign(order, disturbed, place + 1, channels, limit):
                return True
            channels[channel] = users
    if len(channels) < limit:
        channels.append(1 << mast)
        if _assign(order, disturbed, place + 1, channels, limit):
            return True
        channels.pop()
    return False


def slow_any_channel(regions: list[tuple[int, list[tuple[int, int]]]]) -> list[int]:
    """Masts by number, every channel for each of them, from one channel up."""
    fewest = []
    for masts, pairs in regions:
        limit = 1
        while not _any_channel(masts, pairs, [], limit):
            limit += 1
        fewest.append(limit)
    return fewest


def _any_channel(masts: int, pairs: list[tuple[int, int]], chosen: list[int], limit: int) -> bool:
    """Whether the channels chosen so far disturb no one and can be completed."""
    known = len(chosen)
    if any(one < known and other < known and chosen[one] == chosen[other] for one, other in pairs):
        return False
    return known == masts or any(_any_channel(masts, pairs, [*chosen, new], limit) for new in range(limit))


def brute_force(regions: list[tuple[int, list[tuple[int, int]]]]) -> list[int]:
    """For every set of masts: one more channel than what is left without one quiet group of it."""
    counts = []
    for masts, pairs in regions:
        bars = [1 << one | 1 << other for one, other in pairs]
        quiet = [group for group in range(1, 1 << masts) if all(group & bar != bar for bar in bars)]
        reached = {0}
        steps = 0
        while (1 << masts) - 1 not in reached:
            reached = {done | group for done, group in itertools.product(reached, quiet)}
            steps += 1
        counts.append(steps)
    return counts


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, list[tuple[int, int]]]]]:
    """`size` regions of 8 to 10 masts; by default half of all pairs disturb each other."""
    regions = []
    for _ in range(size):
        masts = rng.randint(3, 6) if size < 5 else rng.randint(8, 10)
        share = {"dense": 0.65, "sparse": 0.25}.get(shape, 0.5)
        pairs = [pair for pair in itertools.combinations(range(masts), 2) if rng.random() < share]
        if shape == "wheels":
            pairs = [(mast, (mast + 1) % (masts - 1)) for mast in range(masts - 1)]
            pairs += [(masts - 1, mast) for mast in range(masts - 1)]
        regions.append((masts, [rng.choice((pair, pair[::-1])) for pair in [*pairs, (0, 1)]]))
    return (regions,)
