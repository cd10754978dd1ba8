"""A chart as a page shows it: markup, a title and notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from joulemark.report.theme import NARROW_PX, WIDE_PX, Picture, svg


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG markup, for wide and (where it does not fit) for narrow windows."""

    title: str
    wide: Markup
    narrow: Markup | None = None
    notes: tuple[str, ...] = ()


def drawn(
    draw: Callable[[int], Picture],
    title: str,
    words: str,
    *notes: str,
    wide_px: int = WIDE_PX,
    narrow_px: int | None = NARROW_PX,
) -> Drawing:
    """Draw a chart at both widths, in pixels; ``words`` tell a screen reader what is seen.

    Where ``narrow_px`` is null the one drawing serves every window. Empty notes are left out.
    """
    wide = Markup(svg(draw(wide_px), title, words))
    narrow = None if narrow_px is None else Markup(svg(draw(narrow_px), title, words))
    return Drawing(title, wide, narrow, tuple(note for note in notes if note))
