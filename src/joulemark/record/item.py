"""What was observed of one request: one row an item and repeat. Observations only, nothing derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

CLOSED = "closed"


class Verdict(StrEnum):
    """What became of an answer. Energy is charged to all six."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    FAILED = "failed"


class Phase(StrEnum):
    """What a request was for. Only `MEASURE` rows are answers that count.

    `ABANDONED`: in flight when a segment was ended early; it drew energy beside answers that count.
    """

    WARMUP = "warmup"
    MEASURE = "measure"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a request. Stamps in monotonic ns.

    ``error`` is null where it succeeded, else a code: that of the transport (``refused``, ``reset``, ``cut``,
    ``stall``, …), ``http_503`` and the like, or ``answer`` for an error inside the answer. `CLOSED` is no
    failure: the request met the closing of a kept connection and was sent again at once.
    """

    t_sent: int
    t_end: int
    error: str | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One event of a stream that carried generated output.

    ``t_ns``: the read that completed it; ``tokens``: exact count or null; ``coalesced``: it came in the
    same read as the event before, so the gap of zero is not the engine's.
    """

    t_ns: int
    tokens: int | None
    coalesced: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A request of a run as the client saw it.

    Stamps are monotonic ns of the segment's clock; counts are tokens. ``reasons`` maps the name of each
    field that is null to its reason code. The latest attempt's stamps are the item's own; the window
    whose energy belongs to the item starts at the first attempt (`t_begin`). ``engine_…_ns`` are durations
    that the engine itself reports, on its own clock: for loading the model, the prompt, and the output.
    ``score`` is 1 or 0 for a graded answer, real-valued where the task has no right answers (``correct`` is
    null then), and null for a failed request.
    """

    item_id: str
    index: int
    repeat: int
    segment: int
    phase: str
    t_sent: int
    t_end: int
    t_scheduled: int | None = None
    t_first: int | None = None
    t_first_answer: int | None = None
    session: str | None = None
    turn: int | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    completion_tokens: int | None = None
    token_source: str | None = None
    media_units: float | None = None
    finish_reason: str | None = None
    streamed: bool | None = None
    attempts: tuple[Attempt, ...] = ()
    verdict: Verdict | None = None
    correct: bool | None = None
    score: float | None = None
    rule: str | None = None
    span: tuple[int, int] | None = None
    answer_commitment: str | None = None
    engine_load_ns: int | None = None
    engine_prefill_ns: int | None = None
    engine_decode_ns: int | None = None
    suspect: tuple[str, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def t_begin(self) -> int:
        """When the first attempt was sent: from here on the item costs energy."""
        return min((attempt.t_sent for attempt in self.attempts), default=self.t_sent)

    @property
    def failed(self) -> bool:
        """Whether the request failed: its verdict says so, or, as a warm-up has none, its last try."""
        return self.verdict is Verdict.FAILED or bool(self.attempts and self.attempts[-1].error is not None)

    @property
    def n_tries(self) -> int:
        """How often it was tried. Meeting the closing of a kept connection is no try."""
        return sum(attempt.error != CLOSED for attempt in self.attempts)

    @property
    def key(self) -> tuple[str, int]:
        """What makes the row unique within a run."""
        return (self.item_id, self.repeat)


@dataclass(frozen=True, slots=True)
class LocalTexts:
    """The words of an item. They stay in the local journal and never enter a bundle.

    ``errors`` are what was said of the failed attempts, in their order; it may name hosts.
    """

    prompt: str
    answer: str
    reasoning: str
    value: str | None = None
    gold: str | None = None
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A line of ``items.jsonl``: the item, its chunks and, on this machine only, its texts."""

    item: Item
    chunks: tuple[Chunk, ...] = ()
    texts: LocalTexts | None = None
