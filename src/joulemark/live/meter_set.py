"""Sources found and tested, sampled by a process of their own; the energy of any stretch of time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from joulemark.live.history import SEGMENT, History
from joulemark.live.patience import margin_ns, patience_ns, settled
from joulemark.live.private_place import PrivatePlace
from joulemark.live.source_energy import SourceEnergy, forked, source_energy
from joulemark.live.source_test import ACCOUNTS, NO_READING, find_tested
from joulemark.meters.discovery import AUTO, NONE
from joulemark.meters.source import SourceSpec
from joulemark.record.clock import SystemClock
from joulemark.record.errors import JoulemarkError
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.telemetry import Reading
from joulemark.telemetry.supervisor import Sampler, SamplerHealth
from joulemark.telemetry.wire import SampledSource

if TYPE_CHECKING:
    from joulemark.telemetry.timeline import Timeline

_LOOK_S = 0.004
_DRAIN_S = 5.0

_forks = 0  # how many forks lie between this process and the first that had this module


def _after_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class MeterSet:
    """The meters of this process, for any of its threads. Make it with `open`; `close` it, or use ``with``.

    ``sources`` are the energy meters that answered, ``absent`` names the others with the reason. A child that
    was forked has no use of its parent's set: it gets stamps, and every energy withheld.
    """

    def __init__(
        self,
        sources: Sequence[tuple[SourceSpec, QualifiedSource]],
        absent: Sequence[tuple[str, str]] = (),
        *,
        needed_from: Callable[[], int] | None = None,
        stand_back: bool = False,
    ) -> None:
        self.sources = tuple(s for _, s in sources if s.info.kind not in ACCOUNTS)
        self.absent = tuple(absent)
        self._sampled = {s.info.name: SampledSource.of(spec, s) for spec, s in sources}
        self._forks = _forks
        self._lock = threading.Lock()
        self._place: PrivatePlace | None = None
        self._history: History | None = None
        self._sampler: Sampler | None = None
        self._health = SamplerHealth()
        self._closed = threading.Event()
        self._needed_from = needed_from
        self._stand_back = stand_back
        if sources:
            self._start(sources)

    @classmethod
    def open(
        cls,
        meters: Sequence[str] = (AUTO,),
        *,
        pid: int | None = None,
        test_s: float | None = None,
        poll_s: float | None = None,
        needed_from: Callable[[], int] | None = None,
        stand_back: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> MeterSet:
        """Find the ``meters``, test them side by side and start to sample them; takes some seconds.

        ``pid``: also watch this process and its children. ``test_s``: how long a self-test takes (null: its
        own choice). ``poll_s``: read at least so often, as far as a meter can be. ``needed_from`` tells from
        which stamp on readings will be asked for: older ones are dropped now and then (null: none is). With
        ``stand_back`` the sampler does not take a processor from whoever asks it to read: where none is free
        its reads come some milliseconds later. Raises `InputError` for a meter that was named wrongly, and
        for nothing else: what cannot be read is in ``absent``, all of it where no thread can be started.
        """
        try:
            found, missing = find_tested(
                meters, engine_pid=pid, clock=SystemClock(), test_s=test_s, progress=progress
            )
        except RuntimeError as error:
            return cls.unopened(meters, str(error))
        absent = [(one.name, one.why) for one in missing if one.spec is None or one.kind not in ACCOUNTS]
        sources: list[tuple[SourceSpec, QualifiedSource]] = []
        for spec, source in found:
            if source.qualification.trust is Trust.ABSENT:
                absent.append((source.info.name, source.qualification.reason or NO_READING))
            else:
                sources.append((spec, _read_faster(source, poll_s)))
        return cls(sources, absent, needed_from=needed_from, stand_back=stand_back)

    @classmethod
    def unopened(cls, meters: Sequence[str], why: str) -> MeterSet:
        """Return a set without any source, in which ``meters`` are absent for the reason ``why``."""
        return cls((), [(meter.partition(":")[0], why) for meter in meters if meter != NONE])

    @property
    def here(self) -> bool:
        """Whether this process is the one that opened the set."""
        return self._forks == _forks

    @property
    def health(self) -> SamplerHealth:
        """How the sampler fares."""
        sampler = self._sampler
        return self._health if sampler is None else sampler.health

    def edge(self) -> int:
        """Have every source read now, wait for it, and return the stamp (monotonic ns).

        A meter that takes long to read (a plug) is asked and not waited for.
        """
        sampler = self._sampler
        return sampler.edge() if sampler is not None and self.here else time.monotonic_ns()

    def mark(self) -> int:
        """Return the present stamp (monotonic ns); the sampler is asked to read and not waited for.

        Takes microseconds. The read comes later: at once where the sampler has to be woken, else when it
        looks anyway, which is within `telemetry.cadence.LOOK_SHARE` of what the bound forgives
        (`telemetry.cadence.edge_slack_ns`).
        """
        now_ns = time.monotonic_ns()
        sampler = self._sampler
        if sampler is not None and self._forks == _forks:
            sampler.mark(now_ns)
        return now_ns

    def energies(self, t0_ns: int, t1_ns: int, *, wait: bool = True) -> dict[str, SourceEnergy]:
        """Return what each source saw from ``t0_ns`` to ``t1_ns`` (monotonic ns), by its name.

        With ``wait`` it first lets pass, bounded by each source's periods, what narrows the bound at the end:
        the next change of a counter, the delay of a gauge. Raises ``ValueError`` for a window that ends
        before it begins.
        """
        if t1_ns < t0_ns:
            raise ValueError("a window cannot end before it begins")
        if not self.sources:
            return {}
        if not self.here:
            return {s.info.name: forked(s) for s in self.sources}
        if wait:
            self._await(t1_ns)
        timeline = self.timeline(t0_ns, t1_ns)
        return {s.info.name: source_energy(timeline, s, t0_ns, t1_ns) for s in self.sources}

    def timeline(self, t0_ns: int, t1_ns: int) -> Timeline:
        """Return the readings around a stretch, in segment 0: of the meters and of the kernel's accounts."""
        from joulemark.telemetry.timeline import Timeline

        if not self.here:
            return Timeline({})
        with self._lock:
            if self._history is None:
                return Timeline({})
            self._history.refresh()
            return self._history.timeline(t0_ns, t1_ns, {s.info.name: margin_ns(s) for s in self.sources})

    def latest(self) -> dict[str, Reading]:
        """Return the last reading of each source by its name, as far as the sampler has written it."""
        if not self.here:
            return {}
        with self._lock:
            if self._history is None:
                return {}
            self._history.refresh()
            return dict(self._history.latest)

    def forget(self, before_ns: int) -> None:
        """Drop the readings before ``before_ns`` (monotonic ns): nobody will ask for them."""
        if not self.here:
            return
        with self._lock:
            if self._history is not None:
                self._history.forget(before_ns)

    def close(self, timeout_s: float = 10.0) -> SamplerHealth:
        """Stop sampling after a last read. Energies of the past can still be asked for.

        A sampler that has not left after ``timeout_s`` is ended.
        """
        if not self.here or self._closed.is_set():
            return self.health
        self._closed.set()
        sampler = self._sampler
        if sampler is not None:
            self._health = sampler.stop(timeout_s)
            self._sampler = None
        with self._lock:
            if self._history is not None:
                self._history.close()
        if self._place is not None:
            self._place.remove()
        return self._health

    def __enter__(self) -> MeterSet:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _start(self, sources: Sequence[tuple[SourceSpec, QualifiedSource]]) -> None:
        """Start the sampler; where it does not come up there are no meters, and ``absent`` says why."""
        try:
            self._place = PrivatePlace()
            journal = self._place.path / "telemetry.jsonl"
            self._sampler = Sampler.start(sources, journal, SEGMENT)
            self._history = History(journal)
            self._settle_sampler()
            threading.Thread(target=self._drain, name="meter-set", daemon=True).start()
        except (JoulemarkError, OSError, RuntimeError) as error:  # RuntimeError: no thread can be started
            self.close()
            self.absent += tuple((s.info.name, str(error)) for s in self.sources)
            self.sources = ()

    def _drain(self) -> None:
        """Read the journal now and then, so that neither the file nor the next question grows large."""
        while not self._closed.wait(_DRAIN_S):
            self._settle_sampler()
            with self._lock:
                if self._history is None:
                    return
                self._history.refresh()
                self._history.give_back()
                if self._needed_from is not None:
                    margin = max(map(margin_ns, self.sources), default=0)
                    self._history.forget(self._needed_from() - margin)

    def _settle_sampler(self) -> None:
        """Have the sampler, or the one that took its place, wait for a free processor when it is woken."""
        sampler = self._sampler
        if self._stand_back and sampler is not None:
            sampler.stand_back()

    def _await(self, t1_ns: int) -> None:
        """Wait until the end of a window is bounded as well as its sources can bound it."""
        by_name = {source.info.name: source for source in self.sources}
        limits_ns = {name: t1_ns + patience_ns(s, self._sampled[name]) for name, s in by_name.items()}
        while (sampler := self._sampler) is not None and not sampler.health.gave_up:
            with self._lock:
                if self._history is None:
                    return
                self._history.refresh()
                now_ns = time.monotonic_ns()
                waiting = any(
                    now_ns < limits_ns[name]
                    and not settled(self._history, source, self._sampled[name], t1_ns)
                    for name, source in by_name.items()
                )
            if not waiting:
                return
            time.sleep(_LOOK_S)


def _read_faster(source: QualifiedSource, poll_s: float | None) -> QualifiedSource:
    """Return the source with a poll period of at most ``poll_s``, but no shorter than it can be read."""
    test = source.qualification
    if poll_s is None or poll_s >= test.poll_period_s:
        return source
    shorter_s = max(poll_s, source.info.read_period_s or 0.0)
    return replace(source, qualification=replace(test, poll_period_s=shorter_s))
