"""Where an engine's program is, and free ports for it."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from joulemark.engines.launch.command import HOST
from joulemark.record.errors import InputError

_INSTALL = {
    "vllm": "pip install vllm (into the environment whose bin folder is on PATH)",
    "sglang": "pip install 'sglang[all]' beside joulemark",
    "llama-server": "build llama.cpp, or install it from a package",
}


def split_command(text: str, option: str) -> tuple[str, ...]:
    """Return the words of a command that a user wrote; raises `InputError` for none or an open quote."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"{option} {text!r} cannot be read", why=str(error)) from error
    if not words:
        raise InputError(f"{option} names no program")
    return words


def find_program(kind: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the words with the first one's place on ``PATH``; raises `InputError` where there is none."""
    fix = f"{_INSTALL.get(kind, f'install {kind}')}; or name it: --server-command '/path/to/{words[0]} …'"
    found = shutil.which(words[0])
    if found is None:
        raise InputError(f"{kind} cannot be started", why=f"there is no {words[0]!r} on PATH", fix=fix)
    if words[0] == sys.executable and words[1:2] == ("-m",):
        package = words[2].partition(".")[0]
        if importlib.util.find_spec(package) is None:
            raise InputError(
                f"{kind} cannot be started", why=f"{sys.executable} has no package {package}", fix=fix
            )
    return (str(Path(found)), *words[1:])


def free_port() -> int:
    """Return a port of this machine's loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
