"""An engine that was found, and what was found instead of one."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundEngine:
    """An engine that answers at ``url``.

    ``models`` are the names on offer; ``pid`` and ``process`` are those of the listener, null where it is not
    of this machine or not to be seen. ``named_by`` is the variable of the environment that led there.
    ``near``: the address is this machine's or one of a private network.
    """

    url: str
    kind: str
    version: str | None
    models: tuple[str, ...]
    pid: int | None
    process: str | None
    named_by: str | None
    near: bool

    @property
    def command(self) -> str:
        """The command that measures it, with its first model where there are several."""
        model = f" --model {shlex.quote(self.models[0])}" if len(self.models) > 1 else ""
        return f"joulemark bench quick --engine {shlex.quote(self.url)}{model}"

    @property
    def title(self) -> str:
        """Kind, version and address in one line."""
        version = f" {self.version}" if self.version else ""
        return f"{self.kind}{version} at {self.url}"

    @property
    def port(self) -> int:
        """The port in ``url``."""
        match = re.search(r":(\d+)(?:/|$)", self.url)
        return int(match[1]) if match else 443 if self.url.startswith("https") else 80


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An address where something answered, or did not in time, that cannot be measured; ``why`` says more."""

    url: str
    why: str


@dataclass(frozen=True, slots=True)
class Search:
    """What a look around found. ``tried`` are all the addresses, in the order in which they were asked."""

    found: tuple[FoundEngine, ...]
    passed_over: tuple[PassedOver, ...]
    tried: tuple[str, ...]
