"""The methodology page as text; it holds nothing of a submission, so that it is made once."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from joulemark.board.judging.rung import Rung
from joulemark.board.methodology.anchors import aliases
from joulemark.board.methodology.formula import mathml
from joulemark.board.methodology.schema_parts import parts
from joulemark.board.pages.environment import render
from joulemark.report.methodology import groups, preface


@cache
def methodology_page(root: str = "") -> str:
    """Return the page; ``root`` stands before its addresses."""
    known = aliases()
    sections = [
        (
            title,
            [(one, mathml(one.latex, one.formula), known.get(one.name, ())) for one in defined],
        )
        for title, defined in groups()
    ]
    return render(
        "methodology",
        root=root,
        path="/methodology",
        words=_html(preface()),
        rungs=list(Rung),
        sections=sections,
        parts=parts(),
    )


def _html(markdown: str) -> Markup:
    """Return our own Markdown as HTML; headings get an id to link to."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(markdown.replace("## The figures", ""))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = tokens[place + 1].content.lower()
            token.attrSet("id", "-".join("".join(c if c.isalnum() else " " for c in words).split()))
    made = reader.renderer.render(tokens, reader.options, {})
    return Markup(
        made.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    )
