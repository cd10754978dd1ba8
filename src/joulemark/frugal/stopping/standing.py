"""How a target stands after so many questions, and that in words."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.frugal.target import Bound, Column, Precision, Target


@dataclass(frozen=True, slots=True)
class Standing:
    """``figure`` with its interval ``lo`` to ``hi``, null where not known; ``half_width`` is half its length.

    The interval of a share is not symmetric about it, and is told by its ends; a mean's is.

    ``halves``: the figure of the first half of what was asked and of the second, where they differ by more
    than their error allows; null where they do not. ``change``: by which part of it the figure rose or fell
    steadily from the first answer to the last; null where it did not, or by too little for the target.
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
    halves: tuple[float, float] | None = None
    change: float | None = None

    @property
    def told(self) -> str:
        """The standing in one clause."""
        name = self.target.quantity.name
        if self.figure is None:
            return f"{name}: not known yet ({self.why})"
        if isinstance(self.target, Precision):
            held = f"{name} {self._known()}, target ±{self.target.width_text}"
        else:
            sign = ">" if self.target.above else "<"
            held = f"{name} {self.figure:.3f}, within {self.lo:.3g} and {self.hi:.3g} at any look, "
            held += f"target {sign} {self.target.threshold:g}"
        if self.met:
            return f"{held}: {self._decided(self.target) if isinstance(self.target, Bound) else 'met'}"
        if self.halves is not None:
            first, second = (_figure(one, self.target) for one in self.halves)
            held += f", not believed while its halves differ ({first} in the first, {second} in the second)"
        if self.change is not None:
            held += f", not believed while it drifts (about {100 * self.change:+.2g} % from first to last)"
        return held if self.more is None else f"{held}: about {self.more:,} more"

    def _known(self) -> str:
        """The figure of a precision with its interval."""
        assert isinstance(self.target, Precision)
        half, figure = self.half_width or 0.0, self.figure or 0.0
        if self.target.quantity.column is Column.CORRECT:
            lo, hi = self.lo or 0.0, self.hi or 0.0
            return f"{figure:.3f} ({lo:.3f} … {hi:.3f}, half-width {100 * half:.3g}pp)"
        told = _figure(figure, self.target)
        if self.target.relative:
            return f"{told} ±{f'{100 * half / abs(figure):.3g}%' if figure else '?'}"
        unit = self.target.quantity.unit
        return f"{told} ±{half:.3g}{'' if unit == '1' else unit}"

    def _decided(self, target: Bound) -> str:
        lo = self.lo or 0.0
        holds = lo >= target.threshold if target.above else lo < target.threshold
        return "so it is" if holds else "it is not"


def _figure(figure: float, target: Target) -> str:
    unit = target.quantity.unit
    return f"{figure:.3f}" if unit == "1" else f"{figure:.4g} {unit}"
