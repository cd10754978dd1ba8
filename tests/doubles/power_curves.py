"""Random power curves of the kinds that real loads show, and random items on them."""

from __future__ import annotations

import math

import numpy as np

from doubles.simulated_meter import Curve

KINDS = ("steps", "square", "ramps", "items", "bursts")

Items = list[tuple[float, float]]


def random_items(rng: np.random.Generator, n: int = 4, *, longest_s: float = 2.0) -> Items:
    """Return ``n`` sequential windows (s) of 10 ms up to ``longest_s``, log-uniform, with short pauses."""
    items, t_s = [], 1.0
    for _ in range(n):
        t_s += rng.uniform(0.001, 0.3)
        length_s = math.exp(rng.uniform(math.log(0.01), math.log(longest_s)))
        items.append((t_s, t_s + length_s))
        t_s += length_s + 0.001
    return items


def random_curve(kind: str, rng: np.random.Generator, items: Items, end_s: float) -> Curve:
    """Return a curve up to ``end_s``.

    ``square`` alternates faster than any sampling here, ``items`` steps from idle to load at the edges of the
    items, ``bursts`` are 5 to 100 ms long.
    """
    idle_w, load_w = float(rng.uniform(20, 90)), float(rng.uniform(150, 650))
    breaks_s, watts = [0.0], [idle_w]

    def add(t_s: float, power_w: float) -> None:
        if t_s > breaks_s[-1]:
            breaks_s.append(t_s)
            watts.append(power_w)

    t_s = 1e-9
    if kind == "items":
        for begin_s, stop_s in items:
            add(begin_s, load_w * float(rng.uniform(0.8, 1)))
            add(stop_s, idle_w)
    elif kind == "steps":
        while t_s < end_s:
            t_s += float(rng.uniform(0.01, 0.8))
            add(t_s, float(rng.choice([idle_w, load_w, rng.uniform(idle_w, load_w)])))
    elif kind == "square":
        period_s, duty = float(rng.uniform(0.004, 0.06)), float(rng.uniform(0.1, 0.9))
        while t_s < end_s:
            add(t_s, load_w)
            add(t_s + duty * period_s, idle_w)
            t_s += period_s
    elif kind == "ramps":
        from_w = idle_w
        while t_s < end_s:
            to_w, n, length_s = rng.uniform(idle_w, load_w), int(rng.integers(5, 60)), rng.uniform(0.1, 1)
            for i in range(n):
                add(t_s + length_s * i / n, from_w + (to_w - from_w) * i / n)
            t_s, from_w = t_s + length_s, to_w
    else:
        while t_s < end_s:
            t_s += float(rng.exponential(0.3))
            add(t_s, load_w)
            t_s += float(rng.uniform(0.005, 0.1))
            add(t_s, idle_w)
    return Curve.of(breaks_s, watts)
