"""The manifest of a run: what was asked for, on what, and when. Field names are contract."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo
from joulemark.record.window_name import WindowName

SCHEMA_VERSION = "1.0"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Segment(_Part):
    """A stretch of a run on one host and one clock. ``t0``/``t1`` are monotonic ns of that clock.

    ``wall_anchor_ns`` is UTC nanoseconds at ``t0``. ``t1`` is null while running and after a kill.
    """

    index: int
    boot_id: str | None
    host_hash: str
    engine_pid: int | None = None
    engine_local: bool | None = None
    joulemark_version: str | None = None
    wall_anchor_ns: int
    t0: int
    t1: int | None = None
    end: Literal["running", "done", "interrupted", "killed", "stopped", "failed"] = "running"


class Host(_Part):
    """The machine, without anything that names it to others."""

    os: str
    kernel: str | None = None
    cpu_model: str | None = None
    cpu_count: int | None = None
    ram_mib: int | None = None
    virtualization: str | None = None
    governor: str | None = None
    python: str
    reasons: dict[str, str] = Field(default_factory=dict)


class Device(_Part):
    """An accelerator board seen by a meter in one segment; ``why`` says in words what could not be seen."""

    segment: int
    uuid_hash: str
    name: str | None
    vram_mib: int | None = None
    driver: str | None = None
    power_limit_w: float | None = None
    scope: str
    engine_on_device: bool | None = None
    declared: bool = False
    other_processes: list[str] = Field(default_factory=list)
    why: str = ""
    reasons: dict[str, str] = Field(default_factory=dict)


class Engine(_Part):
    """Who answered. Every null has its entry in ``reasons``."""

    kind: str
    version: str | None = None
    model: str
    model_digest: str | None = None
    quantization: str | None = None
    flags: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    prefix_cache: bool | None = None
    pid: int | None = None
    local: bool | None = None
    endpoint_hash: str | None = None
    reasons: dict[str, str] = Field(default_factory=dict)


def drawn_from(n_items: int, n_whole: int | None, subset_key: str | None, *, is_listed: bool) -> int:
    """Return how many questions ``n_items`` of ``n_whole`` are a random part of; at least themselves."""
    is_random = subset_key is not None and not is_listed
    return n_whole if is_random and n_whole is not None else n_items


class Task(_Part):
    """What was asked.

    ``source`` says where the items came from: ``built in``, ``file``, or ``hub:OWNER/NAME@COMMIT``;
    ``revision`` is the digest of their bytes, ``items_hash`` that of what is asked (ids, options, golds).
    ``score_range`` is that of a real-valued score, null where answers are correct or not. ``is_listed``: a
    list named which items were asked, so they stand for no others. ``n_whole``: how many questions the split
    has, of which a limit or a list left ``n_items``; null of requests that were made up, of prompts, and of
    runs before there was this field. No part of the configuration.
    """

    name: str
    revision: str
    items_hash: str | None = None
    source: str | None = None
    preset: str = "default"
    score_range: tuple[float, float] | None = None
    split: str = "test"
    n_items: int
    n_shot: int = 0
    template_hash: str
    subset_key: str | None = None
    budget_hash: str | None = None
    nonce: str | None = None
    is_canary: bool = False
    is_listed: bool = False
    n_whole: int | None = None

    @property
    def n_drawn_from(self) -> int:
        """How many questions those of the run are a random part of: of a list these themselves."""
        return drawn_from(self.n_items, self.n_whole, self.subset_key, is_listed=self.is_listed)


class Sampling(_Part):
    """How answers were drawn."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    max_tokens: int


class Load(_Part):
    """How it was asked.

    ``sequential``: one request at a time; ``closed``: ``concurrency`` requests in flight; ``open``: requests
    are sent when ``arrival`` says so, whatever is still unanswered; ``trace``: when a recorded trace says so.
    For the last two ``concurrency`` is the most that may be in flight, null where there is no such cap.

    ``rate`` is the mean in requests a second; ``burstiness`` the shape of the gamma distributed gaps (1 is
    Poisson, below 1 is burstier); ``seed`` draws them. ``trace`` is the file's name and digest,
    ``trace_speed`` how many times faster than recorded it is replayed. ``ramp_s``: the load rises linearly
    from nothing over so many seconds. ``n_requests`` are asked in all, the questions again and again where
    there are fewer; ``lead_requests`` of them come first and do not count: they bring the load up, and the
    counted ones follow without a pause.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    mode: Literal["sequential", "closed", "open", "trace"] = "sequential"
    concurrency: int | None = 1
    arrival: Literal["constant", "poisson", "gamma", "at_once"] | None = None
    rate: float | None = None
    burstiness: float | None = None
    seed: int | None = None
    trace: str | None = None
    trace_speed: float | None = None
    ramp_s: float | None = None
    n_requests: int | None = None
    lead_requests: int = 0


class Meter(_Part):
    """A source that was read in one segment, what it covers, and how far it was believed there."""

    segment: int
    source: SourceInfo
    scope: str
    qualification: Qualification

    @classmethod
    def of(cls, qualified: QualifiedSource, segment: int) -> Meter:
        """Make the manifest's entry of a source that was qualified for a segment."""
        return cls(
            segment=segment,
            source=qualified.info,
            scope=str(qualified.info.scope),
            qualification=qualified.qualification,
        )

    @property
    def qualified(self) -> QualifiedSource:
        """The source with its test, as the arithmetic wants it."""
        return QualifiedSource(self.source, self.qualification)


class SilentMeter(_Part):
    """A meter that was on file and gave nothing in one segment; ``why`` in words, without its address."""

    segment: int
    name: str
    why: str


class WallFit(_Part):
    """Wall power as a plane over what the device meters see: ``wall = a + b × GPU + c × CPU`` (watts).

    ``terms`` names the coefficients in order: ``base``, then scope classes (``gpu``, ``package``, ``soc``).
    ``covariance`` is theirs. ``residual_sd_w`` is that of single points with ``n_points`` - terms degrees of
    freedom; ``lowest_w`` and ``highest_w`` hold, a scope class, the range that was seen. ``wall_source`` is
    the kind of the meter it was fitted against.
    """

    terms: list[str]
    coefficients: list[float]
    covariance: list[list[float]]
    residual_sd_w: float
    n_points: int
    lowest_w: dict[str, float]
    highest_w: dict[str, float]
    wall_source: str
    measured_utc: str


class Baselines(_Part):
    """Idle power of the headline's scope in watts, each with its reason where it is not on file.

    Taken from the last calibration of this machine (for ``loaded_idle_w``: with this engine and model) that
    was on file when the run began. ``…_bound_w`` are the meter's bounds, ``scope`` what was metered.
    """

    empty_idle_w: float | None = None
    empty_idle_bound_w: tuple[float, float] | None = None
    loaded_idle_w: float | None = None
    loaded_idle_bound_w: tuple[float, float] | None = None
    scope: str | None = None
    empty_measured_utc: str | None = None
    loaded_measured_utc: str | None = None
    wall_fit: WallFit | None = None
    reasons: dict[str, str] = Field(default_factory=dict)


class RateStep(_Part):
    """A rate that holds from ``from_utc`` (ISO 8601) until the next step; ``to_utc`` ends the last one."""

    from_utc: str
    to_utc: str
    rate: float


class Rates(_Part):
    """What a unit of energy or of tokens costs: declared by the user or taken from a dated table.

    No part of a configuration's identity: figures of money and carbon can be made again with other rates.
    ``…_source`` says who says so and when. ``pue``: what the building adds, 1.0 unless declared.
    ``grid_series`` and ``tariff`` are rates that change with the time of day, as far as they concern the run;
    where they are given the single rate beside them is null. ``embodied_kgco2e`` over ``lifetime_years`` of
    use is what making the machine emitted: a line of its own, never added to what its electricity emits.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    usd_per_kwh: float | None = None
    usd_per_million_prompt_tokens: float | None = None
    usd_per_million_completion_tokens: float | None = None
    electricity_source: str | None = None
    token_price_source: str | None = None
    gco2e_per_kwh: float | None = None
    grid_zone: str | None = None
    grid_source: str | None = None
    grid_series: list[RateStep] = Field(default_factory=list)
    tariff: list[RateStep] = Field(default_factory=list)
    embodied_kgco2e: float | None = None
    lifetime_years: float | None = None
    embodied_source: str | None = None
    pue: float = 1.0


class Window(_Part):
    """A stretch of one segment and what it was for."""

    name: WindowName
    segment: int
    t0: int
    t1: int | None = None


class ClientProof(_Part):
    """Whether the measuring client itself kept up; ``invalid`` holds reason codes."""

    segment: int
    cpu_share: float | None = None
    loop_lag_p99_s: float | None = None
    cpu_seconds: float | None = None
    late_sends: int = 0
    max_chunks_per_s: float | None = None
    reasons: dict[str, str] = Field(default_factory=dict)
    invalid: list[str] = Field(default_factory=list)


class Stopped(_Part):
    """How a rule ended the asking: ``at`` so many questions every target was met, in ``segment``.

    ``asked`` questions were asked then, those that were in flight included, ``of`` how many there are.
    ``binding`` are the targets that were met last.
    """

    at: int
    asked: int
    of: int
    segment: int
    binding: list[str]


class StopFacts(_Part):
    """What was to end the asking early: all ``targets`` met together. No part of the configuration.

    Looked at after ``least`` questions and then after every ``every`` of them; with a ``growth`` (looks that
    read the meters) after at least that share more, and half of what a target still seems to lack.
    ``told``: what each target had come to at the last look, in words, ``looked_at`` after how many questions.
    ``named_at``: how many questions had been asked when these targets were first named, by whoever could see
    the answers; null in runs of before it was written down.
    ``stopped`` is null where everything was asked, or is to be.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    targets: list[str]
    least: int
    every: int
    growth: float = 0.0
    told: list[str] = Field(default_factory=list)
    looked_at: int | None = None
    named_at: int | None = None
    stopped: Stopped | None = None


class Manifest(_Part):
    """A run as it was requested and as it went.

    ``limits_s``: how long a request may take, by ``ttft``, ``tpot`` and ``e2el``, where limits were given; no
    part of the configuration.
    ``may_rank``: whether its figures may enter a ranking of models; ``standing`` says why, or why not.
    ``stop``: what was to end the asking early, null where nothing was; ``earlier_stops``: what did end it in
    earlier lives of the run, before it went on, in order.
    """

    schema_version: str = SCHEMA_VERSION
    run_id: str
    config_hash: str
    state: Literal["running", "partial", "complete"] = "running"
    created_utc: str
    joulemark_version: str
    segments: list[Segment] = Field(default_factory=list)
    host: Host
    devices: list[Device] = Field(default_factory=list)
    engine: Engine
    task: Task
    sampling: Sampling
    load: Load
    limits_s: dict[str, float] = Field(default_factory=dict)
    repeats: int = 1
    stop: StopFacts | None = None
    earlier_stops: list[StopFacts] = Field(default_factory=list)
    warmups: int = 1
    retries: int = 2
    timeout_s: float = 600.0
    suite: str | None = None
    may_rank: bool = False
    standing: str = ""
    rates: Rates = Field(default_factory=Rates)
    meters_requested: list[str] = Field(default_factory=list)
    boards: list[int] = Field(default_factory=list)
    meters: list[Meter] = Field(default_factory=list)
    silent_meters: list[SilentMeter] = Field(default_factory=list)
    baselines: Baselines = Field(default_factory=Baselines)
    headline_scope: list[str] | None = None
    measurement_tier: Literal["A", "B", "C"] | None = None
    windows: list[Window] = Field(default_factory=list)
    client: list[ClientProof] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    reasons: dict[str, str] = Field(default_factory=dict)
