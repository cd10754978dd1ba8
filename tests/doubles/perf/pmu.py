"""Write the tree and the script of a fake PMU, and let a process see them."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from doubles.c_library import built

from . import layout

CONFIGS = {"energy-cores": 1, "energy-pkg": 2, "energy-ram": 3, "energy-gpu": 4, "energy-psys": 5}
PMU_TYPE = 0x4A4D  # no kernel numbers its PMUs so high
_HARDWARE, _INSTRUCTIONS = 0, 1
SCALE = "2.3283064365386962890625e-10"
_SOURCE = Path(__file__).with_name("fake_perf.c")
_LIBRARY = "libfakeperf.so"


class FakePmu:
    """The PMU of a machine of ``packages`` × ``dies``, each of two processors; ``root`` is its ``/sys``.

    ``power_w`` is what every event draws. What is written to ``event(name, cpu)`` changes a counter at once.
    """

    def __init__(
        self,
        directory: Path,
        *,
        packages: int = 1,
        dies: int = 1,
        events: tuple[str, ...] = ("energy-pkg", "energy-cores", "energy-ram"),
        power_w: float = 40.0,
        update_s: float = 0.001,
        start_ns: int = 0,
        cpumask: str | None = None,
    ) -> None:
        self.root = directory / "sys"
        self.pmu = self.root / "bus" / "event_source" / "devices" / "power"
        (self.pmu / "events").mkdir(parents=True)
        (self.pmu / "type").write_text(f"{PMU_TYPE}\n")
        leaders = []
        for package in range(packages):
            for die in range(dies):
                leaders.append(2 * (package * dies + die))
                for cpu in (leaders[-1], leaders[-1] + 1):
                    self._add_cpu(cpu, package, die)
        (self.pmu / "cpumask").write_text((cpumask or ",".join(map(str, leaders))) + "\n")
        for event in events:
            self.write_event(event)
        self.script = directory / "fake-perf.script"
        self.script.write_bytes(bytes(ctypes.sizeof(layout.Script)))
        self.script.chmod(0o666)  # an ordinary user may play the kernel too
        with self.script.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._script = layout.Script.from_buffer(self._map)
        self._script.pmu_type, self._script.start_ns = PMU_TYPE, start_ns
        places = [(event, cpu) for event in events for cpu in leaders]
        self._places = {place: number for number, place in enumerate(places)}
        self._script.n_events = len(places)
        for (event, cpu), number in self._places.items():
            raw = self._script.events[number]
            raw.config, raw.cpu, raw.power_w = CONFIGS[event], cpu, power_w
            raw.running_share = raw.gain = 1.0
            raw.update_ns = round(update_s * 1e9)
            for at in ("freeze_at", "reset_at", "backwards_at", "gap_from", "gap_to", "lost_at"):
                setattr(raw, f"{at}_ns", layout.NEVER_NS)
        self._script.magic = layout.MAGIC

    def _add_cpu(self, cpu: int, package: int, die: int) -> None:
        topology = self.root / "devices" / "system" / "cpu" / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text(f"{package}\n")
        (topology / "die_id").write_text(f"{die}\n")

    def write_event(
        self, event: str, *, text: str | None = None, unit: str | None = "Joules", scale: str | None = SCALE
    ) -> None:
        """Describe an event in the tree; what is null is left out."""
        place = self.pmu / "events"
        (place / event).write_text(f"event=0x{CONFIGS[event]:02x}\n" if text is None else text)
        for suffix, value in (("unit", unit), ("scale", scale)):
            (place / f"{event}.{suffix}").unlink(missing_ok=True)
            if value is not None:
                (place / f"{event}.{suffix}").write_text(f"{value}\n")

    def event(self, event: str = "energy-pkg", cpu: int = 0) -> layout.Event:
        """The raw counter in shared memory; what is written to it takes effect at once."""
        return self._script.events[self._places[event, cpu]]

    def count_instructions(self, per_ns: float) -> layout.Event:
        """Be the processor's own counters in place of the power PMU: instructions of processes."""
        self._script.pmu_type, self._script.n_events = _HARDWARE, 1
        event = self._script.events[0]
        event.config, event.cpu, event.power_w = _INSTRUCTIONS, -1, per_ns
        return event

    def forbid(self, code: int) -> None:
        """Let the kernel refuse to open every event, with this errno."""
        for number in range(self._script.n_events):
            self._script.events[number].open_errno = code

    @property
    def library(self) -> Path:
        """The compiled library."""
        return built(_SOURCE, _LIBRARY) / _LIBRARY

    @property
    def preloaded_env(self) -> Mapping[str, str]:
        """The environment of a process that has the library preloaded and no powercap tree."""
        return {**os.environ, **self._places_env(), "LD_PRELOAD": str(self.library)}

    def _places_env(self) -> dict[str, str]:
        nothing = str(self.root / "class" / "powercap")
        return {
            "JOULEMARK_SYS": str(self.root),
            "JOULEMARK_POWERCAP": os.environ.get("JOULEMARK_POWERCAP", nothing),
            "JOULEMARK_FAKE_PERF": str(self.script),
        }

    @contextlib.contextmanager
    def in_process(self, now_ns: Callable[[], int] | None = None) -> Iterator[FakePmu]:
        """Let this process see the PMU, whose counters follow ``now_ns`` (null: the machine's time)."""
        library = ctypes.CDLL(str(self.library))
        clock = ctypes.CFUNCTYPE(ctypes.c_int64)(now_ns) if now_ns is not None else None
        library.fake_perf_forget()
        library.fake_perf_set_clock(clock)
        changed = {**self._places_env(), "JOULEMARK_LIBC": str(self.library)}
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            yield self
        finally:
            library.fake_perf_set_clock(None)
            library.fake_perf_forget()
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
