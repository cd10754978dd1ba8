"""Formulas of definitions as MathML, which browsers typeset without a script."""

from __future__ import annotations

import re
from functools import cache

from latex2mathml.converter import convert
from markupsafe import Markup

_WORDS = re.compile(r"\\mathrm\{([A-Za-z]{2,}(?:\\,[A-Za-z]+)*)\}")


@cache
def mathml(latex: str, plain: str) -> Markup:
    """Return a formula as MathML, with ``plain`` for those who read without it.

    A word in roman type is one word, not a product of letters.
    """
    made = convert(_WORDS.sub(lambda m: rf"\text{{{m[1].replace(chr(92) + ',', ' ')}}}", latex))
    # made of our own definitions alone: nothing of a reader or submitter gets here
    return Markup(made.replace("<math ", Markup('<math aria-label="{}" ').format(plain), 1))
