"""A command line that starts one server, and what is known of it beforehand."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from joulemark.engines.launch.settings import LaunchSettings

HOST = "127.0.0.1"
VISIBLE = "CUDA_VISIBLE_DEVICES"
_ORDER = "CUDA_DEVICE_ORDER"
Role = Literal["server", "prefill", "decode", "router"]
Ports = Callable[[], int]
"""Gives a free port at each call."""


@dataclass(frozen=True, slots=True)
class Command:
    """One process to start.

    It is ready when ``health_path`` answers 200 at ``port``. ``env`` is set beside the environment.
    ``devices`` are those it gets, empty: all that the environment shows.
    """

    argv: tuple[str, ...]
    port: int
    role: Role = "server"
    env: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    health_path: str = "/health"

    def shown(self) -> str:
        """Return the line as it could be typed, with the ports that it was made for."""
        settings = [f"{name}={shlex.quote(value)}" for name, value in sorted(self.env.items())]
        return " ".join([*settings, shlex.join(self.argv)])


class Launcher(Protocol):
    """Knows how one kind of engine is started."""

    @property
    def kind(self) -> str:
        """The name by which a user asks for it."""
        ...

    @property
    def program(self) -> tuple[str, ...]:
        """How its program is usually called; the first word is looked for on ``PATH``."""
        ...

    def commands(
        self,
        settings: LaunchSettings,
        program: Sequence[str],
        ports: Ports,
        router: Sequence[str] | None = None,
    ) -> tuple[Command, ...]:
        """Return the command lines; the last one is that which answers requests.

        ``program`` are the first words of each, ``router`` those of the proxy before split instances. Raises
        `CannotLaunch` for what the engine cannot do, with the reason.
        """
        ...


def on_devices(devices: Sequence[str]) -> dict[str, str]:
    """Return the environment that shows a process these devices alone; empty for none named.

    They are numbered as the driver and the meters number them, which is not CUDA's own order.
    """
    return {VISIBLE: ",".join(devices), _ORDER: "PCI_BUS_ID"} if devices else {}
