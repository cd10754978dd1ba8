"""Which environments have passed the self-test, by this version: remembered, for it takes a minute."""

from __future__ import annotations

import contextlib
from pathlib import Path

import orjson

from joulemark import __version__
from joulemark.files.atomic import write_whole
from joulemark.files.homes import cache_home


def _file(environment_id: str) -> Path:
    return cache_home() / "code-selftest" / f"{environment_id}.json"


def remember(environment_id: str, *, passed: bool) -> None:
    """Keep the result of a self-test. Where it cannot be kept the test is made again, and nothing is lost."""
    document = orjson.dumps({"version": __version__, "passed": passed})
    with contextlib.suppress(OSError):
        write_whole(_file(environment_id), document, make_folder=True)


def has_passed(environment_id: str) -> bool | None:
    """Return whether an environment passed, null where it was not tried by this version."""
    try:
        said = orjson.loads(_file(environment_id).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    if not isinstance(said, dict) or said.get("version") != __version__:
        return None
    return said.get("passed") is True
