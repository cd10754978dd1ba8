"""The many ways to write a sign, a space or a name, in LaTeX and in Unicode."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS = _words("sin cos tan cot sec csc ln log exp")

GREEK = _words(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho"
    " sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell"
)

SKIPPED = _words(
    "left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr displaystyle textstyle"
    " limits nolimits quad qquad space angle triangle overline bar vec hat widehat overrightarrow"
)
"""Commands that change how something looks, or say what kind of thing a name stands for."""

SPACES = frozenset(",;:! ~\n\t")
"""What a backslash makes a space of."""

TEXTS = _words(
    "text textrm textbf textit textsf texttt mbox mathrm mathbf mathit mathsf mathbb mathcal boldsymbol"
    " operatorname"
)

WRITTEN = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "cup": "∪", "le": "≤", "leq": "≤", "leqslant": "≤",
    "ge": "≥", "geq": "≥", "geqslant": "≥", "lt": "<", "gt": ">", "ne": "≠", "neq": "≠", "in": "∈",
    "pm": "±", "mp": "∓", "lbrace": "\\{", "rbrace": "\\}", "{": "\\{", "}": "\\}", "langle": "(",
    "rangle": ")", "lvert": "|", "rvert": "|", "vert": "|", "mid": "|", "|": "|", "\\": "\\\\",
    "lparen": "(", "rparen": ")", "lbrack": "[", "rbrack": "]", "prime": "'",
}  # fmt: skip
"""Signs that LaTeX has a command for."""

SIGNS = {
    "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⟨": "(", "⟩": ")", "〈": "(", "〉": ")",
}  # fmt: skip

NAMED = {"infty": "∞", "infinity": "∞", "emptyset": "∅", "varnothing": "∅", "pi": "π"}

JOINERS = frozenset({"and", "or", ",", ", and", ", or", "and/or"})
