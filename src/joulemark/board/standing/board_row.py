"""A row of the leaderboard: one configuration, with what its accepted runs came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["measured", "published", "simulated"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it is shown: null with its reason; ``lo``/``hi`` with the name of what they are."""

    value: float | None
    unit: str
    lo: float | None = None
    hi: float | None = None
    interval: str | None = None
    n: int | None = None
    reason: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and sample standard deviation over ``n`` runs; there is none of fewer than two."""

    mean: float
    sd: float
    n: int


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One configuration. Everything here is a plain value: the row is kept as JSON and read as it is.

    ``id`` is the digest of what makes the configuration (`joulemark.board.standing.configuration`).
    ``table`` names what may be ranked together: kind, tier, scope, task with its questions, unit and load
    class. ``figures`` are by the names of `joulemark.metrics`; of several runs they are those of
    ``stands_for`` (`joulemark.board.standing.combined.stands_for`), and so is ``rung``; ``spreads`` are over
    all of them. ``runs`` are digests, the latest first.
    ``n_questions`` are those that ``questions`` is the digest of, null where their number is the load's.
    ``times_not_comparable`` is why its times, speeds and processor time stand beside no other's: then they
    are marked, come last and have no rank.
    ``is_ranked`` is false for canary tasks, and for what ``why_not_ranked`` says.
    """

    id: str
    kind: Kind
    table: str
    model: str
    task: str
    questions: str | None
    unit: str
    engine: str
    engine_version: str | None
    quantization: str | None
    hardware: str | None
    n_devices: int | None
    tier: str | None
    scope: str | None
    load: str
    settings: Mapping[str, Any]
    figures: Mapping[str, Figure]
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    n_runs: int = 1
    n_signers: int = 1
    rung: int = 0
    runs: tuple[str, ...] = ()
    stands_for: str | None = None
    source: str | None = None
    is_canary: bool = False
    is_ranked: bool = True
    why_not_ranked: str = ""
    streamed: bool | None = None
    energy_source: str | None = None
    measured_at: str | None = None
    notes: tuple[str, ...] = ()
    n_questions: int | None = None
    times_not_comparable: str = ""
