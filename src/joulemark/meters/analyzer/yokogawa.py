"""The commands of Yokogawa's WT power meters (IM WT310E-17EN; the WT500 to WT5000 share those that measure).

``WH`` is read and not ``WHP``: WH is the integral of the active power P, the same P that the gauge shows. WHP
counts the positive part only, and where a meter takes it sample by sample, the part that a power supply's
capacitors lend and give back in every period is counted too. On a consumer without generation the two agree.

Nothing of the user's set-up that touches a measurement is ever changed: no ``*RST``, no range, no rate. The
list of what is sent over the line is; it is put back at the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from joulemark.meters.analyzer.link import Link, LinkLost
from joulemark.meters.analyzer.scpi import NO_DATA, number, units

ITEMS = ("WH", "P", "TIME", "U", "I")
DIGITS = 6  # the mantissa of an integrated value (NR3)
RUNNING, STOPPED, RESET, TIMED_UP, ERROR = "START", "STOP", "RESET", "TIMEUP", "ERROR"
_STATES = (RUNNING, STOPPED, RESET, TIMED_UP, ERROR)
_AUTO_RATE_S = 2.0
_RATES = {"MS": 1e-3, "S": 1.0}
_OVER_BITS_OF_FIRST = 0b111 << 6  # OVR1, POV1, POA1 of the condition register; three bits an element
_READ = ":NUM:NORM:VAL?;:INTEG:STAT?;:STAT:COND?"
_RANGES = ":INP:VOLT:RANG?;:INP:CURR:RANG?"


@dataclass(frozen=True, slots=True)
class Setup:
    """How the instrument stands. A part that this model does not tell is null or empty.

    ``rate_s``: how often it renews its values. ``volts`` and ``amperes`` are the ranges of one element.
    ``timer``: the integration ends (normal) or begins anew (continuous) after it; empty for none.
    """

    model: str
    serial: str
    state: str
    rate_s: float = 0.25
    rate_is_auto: bool = False
    volts: float | None = None
    amperes: float | None = None
    auto_range: bool = False
    crest_factor: str = ""
    wiring: str = ""
    scaled: bool = False
    integration_mode: str = ""
    timer: str = ""

    @property
    def power_range_va(self) -> float | None:
        """The power range of one element (VA)."""
        return None if self.volts is None or self.amperes is None else self.volts * self.amperes


@dataclass(frozen=True, slots=True)
class Values:
    """One answer: each number, or the reason why it is none."""

    energy_wh: float | str
    power_w: float | str
    elapsed_s: float | str
    volts: float | str
    amperes: float | str
    state: str
    overloaded: bool
    ranges: str = ""


def is_wt(identity: str) -> bool:
    """Tell whether the answer to ``*IDN?`` is that of a WT."""
    maker, _, rest = identity.upper().partition(",")
    return "YOKOGAWA" in maker and rest.strip().startswith("WT")


def look(link: Link, identity: str) -> Setup:
    """Read how the instrument stands. Raises `LinkLost`."""
    fields = [field.strip() for field in identity.split(",")]
    model, serial = fields[1].upper(), fields[2] if len(fields) > 2 else ""
    state, rate, mode, timer = _ask(link, ":INTEG:STAT?;:RATE?;:INTEG:MODE?;:INTEG:TIM?")
    setup = Setup(
        model,
        serial,
        _state(state),
        integration_mode=mode.upper(),
        timer="" if re.fullmatch(r"[0,. ]*", timer) else timer,
    )
    rate_s = _seconds(rate)
    setup = (
        replace(setup, rate_s=_AUTO_RATE_S, rate_is_auto=True)
        if rate_s is None
        else replace(setup, rate_s=rate_s)
    )
    return _with_ranges(link, setup) if re.match(r"WT3[13]\d(?!\d)", model) else setup


def _with_ranges(link: Link, setup: Setup) -> Setup:
    """Read what the single-range models of the WT300 family tell without naming an element."""
    volts, amperes = _ask(link, _RANGES)
    auto = _ask(link, ":INP:VOLT:AUTO?;:INP:CURR:AUTO?")
    crest, wiring, scaling = _ask(link, ":INP:CFAC?;:INP:WIR?;:INP:SCAL:STAT?")
    v, a = number(volts), number(amperes)
    return replace(
        setup,
        volts=v if isinstance(v, float) else None,
        amperes=a if isinstance(a, float) else None,
        auto_range=any(_is_on(answer) for answer in auto),
        crest_factor=crest.upper(),
        wiring=wiring.upper(),
        scaled=_is_on(scaling),
    )


@dataclass(frozen=True, slots=True)
class OutputList:
    """What the user had the instrument send, to be put back."""

    count: str
    items: tuple[str, ...]
    form: str


def arrange(link: Link, element: str) -> OutputList:
    """Have the instrument send `ITEMS` of ``element`` as text; return what it sent before."""
    items = ";".join(f":NUM:NORM:ITEM{place}?" for place in range(1, len(ITEMS) + 1))
    count, form = _ask(link, ":NUM:NORM:NUM?;:NUM:FORM?")
    before = OutputList(count, tuple(_ask(link, items)), form)
    wanted = ";".join(f":NUM:NORM:ITEM{place} {item},{element}" for place, item in enumerate(ITEMS, start=1))
    _do(link, f":NUM:FORM ASC;:NUM:NORM:NUM {len(ITEMS)};{wanted}")
    return before


def put_back(link: Link, before: OutputList) -> None:
    """Undo `arrange`."""
    items = ";".join(
        f":NUM:NORM:ITEM{place} {item}" for place, item in enumerate(before.items, start=1) if item
    )
    _do(link, f"{items};:NUM:NORM:NUM {before.count};:NUM:FORM {before.form}")


def start(link: Link, state: str) -> None:
    """Have the integration run from where it stands.

    A stopped one goes on: its value is kept, so that a second program which opens the instrument goes on too
    instead of starting over. One that has timed up or failed cannot go on and is reset first.
    """
    if state in (TIMED_UP, ERROR):
        _do(link, ":INTEG:RES")
    _do(link, ":INTEG:STAR")


def stop(link: Link) -> None:
    """Halt the integration; its value stays on the display."""
    _do(link, ":INTEG:STOP")


def read_values(link: Link, element: str, *, with_ranges: bool) -> Values:
    """Read everything in one exchange. Raises `LinkLost`."""
    numbers, state, condition, *ranges = _ask(link, f"{_READ};{_RANGES}" if with_ranges else _READ)
    fields: list[float | str] = [number(field) for field in numbers.split(",")]
    fields += [NO_DATA] * (len(ITEMS) - len(fields))
    energy_wh, power_w, elapsed_s, volts, amperes = fields[: len(ITEMS)]
    bits = number(condition)
    return Values(
        energy_wh,
        power_w,
        elapsed_s,
        volts,
        amperes,
        _state(state),
        overloaded=isinstance(bits, float) and bool(int(bits) & _over_mask(element)),
        ranges=",".join(ranges),
    )


def _do(link: Link, commands: str) -> None:
    """Carry out commands and return when that is done: the answer to a query behind them says so."""
    link.query(f"{commands};:INTEG:STAT?")


def _ask(link: Link, queries: str) -> list[str]:
    """Return one answer a query; raises `LinkLost` where the instrument gave another number of them."""
    answers = units(link.query(queries))
    if len(answers) != queries.count("?"):
        raise LinkLost("answer_malformed", f"{queries} was answered by {len(answers)} parts")
    return answers


def _over_mask(element: str) -> int:
    if element.isdigit():
        return _OVER_BITS_OF_FIRST << 3 * (int(element) - 1)
    return sum(_OVER_BITS_OF_FIRST << 3 * place for place in range(3))


def _state(answer: str) -> str:
    """Return the long form of a state, which an instrument with VERBose off shortens."""
    return next((state for state in _STATES if answer and state.startswith(answer.upper())), answer.upper())


def _seconds(answer: str) -> float | None:
    """Return a data update interval; null for AUTO."""
    match = re.fullmatch(r"([0-9.]+(?:E[-+]?[0-9]+)?)\s*(MS|S)?", answer.upper())
    return float(match[1]) * _RATES[match[2] or "S"] if match else None


def _is_on(answer: str) -> bool:
    return answer.upper() in ("1", "ON")
