"""How charts look, and how they become SVG text for a page.

Colours are CSS variables of the page, so that one drawing serves light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

import altair as alt
import vl_convert

from joulemark.metrics.accuracy import VERDICT_NAMES, verdict_of
from joulemark.record.item import Item

WIDE_PX = 830
NARROW_PX = 250

FONT = "system-ui, sans-serif"
INK, FAINT, LINE, ACCENT = "var(--ink)", "var(--faint)", "var(--line)", "var(--accent)"
_LEGEND_ENTRY_PX = 95  # a symbol and the longest verdict
VERDICTS = list(VERDICT_NAMES)
_SHAPES = [
    "circle",
    "cross",
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "triangle-right",
    "stroke",
]

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
    "legend": {
        "labelColor": INK,
        "labelFontSize": 12,
        "titleColor": INK,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "text": {"color": INK, "fontSize": 12},
}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_XMLNS = re.compile(r'\sxmlns(:\w+)?="[^"]*"')
_SVG_OPEN = re.compile(r"<svg\b")


def verdict_name(item: Item) -> str:
    """Return an item's verdict as charts and tables call it."""
    return verdict_of(item)


def _in_order(present: Iterable[str]) -> list[str]:
    found = set(present)
    return [name for name in VERDICTS if name in found]


def _columns(width: int) -> int:
    return max(2, width // _LEGEND_ENTRY_PX)


def verdict_colour(
    present: Iterable[str],
    width: int,
    *,
    legend: bool = True,
    orient: Literal["top", "bottom"] = "top",
) -> alt.Color:
    """Return the colour channel by verdict, the same in every chart; the legend holds those ``present``.

    ``width`` is the chart's in pixels.
    """
    names = _in_order(present)
    scale = alt.Scale(domain=names, range=[f"var(--{name})" for name in names])
    # a legend shared with faint marks would take their opacity
    shown = alt.Legend(title=None, orient=orient, columns=_columns(width), symbolOpacity=1)
    drawn = shown if legend else None
    return alt.Color("verdict:N", scale=scale, legend=drawn)


def verdict_shape(present: Iterable[str], width: int) -> alt.Shape:
    """Return the shape channel by verdict, so that nothing rests on colour alone."""
    names = _in_order(present)
    scale = alt.Scale(domain=names, range=[_SHAPES[VERDICTS.index(name)] for name in names])
    return alt.Shape(
        "verdict:N", scale=scale, legend=alt.Legend(title=None, orient="top", columns=_columns(width))
    )


Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart and its data by name; inside the chart, every row would be copied and checked."""

    chart: alt.TopLevelMixin
    data: dict[str, Rows]


def named(name: str) -> alt.NamedData:
    """Return the reference by which a chart names rows of its `Picture`."""
    return alt.NamedData(name)


def svg(picture: Picture, title: str, description: str) -> str:
    """Draw a picture as an SVG element for inlining, with a title and a description for screen readers.

    No script, no address: in HTML an inline SVG needs no namespace declarations.
    """
    # checking a chart against the grammar takes as long as drawing it; the tests do that
    described = picture.chart.to_dict(validate=False)
    spec = {**described, "datasets": picture.data, "config": _CONFIG}
    drawn = vl_convert.vegalite_to_svg(_drawable(spec), vl_version=_vega_lite_version(), allowed_base_urls=[])
    bare = _XMLNS.sub("", drawn)
    label = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    head, _, tail = bare.partition(">")
    return _SVG_OPEN.sub('<svg role="img"', head, count=1) + ">" + label + tail


def _drawable(part: Any) -> Any:
    """Return a specification without the characters that XML has not: one of them ends the whole process."""
    if isinstance(part, str):
        return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", part)
    if isinstance(part, dict):
        return {_drawable(name): _drawable(value) for name, value in part.items()}
    return [_drawable(value) for value in part] if isinstance(part, list | tuple) else part


def _vega_lite_version() -> str:
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
