"""Colours can be told from what they lie on, in light and dark."""

import re
from pathlib import Path

import pytest

import joulemark.report
from joulemark.report.theme import VERDICTS

STYLE = (Path(joulemark.report.__file__).parent / "page_style.css.jinja").read_text()


def _colours(block):
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


LIGHT = _colours(STYLE.split("@media")[0])
DARK = LIGHT | _colours(STYLE.split("prefers-color-scheme: dark")[1].split("* {")[0])


def _luminance(colour):
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a, b):
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_and_marks_can_be_seen(colours):
    for ink in ("ink", "faint", "accent"):
        for paper in ("paper", "card", "mark"):
            assert _contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
    assert _contrast(colours["loud"], colours["loud-paper"]) >= 4.5
    for verdict in VERDICTS:
        assert _contrast(colours[verdict], colours["card"]) >= 3.0, verdict


def test_every_verdict_has_a_colour_of_its_own_in_both():
    for colours in (LIGHT, DARK):
        assert len({colours[verdict] for verdict in VERDICTS}) == len(VERDICTS)
    assert LIGHT["paper"] != DARK["paper"]


def test_contrast_is_that_of_the_guideline():
    assert _contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
