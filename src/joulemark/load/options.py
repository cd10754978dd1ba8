"""What is said of a load, before it is known whether it can be: the options of ``joulemark load``, typed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from joulemark.load.arrivals import ArrivalKind
from joulemark.record.drawn import LengthKind
from joulemark.record.errors import InputError

EXAMPLE = "joulemark load --synthetic 512:128 --concurrency 8"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """What is asked and when it is sent, each as the user said it; null where nothing was said.

    Asked is one of ``task`` (a name, or a task's file), ``synthetic`` (``IN:OUT``, with ``lengths`` and
    ``longest`` as `joulemark.load.lengths.Lengths` has them) and ``trace``, of which the first
    ``trace_window_s`` recorded seconds count, ``trace_speed`` times as fast. ``concurrency`` is a closed
    loop, ``rate`` (requests a second) or ``arrival`` an open one, with ``cap`` requests in flight at most;
    ``lead_requests`` come before the ``n_requests`` that count. ``slots``: how many requests the embedded
    engine works on at once.
    """

    task: str | None = None
    synthetic: str | None = None
    lengths: LengthKind = "fixed"
    longest: int | None = None
    trace: Path | None = None
    trace_speed: float = 1.0
    trace_window_s: float | None = None
    concurrency: int | None = None
    rate: float | None = None
    arrival: ArrivalKind | None = None
    burstiness: float | None = None
    cap: int | None = None
    n_requests: int | None = None
    lead_requests: int | None = None
    ramp_s: float | None = None
    slots: int | None = None
    seed: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether requests come whatever is unanswered, at times that no trace gives."""
        return self.rate is not None or self.arrival == "at_once"

    def require_one_question(self, example: str = EXAMPLE) -> None:
        """Raise `InputError` unless exactly one thing is asked; ``example`` is the command that mends it."""
        asked = {"TASK": self.task, "--synthetic": self.synthetic, "--trace": self.trace}
        given = [name for name, value in asked.items() if value is not None]
        if len(given) != 1:
            raise InputError(
                "one of TASK, --synthetic and --trace says what is asked",
                why=f"given: {' and '.join(given) or 'none'}",
                fix=example,
            )
