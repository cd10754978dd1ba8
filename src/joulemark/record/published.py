"""What somebody else published: a row of figures without items, at the lowest trust."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

PUBLISHED_SCHEMA_VERSION = "1.0"

Unit = Literal["request", "image", "video"]
"""What joules of a configuration are of."""


class PublishedRow(BaseModel):
    """One configuration as it was published; nulls are what the source does not say.

    ``energy_j`` is per ``unit``, over all devices together, above zero as every latency is: nothing takes no
    energy and no time, so a published 0 is a null. ``latency_s`` maps a latency and its statistic
    (``tpot_mean``, ``e2el_mean``, ``itl_p99``, …) to seconds; ``tpot_definition`` says how ``tpot_…`` came
    about, for definitions differ. ``settings`` are the configuration's axes by our names (``max_batch``,
    ``tensor_parallel``, ``denoising_steps``, …). ``source`` names publication, file and revision, ``licence``
    that of the data.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    model: str
    device: str | None = None
    n_devices: int | None = None
    task: str
    unit: Unit
    energy_j: float | None = Field(default=None, gt=0)
    latency_s: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    tpot_definition: str | None = None
    tokens_per_second: float | None = None
    mean_completion_tokens: float | None = None
    mean_batch: float | None = None
    mean_power_w: float | None = None
    accuracy: float | None = None
    settings: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    source: str
    licence: str | None = None
    reasons: dict[str, str] = Field(default_factory=dict)


class PublishedRows(BaseModel):
    """The file of an import: rows of one source."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    schema_version: str = PUBLISHED_SCHEMA_VERSION
    source: str
    imported_utc: str
    rows: list[PublishedRow]
