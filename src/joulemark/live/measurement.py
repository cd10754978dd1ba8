"""A measured block of code: stamps at its beginning and its end, figures when they are asked for."""

from __future__ import annotations

import functools
import threading
import time
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from joulemark.live.each_call import each_call
from joulemark.live.process_use import MEMORY_FROM_NS, Raw, Usage, raw_usage, rss_pages
from joulemark.live.session import hold, opened, release

if TYPE_CHECKING:
    from joulemark.live.meter_set import MeterSet
    from joulemark.live.stretch import Stretch
    from joulemark.metrics.plain import JsonValue
    from joulemark.metrics.value import Value
    from joulemark.record.energy import MeasuredOrWithheld
    from joulemark.record.manifest import Rates

F = TypeVar("F", bound=Callable[..., Any])


class Wanted(NamedTuple):
    """What a block is measured with, and what is done with it at its end."""

    meters: tuple[str, ...] = ("auto",)
    test_s: float | None = None
    rates: Rates | None = None
    on_end: Callable[[Measurement], object] | None = None


class Measurement:
    """One block, or the maker of one for each call of a function. Made by `measure`.

    ``with`` and ``async with`` measure what stands in them, once; as a decorator each call has a measurement
    of its own, the last one that ended as ``function.last``. The figures are those of the whole machine in
    that time: what ran beside the block is in them.
    """

    __slots__ = ("_after", "_before", "_lock", "_pages", "_result", "_set", "_t0_ns", "_t1_ns", "_wanted")

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._set: MeterSet | None = None
        self._t0_ns = 0
        self._t1_ns: int | None = None
        self._before: Raw = None
        self._after: Raw = None
        self._pages: int | None = None
        self._result: Stretch | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Measurement:
        self._begin(opened(self._wanted.meters, self._wanted.test_s))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(error)

    async def __aenter__(self) -> Measurement:
        import asyncio

        self._begin(await asyncio.to_thread(opened, self._wanted.meters, self._wanted.test_s))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(error)

    def __call__(self, function: F) -> F:
        """Return ``function`` measured at each call. Raises ``TypeError`` as `each_call` does."""
        return each_call(function, functools.partial(Measurement, self._wanted))

    def prepare(self) -> Measurement:
        """Find and test the meters now, some seconds, so that the first block need not wait for them."""
        opened(self._wanted.meters, self._wanted.test_s)
        return self

    @property
    def result(self) -> Stretch:
        """All figures. The first question may wait a moment, until the meters have counted past the end.

        Inside the block: what it took so far. Raises ``RuntimeError`` where it has not begun.
        """
        with self._lock:
            if self._result is not None:
                return self._result
            result = self._stretch()
            if self._t1_ns is not None:
                self._result = result
                release(self)
            return result

    @property
    def duration_s(self) -> float:
        """How long the block took, or has taken so far; 0 before it begins."""
        if self._set is None:
            return 0.0
        end_ns = time.monotonic_ns() if self._t1_ns is None else self._t1_ns
        return (end_ns - self._t0_ns) * 1e-9

    @property
    def energies(self) -> dict[str, MeasuredOrWithheld]:
        """The energy of each measured scope, by its path: with its bound, or withheld with a reason."""
        return self.result.energies

    def energy(self, name: str) -> MeasuredOrWithheld:
        """Return the energy of a scope (``gpu:0``) or of a source (``nvml:0``)."""
        return self.result.energy(name)

    @property
    def total(self) -> MeasuredOrWithheld:
        """The energy of the devices together; of the whole machine where no device has a meter."""
        return self.result.total

    @property
    def cpu_seconds(self) -> Value:
        """Processor time of this process, all its threads, and of the children that it reaped meanwhile."""
        return self.result.used.cpu_seconds

    @property
    def peak_memory(self) -> Value:
        """The most memory (MiB) that this process had; between bounds where its peak lay before the block."""
        return self.result.used.peak_memory

    @property
    def gco2e(self) -> Value:
        """Grams of CO2e of the total; null where no grid intensity was given."""
        return self.result.gco2e

    @property
    def usd(self) -> Value:
        """Dollars of electricity for the total; null where no price was given."""
        return self.result.usd

    def to_json(self) -> dict[str, JsonValue]:
        """Return every figure as plain JSON values, unrounded, each null with its reason."""
        return self.result.to_json()

    def __repr__(self) -> str:
        if self._set is None:
            return "<joulemark.measure: not begun>"
        if self._t1_ns is None:
            return f"<joulemark.measure: {self.duration_s:.4g} s so far>"
        from joulemark.live.words import short

        return f"<joulemark.measure: {short(self.result)}>"

    def __del__(self) -> None:
        if release is not None:  # the interpreter takes its modules apart at its end
            release(self)

    def _begin(self, meters: MeterSet) -> None:
        if self._set is not None:
            raise RuntimeError("a measurement measures one block; make another with joulemark.measure()")
        self._set = meters
        self._before = raw_usage()
        meters.mark()
        self._t0_ns = time.monotonic_ns()
        hold(self, self._t0_ns)

    def _end(self, error: BaseException | None) -> None:
        assert self._set is not None
        self._t1_ns = time.monotonic_ns()
        self._set.mark()
        self._after = raw_usage()
        if self._t1_ns - self._t0_ns >= MEMORY_FROM_NS:
            self._pages = rss_pages()
        if self._wanted.on_end is None:
            return
        try:
            self._wanted.on_end(self)
        except Exception:
            import traceback

            told = f"joulemark.measure: on_end failed:\n{traceback.format_exc(chain=False)}"
            if error is None:
                warnings.warn(told, RuntimeWarning, stacklevel=3)
            else:  # the block's own exception is what its caller waits for
                error.add_note(told)

    def _stretch(self) -> Stretch:
        from joulemark.live.block_stretch import block_stretch

        if self._set is None:
            raise RuntimeError("nothing was measured yet: the block has not begun")
        t1_ns, after, pages = self._t1_ns, self._after, self._pages
        if t1_ns is None:
            t1_ns, after, pages = self._set.mark(), raw_usage(), rss_pages()
        usages = Usage.of(self._before), Usage.of(after)
        return block_stretch(self._set, (self._t0_ns, t1_ns), usages, pages, self._wanted.rates)
