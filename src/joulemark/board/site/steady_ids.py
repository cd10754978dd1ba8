"""Names within drawings that depend on the page alone: the library counts through its whole process."""

from __future__ import annotations

import re

_DRAWN = re.compile(r'(?<=[#"])(clip|gradient|pattern)(\d+)(?=[")])')


def steady(page: str) -> str:
    """Return a page whose drawings number what they refer to from 1, in the order of the page."""
    numbers: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"{found[1]}{len(numbers) + 1}")

    return _DRAWN.sub(numbered, page)
