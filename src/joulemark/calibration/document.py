"""What a calibration found: one document each, kept on this machine. Watts are means over a window."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from joulemark.record.manifest import WallFit

FORMAT: Literal["joulemark-calibration"] = "joulemark-calibration"
SCHEMA_VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class SourcePower(_Part):
    """Mean power that one source saw, with the meter's bound; ``device_hash`` is its device's salted hash."""

    source: str
    kind: str
    scope: str
    device_hash: str | None = None
    method: str
    mean_w: float
    lo_w: float
    hi_w: float


class Window(_Part):
    """Some time at one steady load.

    ``powers`` are those of the sources that gave one, ``reasons`` say why others did not, by source.
    ``foreign_cpu_share`` is the share (0 to 1) of all processors' time that other processes used, null where
    that cannot be seen. ``flags`` are sentences on what was not as it should be.
    """

    measured_utc: str
    duration_s: float
    settled: bool = True
    powers: list[SourcePower] = Field(default_factory=list)
    foreign_cpu_share: float | None = None
    flags: list[str] = Field(default_factory=list)
    reasons: dict[str, str] = Field(default_factory=dict)


class LoadPoint(Window):
    """A window in which the engine was asked.

    ``duty`` is the share of time that was meant to be busy, ``utilisation`` the share in which a request was
    in flight. ``tokens_per_s``: output tokens, null with ``tokens_per_s`` among the reasons.
    """

    concurrency: int
    duty: float
    utilisation: float
    tokens_per_s: float | None = None


class CapPoint(LoadPoint):
    """A full load under a power limit: ``share`` of the ``base_w`` of each limited device, summed."""

    share: float
    limit_w: float
    joules_per_token: float | None = None
    joules_per_token_bound: tuple[float, float] | None = None


class EngineKey(_Part):
    """Which engine and model were resident; the endpoint counts where there is no digest of the weights."""

    kind: str
    version: str | None = None
    model: str
    model_digest: str | None = None
    endpoint_hash: str | None = None


class Calibration(_Part):
    """One calibration of this machine, with all that says whether it still holds.

    ``replayed``: among the meters was a recorded trace, whose watts are none of this machine's.
    ``device_sources`` are those of the part that runs the model; ``limits_w`` the power limits in force
    (scope: watts), ``drivers`` the boards' drivers. ``empty``/``loaded``: idle without and with the model,
    null with a reason. ``wall_sources`` are the devices under ``wall_fit``.
    """

    format: Literal["joulemark-calibration"] = FORMAT
    schema_version: int = SCHEMA_VERSION
    id: str
    created_utc: str
    joulemark_version: str
    host_hash: str
    replayed: bool = False
    engine: EngineKey | None = None
    device_sources: list[str] = Field(default_factory=list)
    limits_w: dict[str, float] = Field(default_factory=dict)
    drivers: dict[str, str] = Field(default_factory=dict)
    empty: Window | None = None
    loaded: Window | None = None
    curve: list[LoadPoint] = Field(default_factory=list)
    caps: list[CapPoint] = Field(default_factory=list)
    wall_fit: WallFit | None = None
    wall_sources: list[SourcePower] = Field(default_factory=list)
    flags: list[str] = Field(default_factory=list)
    reasons: dict[str, str] = Field(default_factory=dict)
