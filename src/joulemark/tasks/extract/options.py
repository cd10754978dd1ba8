"""A choice made by the text of an option instead of its letter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.tasks.extract.number import WORD
from joulemark.tasks.extract.short import trimmed


@dataclass(frozen=True, slots=True)
class NamedOption:
    """The option whose text stands at ``[start, end)``."""

    letter: str
    start: int
    end: int


def named_option(text: str, start: int, end: int, options: Mapping[str, str]) -> NamedOption | None:
    """Return the one option whose text stands in ``text[start:end]`` as whole words; null for none or more.

    An option inside a longer one ("cell" in "cell wall") counts only where it also stands alone.
    """
    found: list[NamedOption] = []
    for letter, option in options.items():
        words = trimmed(option)
        if words:
            pattern = re.compile(rf"(?<!{WORD}){re.escape(words)}(?!{WORD})", re.IGNORECASE)
            found += [NamedOption(letter, *m.span()) for m in pattern.finditer(text, start, end)]
    longest: list[NamedOption] = []
    for option_place in sorted(found, key=lambda f: (f.start, f.start - f.end)):
        if not longest or option_place.end > longest[-1].end:
            longest.append(option_place)
    if len({f.letter for f in longest}) != 1:
        return None
    return longest[-1]


def option_at(text: str, start: int, options: Mapping[str, str]) -> str | None:
    """Return the letter of the longest option whose text begins at ``start``, as whole words."""
    longest: tuple[int, str] | None = None
    for letter, option in options.items():
        words = trimmed(option)
        end = start + len(words)
        is_here = words and text[start:end].casefold() == words.casefold()
        if is_here and not re.match(WORD, text[end : end + 1]) and (longest is None or end > longest[0]):
            longest = end, letter
    return longest[1] if longest else None
