"""What the parent and the child process of a diffusion pipeline tell each other as it starts."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.engines.diffusion.options import MediaKind

GENERATE, FLUSH, DROP, HEALTH = "/v1/images/generations", "/media/flush", "/media/drop", "/health"
"""The pages of the child's server."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the parent asks for, as of `joulemark.engines.diffusion.options.DiffusionOptions`.

    ``api_key`` guards the port; ``keep_bytes`` 0: nothing that was made is kept.
    """

    parent_pid: int
    pipeline: str
    kind: MediaKind
    revision: str | None
    device: str | None
    dtype: str
    loader: str
    keep_bytes: int
    api_key: str


@dataclass(frozen=True, slots=True)
class Ready:
    """What the child says once it listens."""

    port: int
    version: str
    dtype: str
    flags: dict[str, str]
    digest: str | None
