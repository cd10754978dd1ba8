"""What a run counts for: its suite, and whether it may be ranked."""

from __future__ import annotations

from joulemark.record.manifest import Manifest
from joulemark.report.wording import printable

_UNTOLD = "no reason was recorded"
_CANARY = "a canary task warns that something is off and tells nothing of a model"


def standing(manifest: Manifest, *, is_answered: bool = True) -> str:
    """Return the suite, where there is one, and whether the run may enter a ranking of models, and why.

    ``is_answered``: whether anything was; nothing is ranked by no answers.
    """
    said = printable(manifest.standing).rstrip(".")
    if not is_answered:
        told = "not ranked: nothing was answered"
    elif manifest.task.is_canary:
        told = f"not ranked: {_CANARY}"
    elif manifest.may_rank:
        told = ": ".join(filter(None, ("may be ranked", _rest(said, "ranked"))))
    else:
        told = f"not ranked: {_rest(said, 'not ranked') or _UNTOLD}"
    if manifest.suite:
        return f"Suite {printable(manifest.suite)} · {told}"
    return told[0].upper() + told[1:]


def _rest(said: str, prefix: str) -> str:
    """Return what a sentence says beyond its first words."""
    return said.removeprefix(prefix).lstrip(": ")
