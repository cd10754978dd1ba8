"""What a metric is: name, unit, formula, inputs, when it is withheld, where the formula is from."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIGNS = {
    r"\sum": "Σ",
    r"\pm": "±",
    r"\sqrt": "√",
    r"\bar": "mean ",
    r"\hat": "predicted ",
    r"\cdot": "·",
    r"\alpha": "α",
    r"\beta": "β",
    r"\,": " ",
    r"\ ": " ",
}
_STYLED = re.compile(r"\\(?:mathrm|text)\{([^{}]*)\}")
_FRACTION = re.compile(r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}")
_GROUP = re.compile(r"([_^√])\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """The one place of a formula; documentation and tooltips are made from it.

    ``inputs`` are field names of the record, ``withheld_when`` the cases in which the figure is null,
    ``source`` says who defined it. ``title`` is what a table calls it.
    """

    name: str
    title: str
    unit: str
    latex: str
    inputs: tuple[str, ...]
    withheld_when: tuple[str, ...]
    source: str

    @property
    def formula(self) -> str:
        """The formula in plain characters, made from ``latex``, for places that cannot typeset."""
        text = _FRACTION.sub(r"(\1) / (\2)", self.latex)
        for sign, plain in _SIGNS.items():
            text = text.replace(sign, plain)
        text = _GROUP.sub(lambda m: m[1] + (f"({m[2]})" if m[1] == "√" else m[2]), _STYLED.sub(r"\1", text))
        return " ".join(text.replace("_ ", "_").split())

    def tooltip(self) -> str:
        """Return the definition in one paragraph of plain text."""
        parts = [f"{self.title} [{self.unit}]: {self.formula}.", f"From {', '.join(self.inputs)}."]
        if self.withheld_when:
            parts.append(f"Withheld when {'; when '.join(self.withheld_when)}.")
        parts.append(f"Source: {self.source}.")
        return " ".join(parts)
