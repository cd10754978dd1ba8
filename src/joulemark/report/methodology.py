"""The methodology: a preface in words, and every definition; docs and the board's page share them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from joulemark.metrics.catalogue import (
    all_definitions,
    code_definitions,
    comparison_definitions,
    definitions,
    picking_definitions,
    recommendation_definitions,
)
from joulemark.metrics.definition import MetricDefinition
from joulemark.report.methodology_example import examples

_TABLE = "{table of three models}"
_MADE = (
    "# Methodology\n\nThis page is made by `python docs/generate.py` from the definitions in "
    "`src/joulemark/metrics`; edit those, or\n`src/joulemark/report/methodology.preface.md`, not this file."
    "\n\n"
)


@cache
def preface() -> str:
    """Return what stands before the definitions, as Markdown, its table filled in."""
    text = (files("joulemark.report") / "methodology.preface.md").read_text("utf-8")
    assert _TABLE in text
    return text.replace(_TABLE, _table())


def groups() -> tuple[tuple[str, tuple[MetricDefinition, ...]], ...]:
    """Return all definitions by what they are figures of, in the order of the page."""
    return (
        ("Figures of a run", definitions()),
        ("Figures of two runs", comparison_definitions()),
        ("Figures of an operating point and of a recommendation", recommendation_definitions()),
        ("Figures of a workload and of a pick", picking_definitions()),
        ("Figures of generated code", code_definitions()),
    )


def methodology() -> str:
    """Return the page of the documentation."""
    parts = [_MADE, preface().rstrip("\n").removesuffix("## The figures").rstrip(), "\n\n## The figures\n\n"]
    for definition in all_definitions():
        parts.append(f"### {definition.title}\n\n")
        parts.append(f"`{definition.name}`, in {definition.unit}: ${definition.latex}$\n\n")
        parts.append(f"- from: {', '.join(f'`{name}`' for name in definition.inputs)}\n")
        if definition.withheld_when:
            parts.append(f"- withheld when {'; when '.join(definition.withheld_when)}\n")
        parts.append(f"- source: {definition.source}\n\n")
    return "".join(parts).rstrip() + "\n"


def _table() -> str:
    lines = [
        "| model | accuracy | tokens an answer | J a token | J a request | J a correct answer |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for one in examples():
        figures = " | ".join(
            f"{value.value:,.4g}" for value in (one.per_token, one.per_request, one.per_correct)
        )
        lines.append(f"| {one.name} | {one.accuracy:.0%} | {one.tokens} | {figures} |")
    return "\n".join(lines)
