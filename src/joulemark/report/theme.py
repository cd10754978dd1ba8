"""How charts look, and how they become SVG text for a page.

Colours are CSS variables of the page, so that one drawing serves light and dark.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any, Literal

import altair as alt
import vl_convert

from joulemark.record.item import Verdict

WIDE_PX = 830
NARROW_PX = 250

FONT = "system-ui, sans-serif"
INK, FAINT, LINE, ACCENT = "var(--ink)", "var(--faint)", "var(--line)", "var(--accent)"
VERDICTS = [v.value for v in Verdict]
VERDICT_COLOURS = [f"var(--{name})" for name in VERDICTS]
VERDICT_SHAPES = ["circle", "cross", "square", "triangle-up", "diamond", "triangle-down"]

_CONFIG: dict[str, Any] = {
    "background": "transparent",
    # the viewer's font may be wider than the one the layout was measured with
    "padding": {"left": 12, "right": 16, "top": 4, "bottom": 4},
    "font": FONT,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": FAINT,
        "titleColor": FAINT,
        "gridColor": LINE,
        "domainColor": LINE,
        "tickColor": LINE,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {"labelColor": INK, "labelFontSize": 12},
    "text": {"color": INK, "fontSize": 12},
}
_XMLNS = re.compile(r'\sxmlns(:\w+)?="[^"]*"')
_SVG_OPEN = re.compile(r"<svg\b")


def verdict_colour(*, legend: bool, orient: Literal["top", "bottom"] = "top") -> alt.Color:
    """Return the colour channel by verdict, the same in every chart."""
    scale = alt.Scale(domain=VERDICTS, range=VERDICT_COLOURS)
    drawn = alt.Legend(title=None, orient=orient, columns=3) if legend else None
    return alt.Color("verdict:N", scale=scale, legend=drawn)


def rows(values: list[dict[str, Any]]) -> alt.InlineData:
    """Return plain rows as chart data."""
    return alt.InlineData(values)


def svg(chart: alt.TopLevelMixin, title: str, description: str) -> str:
    """Draw a chart as an SVG element for inlining, with a title and a description for screen readers.

    No script, no address: in HTML an inline SVG needs no namespace declarations.
    """
    spec = {**chart.to_dict(), "config": _CONFIG}
    drawn = vl_convert.vegalite_to_svg(spec, vl_version=_vega_lite_version(), allowed_base_urls=[])
    bare = _XMLNS.sub("", drawn)
    label = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    head, _, tail = bare.partition(">")
    return _SVG_OPEN.sub('<svg role="img"', head, count=1) + ">" + label + tail


def _vega_lite_version() -> str:
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
