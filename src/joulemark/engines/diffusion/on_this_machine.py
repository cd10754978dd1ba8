"""Whether a pipeline can be loaded here, told before anything is fetched for it."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

from joulemark.record.errors import InputError

INSTALL = f"{sys.executable} -m pip install 'joulemark[diffusion]'"
_LIBRARIES = ("diffusers", "torch")
_OF_THE_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def require_loadable(pipeline: str) -> None:
    """Raise `InputError` where ``pipeline`` is neither a folder of one nor a repository's name, or where the
    libraries are missing that load it.
    """
    path = Path(pipeline)
    if path.is_dir():
        if not (path / "model_index.json").is_file():
            raise InputError(
                f"{pipeline} holds no pipeline",
                why="there is no model_index.json in it, which every pipeline of diffusers has",
                fix="name the folder that has it, or OWNER/NAME of the hub",
            )
    elif path.exists():
        raise InputError(
            f"{pipeline} is a file",
            why="a pipeline is a folder",
            fix="name a folder, or OWNER/NAME of the hub",
        )
    elif not _OF_THE_HUB.fullmatch(pipeline):
        raise InputError(
            f"there is no folder {pipeline}",
            why="nor is it the name of a repository of the hub, which is OWNER/NAME",
            fix="name a folder with a model_index.json, or OWNER/NAME",
        )
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise InputError(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed",
            why="a pipeline is loaded with diffusers on torch",
            fix=INSTALL,
        )
