"""``joulemark.measure``: the energy of a block of code or of each call of a function."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from joulemark.live.measurement import Measurement, Wanted

if TYPE_CHECKING:
    from joulemark.record.manifest import Rates

F = TypeVar("F", bound=Callable[..., Any])
_ARGUMENTS = ("meters", "test_s", "rates", "usd_per_kwh", "gco2e_per_kwh", "zone", "pue", "on_end")


def _no_such(name: str, *more: str) -> str:
    """Say which arguments there are, and the one that was probably meant."""
    near = difflib.get_close_matches(name, _ARGUMENTS, 1)
    meant = f"; did you mean {near[0]}=?" if near else "."
    named = ", ".join(f"{one}=" for one in (name, *more))
    return f"measure() takes no {named}{meant} It takes {', '.join(f'{one}=' for one in _ARGUMENTS)}"


@overload
def measure(function: F, /) -> F: ...
@overload
def measure(
    *,
    meters: str | Sequence[str] = ...,
    test_s: float | None = ...,
    rates: Rates | None = ...,
    usd_per_kwh: float | None = ...,
    gco2e_per_kwh: float | None = ...,
    zone: str | None = ...,
    pue: float | None = ...,
    on_end: Callable[[Measurement], object] | None = ...,
) -> Measurement: ...
def measure(
    function: Callable[..., Any] | None = None,
    /,
    *,
    meters: str | Sequence[str] = "auto",
    test_s: float | None = None,
    rates: Rates | None = None,
    usd_per_kwh: float | None = None,
    gco2e_per_kwh: float | None = None,
    zone: str | None = None,
    pue: float | None = None,
    on_end: Callable[[Measurement], object] | None = None,
    **unknown: object,
) -> Any:
    """Measure a block or a function::

        with joulemark.measure() as m:
            work()
        print(m.energy("gpu:0"), m.total, m.duration_s)

        @joulemark.measure                       # or @joulemark.measure(zone="DEU", on_end=print)
        def step(): ...

    ``meters`` as of ``--meter``: ``auto``, a kind, ``KIND:ADDRESS``, or several. They are opened at the first
    block of the process, which takes some seconds (`Measurement.prepare` does it beforehand), and shared by
    all blocks: nested ones and those of other threads too. ``test_s``: how long that opening tests a meter.
    The rates turn joules into money and carbon. ``on_end`` is called with each measurement that ended; where
    it fails, a warning says so, or a note on the exception that ended the block.

    Raises `InputError` for a meter, zone or rate that there is not; a meter that fails is no error: its
    figures are withheld with the reason. Raises ``TypeError`` for an argument that there is not, and for a
    function that does not work in its call: a generator, a class, a plain function that returns a coroutine.
    """
    if unknown:
        raise TypeError(_no_such(*sorted(unknown)))
    named = (meters,) if isinstance(meters, str) else tuple(meters)
    if any(given is not None for given in (rates, usd_per_kwh, gco2e_per_kwh, zone, pue)):
        from joulemark.live.price import rates_with

        rates = rates_with(rates, usd_per_kwh=usd_per_kwh, gco2e_per_kwh=gco2e_per_kwh, zone=zone, pue=pue)
    block = Measurement(Wanted(named, test_s, rates, on_end))
    return block if function is None else block(function)
