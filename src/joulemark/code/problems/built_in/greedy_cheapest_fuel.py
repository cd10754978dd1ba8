"""Cheapest fuel for a long road

Description: A truck drives `distance` km along one road and burns one litre per km. Its tank holds `tank`
litres and is empty at the start. `stations` lists `(km, price)` with strictly increasing `km`, the first at
km 0 and all before the end; at a station any amount that fits in the tank may be bought at that price per
litre. Return the least money for reaching the end, or `-1.0` if it cannot be reached. Limits: 1 to 10**6
stations, `1 <= distance <= 10**9`, `1 <= tank <= 10**9`, `0 < price <= 100`.
"""

import collections
import random

ALGORITHMS = ("greedy", "deque")
DIFFICULTY = "medium"
ENTRY_POINT = "cheapest_trip"
EXAMPLES = (
    (([(0, 2.0), (5, 1.5)], 10, 8), 17.5),
    (([(0, 1.5), (5, 2.0)], 10, 8), 16.0),
    (([(0, 1.0), (9, 1.0)], 12, 8), -1.0),
    (([(0, 0.5)], 4, 4), 2.0),
)
SHAPES = ("random", "short_tank", "rising", "huge_tank")
SIZES = (400, 80_000)
CHECKER = "close"
EDGE_CASES = (
    ([(0, 3.0)], 5, 4),
    ([(0, 3.0)], 5, 5),
    ([(0, 1.0), (1, 1.0), (2, 1.0)], 3, 1),
    ([(0, 1.0), (3, 5.0), (6, 2.0), (7, 0.25)], 12, 6),
    ([(0, 4.0), (2, 3.0), (4, 2.0), (6, 1.0)], 8, 100),
    ([(0, 1.0), (2, 2.0), (4, 3.0), (6, 4.0)], 11, 5),
)
BRUTE_FORCE_SIZE = 7


def cheapest_trip(stations: list[tuple[int, float]], distance: int, tank: int) -> float:
    """Fill up everywhere, pay on burning; hand dearer fuel in the tank back at a cheaper station."""
    cargo: collections.deque[tuple[float, int]] = collections.deque()
    room = tank
    spent = 0.0
    ends = [km for km, _ in stations[1:]]
    ends.append(distance)
    for (km, price), end in zip(stations, ends, strict=True):
        leg = end - km
        if leg > tank:
            return -1.0
        while cargo and cargo[-1][0] >= price:
            room += cargo.pop()[1]
        if room:
            cargo.append((price, room))
        room = leg
        while True:
            cheapest, litres = cargo.popleft()
            if litres > leg:
                cargo.appendleft((cheapest, litres - leg))
                spent += leg * cheapest
                break
            spent += litres * cheapest
            leg -= litres
            if not leg:
                break
    return spent


def slow_look_ahead(stations: list[tuple[int, float]], distance: int, tank: int) -> float:
    """At each station list all that lie within a tank, then buy just enough for the first cheaper one."""
    road = [*stations, (distance, 0.0)]
    fuel = 0
    spent = 0.0
    for index in range(len(stations)):
        km, price = road[index]
        within = []
        for later in range(index + 1, len(road)):
            if road[later][0] - km > tank:
                break
            within.append(road[later])
        if not within:
            return -1.0
        cheaper = [place - km for place, other in within if other <= price]
        need = max(0, (cheaper[0] if cheaper else tank) - fuel)
        spent += need * price
        fuel += need - (road[index + 1][0] - km)
    return spent


def brute_force(stations: list[tuple[int, float]], distance: int, tank: int) -> float:
    """Least money for every whole number of litres left, km by km."""
    prices = dict(stations)
    least = {0: 0.0}
    for km in range(distance):
        if km in prices:
            least = {
                litres: min(least[have] + (litres - have) * prices[km] for have in least if have <= litres)
                for litres in range(min(least), min(tank, distance) + 1)
            }
        least = {litres - 1: money for litres, money in least.items() if litres}
        if not least:
            return -1.0
    return min(least.values())


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[tuple[int, float]], int, int]:
    """Stations 1 to 12 km apart; the default tank passes some 150 of them."""
    prices = rng.choices([thousandths / 1000 for thousandths in range(1_000, 2_001)], k=size)
    if shape == "rising":
        prices = [
            (1_000 + 1_000 * index // size + more) / 1000
            for index, more in enumerate(rng.choices([*range(1_001)], k=size))
        ]
    km = 0
    places = [km := km + gap for gap in rng.choices([*range(1, 13)], k=size)]
    tank = {"short_tank": 12 - (rng.random() < 0.2), "huge_tank": km + 1}.get(shape, 1_000)
    stations = list(zip([0, *places[:-1]], prices, strict=True))
    return stations, km, min(tank, 30) if size < 8 else tank
