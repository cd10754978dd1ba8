"""What physics and comparison need to know of a run: plain values, kept beside it as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import NoneType
from typing import Any, Literal, get_args, get_type_hints

Kind = Literal["measured", "replayed", "simulated"]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A submitted run. Null is what is not known; nothing here is 0 in its place.

    - ``digest`` names the bundle, ``signer`` is its public key. ``kind``: whether meters saw it, a recorded
      trace was played, or a simulation made it.
    - ``device`` and ``n_devices`` ran the model; ``meter_device`` is what the headline's meters call it,
      ``vram_mib`` and ``power_limit_w`` are those of one board as its driver told (the highest of several).
    - ``parameters``, ``active_parameters``, ``bits_per_weight``: see `joulemark.board.judging.weights`.
    - ``scope`` is the class of what was metered (``gpu``), ``n_scopes`` how many of it; the joules, watts
      and rates are of the whole run, all devices together, ``…_reason`` why there are no joules.
    - ``wall_energy_j`` is a wall meter's of the same windows, ``wall_residual_share`` how far it strays from
      a straight line through the headline's power.
    - ``low_power_w``, ``high_power_w``: of one meter's gauge; ``tail_power_w``: all together soon after the
      last answer; see `joulemark.board.judging.power_course`. ``idle_power_w`` is with the model loaded,
      ``empty_idle_power_w`` without, as calibrated.
    - ``sequence_tokens_per_s`` … ``repeated_share``: see `joulemark.board.judging.answer_times`.
    - ``answers`` is a sample of their lengths and verdicts (`joulemark.board.judging.fingerprint`).
    - ``n_wanted`` answers were asked for in all; ``was_stopped``: a rule ended the asking.
    """

    digest: str
    signer: str
    run_id: str
    kind: Kind
    state: str
    model: str
    quantization: str | None
    parameters: float | None
    active_parameters: float | None
    bits_per_weight: float | None
    engine: str
    engine_version: str | None
    prefix_cache: bool | None
    device: str | None
    n_devices: int | None
    meter_device: str | None
    vram_mib: int | None
    power_limit_w: float | None
    scope: str | None
    n_scopes: int | None
    tier: Literal["A", "B", "C"] | None
    task: str
    questions: str
    config_hash: str
    nonce: str | None
    load: str
    concurrency: int | None
    rate: float | None
    most_in_flight: int
    was_stopped: bool
    n_wanted: int | None
    n_items: int
    n_requests: int
    n_scored: int
    n_correct: int
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    duration_s: float | None
    energy_j: float | None
    energy_lo_j: float | None
    energy_hi_j: float | None
    energy_reason: str | None
    energy_source: str | None
    mean_power_w: float | None
    joules_per_token: float | None
    joules_per_request: float | None
    joules_per_correct: float | None
    drift_pct: float | None
    wall_energy_j: float | None
    wall_residual_share: float | None
    idle_power_w: float | None
    empty_idle_power_w: float | None
    n_power_readings: int | None
    n_power_levels: int | None
    low_power_w: float | None
    high_power_w: float | None
    tail_power_w: float | None
    tokens_per_second: float | None
    decode_tokens_per_second: float | None
    sequence_tokens_per_s: float | None
    sequence_steps_per_s: float | None
    fastest_tokens_per_s: float | None
    prompt_tokens_per_s: float | None
    steps: int | None
    tokens_over_pieces: float | None
    repeated_share: float | None
    answers: str | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values by field."""
        return asdict(self)


def facts_of_json(document: Mapping[str, Any]) -> RunFacts:
    """Return the facts of what `RunFacts.to_json` wrote.

    Raises ``ValueError`` for a field more or less, a value of another type, and a number that is not finite.
    """
    if not isinstance(document, Mapping):
        raise ValueError("facts are an object")
    allowed = _allowed()
    if document.keys() != allowed.keys():
        apart = sorted(map(str, document.keys() ^ allowed.keys()))
        raise ValueError(f"facts have other fields: {', '.join(apart)[:200]}")
    return RunFacts(**{name: _checked(name, document[name], kinds) for name, kinds in allowed.items()})


def _allowed() -> dict[str, tuple[Any, ...]]:
    hints = get_type_hints(RunFacts)
    return {one.name: get_args(hints[one.name]) or (hints[one.name],) for one in fields(RunFacts)}


def _checked(name: str, value: Any, kinds: tuple[Any, ...]) -> Any:
    words = [word for kind in kinds for word in get_args(kind)] or [w for w in kinds if isinstance(w, str)]
    types = {kind for kind in kinds if isinstance(kind, type)}
    if value is None and NoneType in types:
        return None
    if words:
        if value in words and isinstance(value, str):
            return value
    elif type(value) is int and float in types:
        return float(value)
    elif type(value) in types and not (isinstance(value, float) and not math.isfinite(value)):
        return value
    raise ValueError(f"{name} cannot be {str(value)[:40]!r}")
