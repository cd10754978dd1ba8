"""Text can be read in light and in dark: a contrast of 4.5 and more (WCAG 2.1, 1.4.3), computed."""

from __future__ import annotations

import re
from itertools import product

import pytest

from joulemark.board.pages.environment import STATIC

PAPERS = ("paper", "card", "mark")
INKS = ("ink", "faint", "accent")


def themes() -> dict[str, dict[str, str]]:
    css = (STATIC / "board.css").read_text()
    blocks = re.findall(r":root\s*\{([^}]*)\}", css)
    light = dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{6})", blocks[0]))
    dark = {**light, **dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{6})", blocks[1]))}
    return {"light": light, "dark": dark}


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out(theme: str) -> None:
    colours = themes()[theme]
    pairs = [*product(INKS, PAPERS), ("loud", "loud-paper"), ("paper", "accent")]
    low = {(ink, paper): round(contrast(colours[ink], colours[paper]), 2) for ink, paper in pairs}
    assert {pair: value for pair, value in low.items() if value < 4.5} == {}
