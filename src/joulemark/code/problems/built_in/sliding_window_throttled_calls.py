"""Refused calls

Description: A service allows every client at most `limit` served calls within any `period` seconds. `calls`
lists the calls in the order in which they arrive, as (second, client), the seconds never going down (1 <=
len(calls) <= 10**6, 0 <= second <= 10**9, 1 <= limit <= 10**4, 1 <= period <= 10**6). A call at second t is
served if, of the calls of the same client that were served before it in the list, fewer than `limit` have a
second greater than t - period; otherwise it is refused. A refused call does not count against the client.
Return the number of refused calls.
"""

import collections
import random

ALGORITHMS = ("sliding_window", "queue", "hash_table")
DIFFICULTY = "medium"
ENTRY_POINT = "count_refused"
EXAMPLES = (
    (([(0, "ann"), (1, "ann"), (2, "ann"), (10, "ann")], 10, 2), 1),
    (([(5, "ann"), (5, "bob"), (5, "ann"), (5, "bob")], 1, 1), 2),
    (([(0, "cy"), (3, "cy"), (6, "cy"), (9, "cy")], 4, 1), 2),
    (([(8, "dee")], 5, 1), 0),
)
SHAPES = ("random", "one_client", "bursts", "many_clients")
SIZES = (1_000, 300_000)
CHECKER = "equal"
EDGE_CASES = (
    ([(7, "a")], 1, 1),
    ([(0, "a"), (1, "a"), (2, "a")], 1, 1),
    ([(0, "a"), (1, "a"), (1, "a"), (2, "a")], 2, 1),
    ([(3, "a"), (3, "a"), (3, "a"), (3, "a"), (3, "a")], 2, 3),
    ([(0, "a"), (2, "a"), (4, "a"), (4, "a"), (5, "a")], 4, 2),
)
BRUTE_FORCE_SIZE = 14


def count_refused(calls: list[tuple[int, str]], period: int, limit: int) -> int:
    """Of each client only the last `limit` served calls matter, and of those only the oldest."""
    served: dict[str, collections.deque[int]] = {}
    refused = 0
    for second, client in calls:
        recent = served.get(client)
        if recent is None:
            served[client] = collections.deque((second,), limit)
        elif len(recent) == limit and recent[0] > second - period:
            refused += 1
        else:
            recent.append(second)
    return refused


def slow_filter_history(calls: list[tuple[int, str]], period: int, limit: int) -> int:
    """Build the client's list of recent served calls anew at every call."""
    served: dict[str, list[int]] = {}
    refused = 0
    for second, client in calls:
        recent = [earlier for earlier in served.get(client, []) if earlier > second - period]
        if len(recent) >= limit:
            refused += 1
        else:
            recent.append(second)
        served[client] = recent
    return refused


def brute_force(calls: list[tuple[int, str]], period: int, limit: int) -> int:
    """Look through all calls before this one."""
    is_served: list[bool] = []
    for position, (second, client) in enumerate(calls):
        against = 0
        for earlier in range(position):
            if is_served[earlier] and calls[earlier][1] == client and calls[earlier][0] > second - period:
                against += 1
        is_served.append(against < limit)
    return is_served.count(False)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, str]], int, int]:
    """`size` calls; the load is a little more than what is allowed."""
    limit = max(1, min(size // 8, rng.randint(90, 130)))
    clients = {"one_client": 1, "many_clients": size // 30 + 2}.get(shape, min(20, size // 200 + 2))
    names = [f"client-{number}" for number in range(clients)]
    if shape == "bursts":
        gaps = rng.choices((0, 0, 0, 0, 0, 1, 40), k=size)
        period = limit * clients * rng.randint(3, 6) + 1
    else:
        gaps = [*rng.randbytes(size).translate(bytes((0, 1, 2, 3)) * 64)]
        period = max(1, int(1.5 * limit * clients * rng.uniform(1.1, 1.3)))
    second = 0
    calls = []
    for gap, name in zip(gaps, rng.choices(names, k=size), strict=True):
        second += gap
        calls.append((second, name))
    return calls, min(period, 1_000_000), limit
