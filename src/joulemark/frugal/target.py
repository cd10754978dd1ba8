"""The grammar of a target: how well a figure is to be known, or which side of a bound it lies on.

``accuracy ±1pp``, ``joules_per_correct ±5%``, ``latency ±50ms``, ``accuracy > 0.7``. ``+-`` and ``+/-`` stand
for ``±``. A percentage of a precision is relative to the figure itself, so an accuracy takes ``pp``
(percentage points) or a plain share: ``±1%`` of an accuracy would mean two things.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from joulemark.record.errors import InputError


class Column(StrEnum):
    """What is known of each item; a figure is the mean of a column, or its sum over the correct answers."""

    CORRECT = "correct"
    SCORE = "score"
    JOULES = "joules"
    USD = "usd"
    GCO2E = "gco2e"
    LATENCY = "latency"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure that a target is about: the mean of ``column`` over the items, or per correct answer.

    ``name`` is the canonical one, ``unit`` that of the figure (``1`` for a share or a score), ``says`` its
    words for a reader.
    """

    name: str
    column: Column
    unit: str
    says: str
    per_correct: bool = False

    @property
    def takes_energy(self) -> bool:
        """Whether no meter means no figure (dollars may come from token prices: that is not seen here)."""
        return self.column in (Column.JOULES, Column.GCO2E)


_QUANTITIES = (
    Quantity("accuracy", Column.CORRECT, "1", "accuracy"),
    Quantity("score", Column.SCORE, "1", "mean score"),
    Quantity("joules", Column.JOULES, "J", "energy per request"),
    Quantity("joules_per_correct", Column.JOULES, "J", "energy per correct answer", per_correct=True),
    Quantity("usd", Column.USD, "USD", "cost per request"),
    Quantity("usd_per_correct", Column.USD, "USD", "cost per correct answer", per_correct=True),
    Quantity("gco2e", Column.GCO2E, "gCO2e", "CO2e per request"),
    Quantity("gco2e_per_correct", Column.GCO2E, "gCO2e", "CO2e per correct answer", per_correct=True),
    Quantity("latency", Column.LATENCY, "s", "mean time to the whole answer"),
    Quantity("latency_per_correct", Column.LATENCY, "s", "time per correct answer", per_correct=True),
    Quantity("tokens", Column.TOKENS, "tokens", "output tokens per request"),
    Quantity(
        "tokens_per_correct", Column.TOKENS, "tokens", "output tokens per correct answer", per_correct=True
    ),
)
QUANTITIES = {quantity.name: quantity for quantity in _QUANTITIES}
_ALIASES = {
    "e2el": "latency",
    "e2el_mean": "latency",
    "joules_per_request": "joules",
    "joules_per_correct_answer": "joules_per_correct",
    "usd_per_request": "usd",
    "usd_per_correct_answer": "usd_per_correct",
    "gco2e_per_request": "gco2e",
    "gco2e_per_correct_answer": "gco2e_per_correct",
    "mean_score": "score",
}
PP = 0.01
"""A percentage point, of a share."""
_FORM = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(±|\+/?-|>=?|<=?)\s*(\S+?)\s*([A-Za-z%€$]*)\s*")
_EXAMPLES = '"accuracy ±1pp", "joules_per_correct ±5%", "latency ±50ms", "accuracy > 0.7"'
# factors to the figure's own unit
_UNITS = {
    "1": {"": 1.0, "pp": PP},
    "J": {"": 1.0, "J": 1.0, "mJ": 1e-3, "kJ": 1e3},
    "USD": {"": 1.0, "USD": 1.0, "usd": 1.0, "$": 1.0},
    "gCO2e": {"": 1.0, "g": 1.0, "mg": 1e-3, "gCO2e": 1.0},
    "s": {"": 1.0, "s": 1.0, "ms": 1e-3},
    "tokens": {"": 1.0, "tokens": 1.0},
}


@dataclass(frozen=True, slots=True)
class Precision:
    """The 95 % interval of a figure is to be no wider than twice ``half_width``.

    In the figure's unit; with ``relative`` a share of the figure itself.
    """

    quantity: Quantity
    half_width: float
    relative: bool = False

    @property
    def text(self) -> str:
        """The target in the one way that it is kept in a record."""
        return f"{self.quantity.name} ±{self.width_text}"

    @property
    def width_text(self) -> str:
        """The half width with its unit."""
        if self.relative:
            return f"{_plain(100 * self.half_width)}%"
        if self.quantity.column is Column.CORRECT:
            return f"{_plain(100 * self.half_width)}pp"
        return f"{_plain(self.half_width)}{'' if self.quantity.unit == '1' else self.quantity.unit}"

    def allowed(self, figure: float) -> float:
        """Return the half width that is allowed of a figure of this size, in its unit."""
        return self.half_width * abs(figure) if self.relative else self.half_width


@dataclass(frozen=True, slots=True)
class Bound:
    """Which side of ``threshold`` the figure of the whole task lies on is to be known, 95 times in 100.

    ``above``: the claim is that it lies above; asking ends when that is certain, or certainly wrong.
    """

    quantity: Quantity
    threshold: float
    above: bool = True

    @property
    def text(self) -> str:
        """The target in the one way that it is kept in a record."""
        return f"{self.quantity.name} {'>' if self.above else '<'} {_plain(self.threshold)}"


Target = Precision | Bound


def parse_target(text: str) -> Target:
    """Return the target that ``text`` says; raises `InputError` where it says none, or one of two."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise InputError(
            f"{text!r} is no target", why="it is not FIGURE ±WIDTH or FIGURE > VALUE", fix=f"say {_EXAMPLES}"
        )
    name, sign, number, unit = form.groups()
    quantity = _quantity(name)
    value = _number(number, text)
    if sign in ("±", "+-", "+/-"):
        return _precision(quantity, value, unit, text)
    return _decision(quantity, value, unit, above=sign.startswith(">"), text=text)


def parse_targets(texts: tuple[str, ...] | list[str]) -> tuple[Target, ...]:
    """Return several targets, none of them twice; raises `InputError` as `parse_target` does."""
    targets = tuple(parse_target(text) for text in texts)
    if len({target.text for target in targets}) < len(targets):
        raise InputError("a target is given twice", fix="give each --stop once")
    return targets


def _quantity(name: str) -> Quantity:
    plain = name.lower()
    found = QUANTITIES.get(_ALIASES.get(plain, plain))
    if found is None:
        raise InputError(
            f"{name!r} is no figure that a target can name", fix=f"one of {', '.join(QUANTITIES)}"
        )
    return found


def _number(text: str, whole: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{whole!r} is no target", why=f"{text!r} is no number", fix=f"say {_EXAMPLES}")
    return value


def _precision(quantity: Quantity, value: float, unit: str, text: str) -> Precision:
    if value <= 0:
        raise InputError(f"{text!r} is no target", why="a width must be above 0", fix=f"say {_EXAMPLES}")
    if unit == "%":
        if quantity.column is Column.CORRECT:
            raise InputError(
                f"{text!r} means two things",
                why="a per cent of the accuracy, or percentage points",
                fix=f'say "accuracy ±{_plain(value)}pp" for percentage points',
            )
        target = Precision(quantity, value / 100, relative=True)
        widest = 1.0
    else:
        if not unit and len(_UNITS[quantity.unit]) > 2 and quantity.unit != "1":
            units = ", ".join(name for name in _UNITS[quantity.unit] if name)
            raise InputError(
                f"{text!r} has no unit",
                why=f"its width may be in {units}, or a per cent of the figure",
                fix=f'say "{quantity.name} ±{_plain(value)}{quantity.unit}" or "{quantity.name} ±5%"',
            )
        target = Precision(quantity, value * _factor(quantity, unit, text))
        widest = 0.5 if quantity.column is Column.CORRECT else math.inf
    if target.half_width >= widest:
        raise InputError(
            f"{text!r} asks for nothing",
            why=f"{_read_as(target, text)}an interval so wide is met by any figure",
            fix=f"a smaller width: say {_EXAMPLES}",
        )
    return target


def _read_as(target: Precision, text: str) -> str:
    """Say how a width without a unit was read, where it is a share that looks like percentage points."""
    if target.relative or target.quantity.column is not Column.CORRECT or "pp" in text:
        return ""
    plain, in_pp = _plain(target.half_width), _plain(target.half_width / PP)
    return f"without a unit {plain} is a share, {in_pp} pp (for {plain} pp say ±{plain}pp); "


def _decision(quantity: Quantity, value: float, unit: str, *, above: bool, text: str) -> Bound:
    if quantity.column not in (Column.CORRECT, Column.SCORE):
        raise InputError(
            f"{text!r} cannot be decided while a run is on",
            why=f"{quantity.says} has no largest value, and a decision at any moment needs one",
            fix=f'say how well it is to be known: "{quantity.name} ±5%"',
        )
    threshold = value / 100 if unit == "%" else value * _factor(quantity, unit, text)
    if quantity.column is Column.CORRECT and not 0 < threshold < 1:
        raise InputError(
            f"{text!r} is no question", why="an accuracy lies between 0 and 1", fix='say "accuracy > 0.7"'
        )
    return Bound(quantity, threshold, above)


def _factor(quantity: Quantity, unit: str, text: str) -> float:
    units = _UNITS[quantity.unit]
    if quantity.column is Column.SCORE and unit == "pp":
        units = {}
    if unit not in units:
        known = ", ".join(repr(name) for name in units if name) or "none but %"
        raise InputError(f"{text!r}: {unit!r} is no unit of {quantity.says}", fix=f"its units are {known}")
    return units[unit]


def _plain(value: float) -> str:
    """Return a number as short as it reads back the same to 12 digits."""
    return f"{value:.12g}"
