"""One way to write an answer: what is stored of a reply, and what is compared where nothing else can be."""

from __future__ import annotations

import re

from joulemark.tasks.extract.number import canonical
from joulemark.tasks.extract.visible import folded
from joulemark.tasks.scorers.algebra.compare import readings
from joulemark.tasks.scorers.algebra.evaluate import evaluate
from joulemark.tasks.scorers.algebra.quantity import Undefined
from joulemark.tasks.scorers.algebra.tree import names

# Where each of these stands, only the look of the formula changes.
_REWRITTEN = (
    (re.compile(r"\\(?:left|right|middle|[bB]igg?[lr]?)(?![a-zA-Z])\s?\.?"), ""),
    (re.compile(r"\\(?:displaystyle|textstyle|limits)(?![a-zA-Z])|\\!"), ""),
    (re.compile(r"\\(?:[,;: ]|q?quad(?![a-zA-Z]))|~|\s"), " "),
    (re.compile(r"\\[dtc]frac(?![a-zA-Z])"), r"\\frac"),
    (
        re.compile(r"\\(?:text(?:rm|bf|it|sf|tt)?|mbox|mathrm|mathbf|mathit|operatorname)\s?\{([^{}]*)\}"),
        r" \1 ",
    ),
    (re.compile(r"\^\s?\{?\s?\\circ\s?\}?|\\degree(?![a-zA-Z])"), "°"),
    (re.compile(r"\\([$%])"), r"\1"),
)
_EDGES = " .,;:"


def tidy(text: str) -> str:
    """Return ``text`` without what only changes the look of a formula, its spaces single."""
    text = folded(text)
    for pattern, replacement in _REWRITTEN:
        text = pattern.sub(replacement, text)
    text = " ".join(text.split()).strip(_EDGES)
    while len(text) > 2 and text[0] == text[-1] == "$":
        text = text[1:-1].strip(_EDGES)
    return text


def squashed(text: str) -> str:
    """Return the form in which answers are compared as texts: tidy, without spaces."""
    return "".join(tidy(text).split())


def canonical_form(text: str) -> str:
    """Return the one way to write a rational number, and other answers tidily."""
    for answer in readings(text)[:1]:
        if not answer.units and not names(answer.node):
            try:
                value = evaluate(answer.node, {})
            except Undefined:
                break
            if value.is_exact and not value.im:
                return canonical(value.re)
    return tidy(text)
