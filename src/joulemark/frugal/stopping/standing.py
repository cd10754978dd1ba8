"""How a target stands after so many questions, and that in words."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.frugal.target import Column, Decision, Precision, Target


@dataclass(frozen=True, slots=True)
class Standing:
    """``figure`` with the interval ``lo`` to ``hi`` (``half_width`` to either side), null where not known.

    ``more``: about how many more questions it takes, null where that cannot be told. ``why`` says why a
    figure is not known.
    """

    target: Target
    met: bool = False
    figure: float | None = None
    half_width: float | None = None
    lo: float | None = None
    hi: float | None = None
    more: int | None = None
    why: str = ""

    @property
    def told(self) -> str:
        """The standing in one clause."""
        name = self.target.quantity.name
        if self.figure is None:
            return f"{name}: not known yet ({self.why})"
        if isinstance(self.target, Precision):
            held = f"{name} {_figure(self.figure, self.target)} ±{self._width()}"
            held += f", target ±{self.target.width_text}"
        else:
            sign = ">" if self.target.above else "<"
            held = f"{name} {self.figure:.3g}, certainly within {self.lo:.3g} and {self.hi:.3g}, "
            held += f"target {sign} {self.target.threshold:g}"
        if self.met:
            return f"{held}: {self._decided(self.target) if isinstance(self.target, Decision) else 'met'}"
        return held if self.more is None else f"{held}: about {self.more:,} more"

    def _width(self) -> str:
        assert isinstance(self.target, Precision)
        half, figure = self.half_width or 0.0, self.figure or 0.0
        if self.target.relative:
            return f"{100 * half / abs(figure):.3g}%" if figure else "?"
        if self.target.quantity.column is Column.CORRECT:
            return f"{100 * half:.3g}pp"
        unit = self.target.quantity.unit
        return f"{half:.3g}{'' if unit == '1' else unit}"

    def _decided(self, target: Decision) -> str:
        lo = self.lo or 0.0
        holds = lo > target.threshold if target.above else lo < target.threshold
        return "so it is" if holds else "it is not"


def _figure(figure: float, target: Target) -> str:
    unit = target.quantity.unit
    return f"{figure:.3f}" if unit == "1" else f"{figure:.4g} {unit}"
