"""A known power curve: pieces of constant or linear power, and the exact energy below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """``duration_s`` of power that goes linearly from ``w0`` to ``w1`` (the same where ``w1`` is null)."""

    duration_s: float
    w0: float
    w1: float | None = None


@dataclass(frozen=True)
class Knot:
    """The start of a piece: instant, power at both ends, energy up to here."""

    t_ns: int
    w0: float
    w1: float
    e0_j: float


def knots_of(pieces: Iterable[Piece]) -> list[Knot]:
    """Lay the pieces end to end from instant 0; the last power holds for ever."""
    knots, t_ns, e_j, last_w = [], 0, 0.0, 0.0
    for piece in pieces:
        w1 = piece.w0 if piece.w1 is None else piece.w1
        knots.append(Knot(t_ns, piece.w0, w1, e_j))
        length_ns = round(piece.duration_s * 1e9)
        if length_ns <= 0:
            raise ValueError("a piece of a power curve lasts longer than 0 s")
        t_ns += length_ns
        e_j += 0.5 * (piece.w0 + w1) * length_ns * 1e-9
        last_w = w1
    return [*knots, Knot(t_ns, last_w, last_w, e_j)]


def energy_at_j(knots: Sequence[Knot], t_ns: int, loop_ns: int = 0) -> float:
    """Energy from instant 0 to ``t_ns``; the same arithmetic as the C side."""
    cycles_j = 0.0
    if loop_ns > 0 and t_ns >= 0:
        cycles_j = (t_ns // loop_ns) * knots[-1].e0_j
        t_ns %= loop_ns
    low, high = 0, len(knots)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if knots[middle].t_ns <= t_ns else (low, middle)
    knot = knots[low]
    dt_s = (t_ns - knot.t_ns) * 1e-9
    slope = 0.0
    if low + 1 < len(knots) and t_ns >= knot.t_ns:
        slope = (knot.w1 - knot.w0) / ((knots[low + 1].t_ns - knot.t_ns) * 1e-9)
    return cycles_j + knot.e0_j + (knot.w0 + 0.5 * slope * dt_s) * dt_s
