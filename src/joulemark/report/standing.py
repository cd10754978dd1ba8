"""What a run counts for: its suite, and whether it may be ranked."""

from __future__ import annotations

from joulemark.record.manifest import Manifest
from joulemark.report.wording import printable

_UNTOLD = "only runs of a suite are"


def standing(manifest: Manifest) -> str:
    """Return the suite and whether the run may enter a ranking of models, with the reason."""
    said = printable(manifest.standing).rstrip(".")
    if manifest.may_rank:
        word = f"may be ranked{_rest(said, 'ranked', ' ')}"
    else:
        word = f"not ranked{_rest(said or _UNTOLD, 'not ranked', ': ')}"
    suite = f"Suite {printable(manifest.suite)}" if manifest.suite else "No suite"
    canary = ["a canary task: it warns that something is off and tells nothing of a model"]
    return " · ".join([suite, word, *(canary if manifest.task.is_canary else [])])


def _rest(said: str, prefix: str, glue: str) -> str:
    """Return what a sentence says beyond its first words, glued on."""
    rest = said.removeprefix(prefix).lstrip(": ")
    return f"{glue}{rest}" if rest else ""
