"""Write the script of the fake library, change it while it is being read, and know the true energy."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import layout
from .build import LIBRARY, library_directory
from .curve import Knot, Piece, energy_at_j, knots_of

NOT_SUPPORTED, NO_PERMISSION, TIMEOUT, NOT_READY, FUNCTION_NOT_FOUND = 3, 4, 10, 27, 13
ANSWER_NOT_AVAILABLE, ANSWER_ZERO = 10001, 10002  # a field that answers well, with no value or with zero
SW_POWER_CAP, SW_THERMAL, HW_THERMAL, POWER_BRAKE = 0x4, 0x20, 0x40, 0x80


@dataclass
class FakeBoard:
    """One board. Times are seconds from the script's start; null means never.

    ``power`` is the true power of the board (its last power holds for ever, or the curve repeats with
    ``loop``). The counter publishes it every ``counter_period_s`` at ``counter_phase_s`` with a
    uniform jitter of at most ``counter_jitter_s``; ``gain`` makes it disagree with the gauges and
    ``gauge_gain`` them with the truth.
    ``unsupported`` are functions (names of `layout.FUNCTIONS`), fields (numbers), or ``(field, scope)``
    pairs that the driver lacks; ``errors`` are ``(function or field, NVML code, from_s, to_s)``.
    ``throttles`` are ``(reason bit, from_s, to_s)``: they fill mask and cumulative counters.
    """

    power: Sequence[Piece] = (Piece(1.0, 60.0),)
    loop: bool = False
    uuid: str = ""
    name: str = "Fake H100 80GB"
    architecture: int = 9
    pci_device_id: int = 0x2330
    memory_total_mib: int = 81920
    memory_used_mib: int = 1024
    limit_w: float | None = 700.0
    limit_max_w: float | None = 700.0
    limit_min_w: float = 1.0
    limit_default_w: float | None = None  # the factory's; null: the same as ``limit_w``
    temperature_c: int = 45
    sm_clock_mhz: int = 1755
    memory_clock_mhz: int = 2619
    utilization_pct: int = 0
    fan_pct: int | None = None
    pstate: int = 0
    extra_reasons: int = 0
    mig: bool | None = False
    mig_instances: int = 0
    virtualization: int | None = 0  # NVML_GPU_VIRTUALIZATION_MODE_*; null: the library lacks the call
    counter_period_s: float = 0.1
    counter_phase_s: float = 0.0
    counter_jitter_s: float = 0.0
    gauge_period_s: float = 0.02
    average_window_s: float = 1.0
    usage_window_s: float = 1.0
    quantum_mj: int = 1
    modulus_j: float | None = None
    base_j: float = 12345.0
    gain: float = 1.0
    gauge_gain: float = 1.0
    seed: int = 1
    reset_at_s: float | None = None
    freeze_s: tuple[float, float] | None = None
    freeze_gauge: bool = False
    backwards: tuple[float, float] | None = None  # at_s, joules
    lost_at_s: float | None = None
    gpu_scope: bool = True
    module_scope: bool = False
    module_extra_w: float = 0.0
    compute_pids: Sequence[int] = ()
    graphics_pids: Sequence[int] = ()
    unsupported: Sequence[str | int | tuple[int, int]] = ()
    errors: Sequence[tuple[str | int, int, float, float]] = ()
    throttles: Sequence[tuple[int, float, float]] = ()
    call_latency_s: float = 0.0
    knots: list[Knot] = field(init=False, default_factory=list)


def _ns(seconds: float | None) -> int:
    return layout.NEVER_NS if seconds is None else round(seconds * 1e9)


def _target(name: str | int | tuple[int, int]) -> tuple[int, int, int]:
    """Return the kind (1 function, 2 field), the id and the scope of what shall fail."""
    if isinstance(name, tuple):
        return 2, name[0], name[1]
    return (2, name, -1) if isinstance(name, int) else (1, layout.FUNCTIONS.index(name), -1)


class FakeNvml:
    """The script of one fake machine, in a file below ``directory``.

    With ``virtual`` the library's time is what `set_now_ns` says, else CLOCK_MONOTONIC.
    ``room`` is how many power changes `set_power_w` can append to each board.
    """

    def __init__(
        self,
        directory: Path,
        boards: Sequence[FakeBoard] = (FakeBoard(),),
        *,
        driver: str = "580.65.06",
        start_ns: int | None = None,
        virtual: bool = False,
        init_error: int = 0,
        room: int = 4096,
    ) -> None:
        self.start_ns = (0 if virtual else time.monotonic_ns()) if start_ns is None else start_ns
        self.boards = list(boards)
        self.path = directory / "fake-nvml.script"
        self._room = [len(b.power) + 1 + room for b in self.boards]
        boards_at = ctypes.sizeof(layout.Header)
        segments_at = boards_at + ctypes.sizeof(layout.Board) * len(self.boards)
        size = segments_at + ctypes.sizeof(layout.Segment) * sum(self._room)
        self.path.write_bytes(bytes(size))
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), size)
        self._boards = (layout.Board * len(self.boards)).from_buffer(self._map, boards_at)
        self._segments = []
        for index, board in enumerate(self.boards):
            segments = (layout.Segment * self._room[index]).from_buffer(self._map, segments_at)
            self._segments.append(segments)
            self._boards[index].segments_offset = segments_at
            segments_at += ctypes.sizeof(segments)
            self._write_board(index, board)
        self._header = layout.Header.from_buffer(self._map, 0)
        header = self._header
        header.version, header.n_boards, header.init_error = layout.VERSION, len(self.boards), init_error
        header.virtual_time, header.board_size = int(virtual), ctypes.sizeof(layout.Board)
        header.virtual_now_ns = header.start_ns = self.start_ns
        header.driver, header.boards_offset = driver.encode(), boards_at
        header.magic = layout.MAGIC

    def _write_board(self, index: int, board: FakeBoard) -> None:
        raw = self._boards[index]
        board.uuid = board.uuid or f"GPU-{index:08x}-1111-4222-8333-{index:012x}"
        raw.uuid, raw.name = board.uuid.encode(), board.name.encode()
        raw.architecture, raw.pci_device_id = board.architecture, board.pci_device_id
        raw.memory_total_b, raw.memory_used_b = board.memory_total_mib << 20, board.memory_used_mib << 20
        raw.limit_mw = round((board.limit_w or 0) * 1000)
        raw.limit_min_mw = round(board.limit_min_w * 1000)
        raw.limit_max_mw = round((board.limit_max_w or 0) * 1000)
        raw.limit_default_mw = round((board.limit_default_w or board.limit_w or 0) * 1000)
        raw.temperature_c, raw.extra_reasons = board.temperature_c, board.extra_reasons
        raw.sm_clock_mhz, raw.memory_clock_mhz = board.sm_clock_mhz, board.memory_clock_mhz
        raw.gpu_util_pct, raw.fan_pct, raw.pstate = board.utilization_pct, board.fan_pct or 0, board.pstate
        raw.mig_mode, raw.n_mig = -1 if board.mig is None else int(board.mig), board.mig_instances
        raw.counter_period_ns, raw.counter_phase_ns = _ns(board.counter_period_s), _ns(board.counter_phase_s)
        raw.counter_jitter_ns, raw.gauge_period_ns = _ns(board.counter_jitter_s), _ns(board.gauge_period_s)
        raw.average_window_ns, raw.usage_window_ns = _ns(board.average_window_s), _ns(board.usage_window_s)
        raw.seed, raw.quantum_mj, raw.gain = board.seed, board.quantum_mj, board.gain
        raw.modulus_mj, raw.base_j = round((board.modulus_j or 0) * 1000), board.base_j
        raw.reset_at_ns, raw.lost_at_ns = _ns(board.reset_at_s), _ns(board.lost_at_s)
        raw.freeze_from_ns, raw.freeze_to_ns = map(_ns, board.freeze_s or (None, None))
        at_s, raw.backwards_j = board.backwards or (None, 0.0)
        raw.backwards_at_ns = _ns(at_s)
        raw.gpu_scope, raw.module_scope = int(board.gpu_scope), int(board.module_scope)
        raw.gauge_gain, raw.freeze_gauge = board.gauge_gain, int(board.freeze_gauge)
        raw.virtualization_mode = -1 if board.virtualization is None else board.virtualization
        raw.module_extra_w, raw.call_latency_ns = board.module_extra_w, _ns(board.call_latency_s)
        self._write_faults(raw, board)
        self.set_processes(index, board.compute_pids, board.graphics_pids)
        board.knots = knots_of(board.power)
        raw.loop_ns = board.knots[-1].t_ns if board.loop else 0
        for place, knot in enumerate(board.knots):
            self._segments[index][place] = layout.Segment(knot.t_ns, knot.w0, knot.w1, knot.e0_j)
        raw.n_segments = len(board.knots)

    def _write_faults(self, raw: layout.Board, board: FakeBoard) -> None:
        faults = [(name, NOT_SUPPORTED, None, None) for name in board.unsupported] + list(board.errors)
        if board.limit_w is None:
            faults.append(("EnforcedPowerLimit", NOT_SUPPORTED, None, None))
        if board.limit_max_w is None:
            faults.append(("PowerLimitConstraints", NOT_SUPPORTED, None, None))
        if board.fan_pct is None:
            faults.append(("FanSpeed", NOT_SUPPORTED, None, None))
        for place, (name, code, from_s, to_s) in enumerate(faults):
            begin = -layout.NEVER_NS if from_s is None else _ns(from_s)
            raw.faults[place] = layout.Fault(*_target(name), code, begin, _ns(to_s))
        for place, (reason, from_s, to_s) in enumerate(board.throttles):
            raw.throttles[place] = layout.Throttle(reason, 0, _ns(from_s), _ns(to_s))

    @property
    def env(self) -> dict[str, str]:
        """The environment of this process, plus what makes a child's ``pynvml`` find the fake."""
        env = dict(os.environ)
        inherited = env.get("LD_LIBRARY_PATH")
        directory = str(library_directory())
        env["LD_LIBRARY_PATH"] = f"{directory}:{inherited}" if inherited else directory
        env["JOULEMARK_FAKE_NVML"] = str(self.path)
        return env

    def run_python(self, code: str, *args: str, timeout_s: float = 60.0) -> str:
        """Run ``code`` in a fresh interpreter that sees the fake; return what it printed."""
        done = subprocess.run(
            [sys.executable, "-c", code, *args],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )
        if done.returncode:
            raise AssertionError(f"exit code {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    @contextlib.contextmanager
    def in_process(self, now_ns: Callable[[], int] | None = None) -> Iterator[FakeNvml]:
        """Let this process (and its children) see the fake; without it the library counts as absent.

        ``now_ns`` is the time that the library follows in this process (null: as it was made).
        """
        # a library of this soname that is loaded already is the one that pynvml's own load finds
        library = ctypes.CDLL(str(library_directory() / LIBRARY), mode=ctypes.RTLD_GLOBAL)
        clock = ctypes.CFUNCTYPE(ctypes.c_int64)(now_ns) if now_ns is not None else None
        library.fake_nvml_set_clock(clock)
        names = ("JOULEMARK_FAKE_NVML", "LD_LIBRARY_PATH")
        before = {name: os.environ.get(name) for name in names}
        os.environ.update({name: self.env[name] for name in names})
        try:
            yield self
        finally:
            library.fake_nvml_set_clock(None)
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def board(self, index: int) -> layout.Board:
        """The raw board in shared memory; writing ``temperature_c`` and the like takes effect at once."""
        return self._boards[index]

    def calls(self, index: int, function: str) -> int:
        """How often ``function`` (a name of `layout.FUNCTIONS`) was called for a board, in all processes."""
        return int(self._boards[index].calls[layout.FUNCTIONS.index(function)])

    def set_now_ns(self, t_ns: int) -> None:
        """Move the virtual time; of no effect where the library follows the real clock."""
        self._header.virtual_now_ns = t_ns

    def set_power_w(self, index: int, power_w: float, t_ns: int | None = None) -> None:
        """From ``t_ns`` (monotonic; null: now) on, the board draws ``power_w`` until the next change.

        Changes lie after all earlier ones; a curve that loops cannot be changed.
        """
        board, raw = self.boards[index], self._boards[index]
        at_ns = (time.monotonic_ns() if t_ns is None else t_ns) - self.start_ns
        last = board.knots[-1]
        if board.loop or at_ns < last.t_ns or len(board.knots) == self._room[index]:
            raise ValueError("power changes are appended, to a curve that does not loop and has room")
        board.knots[-1] = Knot(last.t_ns, last.w0, last.w0, last.e0_j)
        knot = Knot(at_ns, power_w, power_w, last.e0_j + last.w0 * (at_ns - last.t_ns) * 1e-9)
        board.knots.append(knot)
        self._segments[index][len(board.knots) - 1] = layout.Segment(at_ns, power_w, power_w, knot.e0_j)
        raw.n_segments = len(board.knots)

    def set_processes(self, index: int, compute: Sequence[int], graphics: Sequence[int] = ()) -> None:
        """Say which processes the driver lists for a board."""
        raw = self._boards[index]
        raw.n_compute = raw.n_graphics = 0
        for place, pid in enumerate(compute):
            raw.compute[place] = pid
        for place, pid in enumerate(graphics):
            raw.graphics[place] = pid
        raw.n_compute, raw.n_graphics = len(compute), len(graphics)

    def lose(self, index: int) -> None:
        """The board falls off the bus now."""
        self._boards[index].lost_at_ns = time.monotonic_ns() - self.start_ns

    def true_energy_j(self, index: int, t0_ns: int, t1_ns: int) -> float:
        """The exact energy of a board between two instants of the library's clock (joules)."""
        board = self.boards[index]
        loop_ns = board.knots[-1].t_ns if board.loop else 0
        end, begin = t1_ns - self.start_ns, t0_ns - self.start_ns
        return energy_at_j(board.knots, end, loop_ns) - energy_at_j(board.knots, begin, loop_ns)

    def true_module_energy_j(self, index: int, t0_ns: int, t1_ns: int) -> float:
        """The exact energy of a board's module (CPU and GPU together)."""
        extra_j = self.boards[index].module_extra_w * (t1_ns - t0_ns) * 1e-9
        return self.true_energy_j(index, t0_ns, t1_ns) + extra_j
