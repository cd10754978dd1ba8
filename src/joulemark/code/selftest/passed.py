"""Which environments have passed the self-test, as it is: remembered, for it takes a minute."""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from importlib import resources
from pathlib import Path

import orjson

from joulemark.files.atomic import write_whole
from joulemark.files.homes import cache_home

_PARTS = (
    *("code/inside", "code/contain", "code/grading", "code/measuring", "code/selftest"),
    *("code/selftest/programs", "metrics/code"),
)


@cache
def _tested() -> str:
    """Return a digest of all that a pass stands for: containment, grading, figures and the cases."""
    digest = hashlib.sha256()
    for part in _PARTS:
        for file in sorted((resources.files("joulemark") / part).iterdir(), key=lambda one: one.name):
            if file.name.endswith((".py", ".txt")):
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _file(environment_id: str) -> Path:
    return cache_home() / "code-selftest" / f"{environment_id}.json"


def remember(environment_id: str, *, passed: bool) -> None:
    """Keep the result of a self-test. Where it cannot be kept the test is made again, and nothing is lost."""
    document = orjson.dumps({"tested": _tested(), "passed": passed})
    with contextlib.suppress(OSError):
        write_whole(_file(environment_id), document, make_folder=True)


def has_passed(environment_id: str) -> bool | None:
    """Return whether an environment passed, null where it was not tried with these cases."""
    try:
        said = orjson.loads(_file(environment_id).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    if not isinstance(said, dict) or said.get("tested") != _tested():
        return None
    return said.get("passed") is True
