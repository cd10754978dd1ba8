"""Whether the answers to chosen items may be read like those to a plain sample while a run is on."""

from __future__ import annotations

from pathlib import Path

import orjson

from joulemark.frugal.prior.choice import KIND, read_choice
from joulemark.record.errors import InputError


def require_plain_draw(path: Path) -> None:
    """Raise `InputError` for a choice of items whose plain mean is not the task's.

    A list of ids passes, and so does a choice that is plain or in proportion to its strata: each item had
    the same chance there. By Neyman's allocation doubtful items have a larger one, and anchors have none.
    """
    if not _is_choice(path):
        return
    choice = read_choice(path)
    if choice.method == "random" or (choice.method == "strata" and choice.allocation == "proportional"):
        return
    how = (
        "anchor points, which nothing drew at random"
        if choice.method == "anchors"
        else "drawn by Neyman's allocation, more of them where models are in doubt"
    )
    raise InputError(
        f"--stop cannot go with the items of {path.name}",
        why=f"they are {how}: what it looks at, the plain share of right answers, is not the task's",
        fix=f"leave --stop out and ask all of them: joulemark frugal estimate RUN --choice {path.name};"
        " or choose with --allocation proportional",
    )


def _is_choice(path: Path) -> bool:
    try:
        document = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("kind") == KIND
