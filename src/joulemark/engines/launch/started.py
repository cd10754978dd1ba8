"""How servers that were started here stand in the record: by their command, for their ports change."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.engines.exchange import Endpoint
from joulemark.engines.launch.command import HOST, Command
from joulemark.engines.published_name import published_name


@dataclass(frozen=True, slots=True)
class StartedEndpoint(Endpoint):
    """Where a server answers that was started here by a command ``line``.

    Its port is another one each time. Where an engine does not say which weights it holds, the line tells
    one server's model from another's, as an address does for servers that are not ours.
    """

    line: str = ""

    @property
    def origin(self) -> str:
        """Scheme, host and how it was started."""
        return f"{self.scheme}://{self.host} started by {self.line}"


def published_line(commands: Sequence[Command]) -> str:
    """Return the command lines of servers without ports, folders and the program's own place."""
    ports = {str(one.port) for one in commands}
    lines = []
    for command in commands:
        words = [published_name(word) for word in command.argv]
        lines.append(shlex.join("PORT" if word in ports else _without_port(word) for word in words))
    return " & ".join(lines)


def _without_port(word: str) -> str:
    """Return a URL of our own servers without its port."""
    return f"http://{HOST}:PORT" if word.startswith(f"http://{HOST}:") else word
