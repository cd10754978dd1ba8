"""The types of a steady state: its window, its blocks and what was metered in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.token_course import TokenBasis
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.reason import Reason
from joulemark.record.span import Span

Basis = Literal["running", "in_flight", "generating"]

NOT_LOADED = Withheld(Reason.NOT_LOADED)


@dataclass(frozen=True, slots=True)
class SteadyWindow:
    """The stretch of a segment in which the load was steady (ADR 11).

    ``basis`` is the curve that was looked at: the engine's own ``running``, or the client's ``in_flight`` or
    ``generating``. ``level`` is how many requests the load settled at, ``mean_batch`` the mean of the
    engine's gauge over the window, else of those generating, ``held_share`` the share (0..1) of the window at
    the level, null for an open load. ``requests`` ended inside, ``tokens`` were made inside, known by
    ``token_basis``. ``mean_in_batch_s`` is the mean time of a request in the batch, by
    Little's law from the batch and what ended a second.
    """

    part: Span
    basis: Basis
    level: float
    mean_batch: float
    mean_in_flight: float
    held_share: float | None
    requests: int
    tokens: float
    token_basis: TokenBasis
    mean_in_batch_s: float

    @property
    def duration_s(self) -> float:
        """Its length in seconds."""
        return self.part.duration_s


@dataclass(frozen=True, slots=True)
class SteadyState:
    """A steady window with what was metered: ``energy`` over it by one reading, and in its equal ``blocks``.

    ``load`` is the segment's that was looked at, null for a run without load; ``block_tokens`` are those made
    in each block. ``published`` are the windows of the published rules by their names, ``published_energy``
    what was metered in those that exist. The meter tells something new every ``renewal_s`` seconds.
    """

    window: SteadyWindow | Withheld = NOT_LOADED
    load: SegmentLoad | None = None
    energy: MeasuredOrWithheld = NOT_LOADED
    blocks: tuple[Span, ...] = ()
    block_energies: tuple[MeasuredOrWithheld, ...] = ()
    block_tokens: tuple[float, ...] = ()
    published: Mapping[str, Span | Withheld] = field(default_factory=dict)
    published_energy: Mapping[str, MeasuredOrWithheld] = field(default_factory=dict)
    renewal_s: float = 0.0

    @property
    def joules(self) -> tuple[float, ...] | Withheld:
        """The energies of the blocks in joules; withheld where one is not known, or there is none."""
        found: list[float] = []
        for energy in self.block_energies:
            if isinstance(energy, Withheld):
                return energy
            found.append(energy.joules)
        return tuple(found) if found else NOT_LOADED
