"""Which models a user means by a name: the whole one, its last part, or words of it."""

from __future__ import annotations

import re
from collections.abc import Iterable


def matching_models(wanted: str, models: Iterable[str]) -> list[str]:
    """Return the models that ``wanted`` names, by the first way that finds any.

    The same name (letter case aside); the same last part (``ORG/NAME``); all words of it among the name's
    words (``llama 3.1 8b`` for ``meta-llama/Meta-Llama-3.1-8B-Instruct``). Sorted, each once.
    """
    known = sorted(set(models))
    plain = wanted.strip().casefold()
    for same in (
        [model for model in known if model.casefold() == plain],
        [model for model in known if model.casefold().rpartition("/")[2] == plain],
    ):
        if same:
            return same
    words = _words(plain)
    return [model for model in known if words and words <= _words(model.casefold())]


def _words(name: str) -> set[str]:
    return {word for word in re.split(r"[^a-z0-9]+", name) if word}
