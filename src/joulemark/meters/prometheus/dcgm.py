"""NVIDIA boards through DCGM's exporter: ``dcgm:http://HOST:9400/metrics[?gpu=0&interval_s=30]``.

For where the driver's library is out of reach and the exporter is not: a container without the device,
another machine of a cluster. The exporter renews its values every ``interval_s`` (30 s unless it was
started with ``--collect-interval`` or ``DCGM_EXPORTER_INTERVAL``, in milliseconds), so a value may be that
old: for runs of minutes it should be started with 1000. A repeated value between two renewals is no frozen
counter.

A page may show several machines (one that a Prometheus server passes on): ``hostname=`` chooses one of them,
or ``gpu=`` with a UUID one board.
"""

from __future__ import annotations

import time

from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.notes import LACKS, MIG_SHARED, THERMAL_COMBINED, note
from joulemark.meters.nvml.plan import AVERAGE_WINDOW_S
from joulemark.meters.prometheus.dcgm_board import DcgmBoard
from joulemark.meters.prometheus.metric import read_period_s
from joulemark.meters.prometheus.shared import SharedPage
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity, Reading

KIND = "dcgm"
DEFAULT_INTERVAL_S = 30.0
_COUNTER_QUANTUM_J = 1e-3


class DcgmSource:
    """One board, known by its UUID. Raises `SourceLost` where the page is gone or does not show it."""

    def __init__(self, spec: SourceSpec, clock: Clock | None = None) -> None:
        self.info = describe(spec)
        self._uuid = str(spec.args["uuid"])
        self._page = SharedPage.of(str(spec.args["url"]), clock)
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns

    def read(self, segment: int) -> Reading:
        """Read the board from a page that is fetched now, for it or for another board that is read now."""
        try:
            scraped = self._page.look()
        except Unanswered as error:
            raise SourceLost(error.reason) from error
        board = scraped.boards.get(self._uuid)
        if board is None:
            raise SourceLost("board_absent")
        t_ns = self._now_ns()
        gone = [name for name in self.info.quantities if name not in board.values]
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            {name: board.values[name] for name in self.info.quantities if name in board.values},
            read_ns=t_ns - scraped.begin_ns,
            flags=tuple(f"{name}:{'no_data' if name in board.blank else 'unavailable'}" for name in gone),
        )

    def close(self) -> None:
        """Release nothing: each scrape has its own connection."""


def open_dcgm(spec: SourceSpec, clock: Clock | None = None) -> DcgmSource:
    """Open the board that ``spec`` names; nothing is asked before the first reading."""
    return DcgmSource(spec, clock)


def dcgm_spec(url: str, board: DcgmBoard, scope: Scope, interval_s: float) -> SourceSpec:
    """Return how to read ``board`` in another process."""
    return SourceSpec(
        KIND,
        {
            "url": url,
            "uuid": board.uuid,
            "index": board.index,
            "model": board.model,
            "scope": scope.path,
            "interval_s": interval_s,
            "quantities": " ".join(board.values),
            "is_average": int(board.is_average),
            "is_split": int(board.is_split),
            "combines_thermal": int(board.combines_thermal),
            "max_w": board.power_max_w,
            "lacks": " ".join(sorted(board.blank)),
        },
    )


def board_name(index: object) -> str:
    """Return how a board is called: by its number, where it has one."""
    return KIND if index is None else f"{KIND}:{index}"


def describe(spec: SourceSpec) -> SourceInfo:
    """Return what is known of the board from its specification alone."""
    args = spec.args
    quantities = tuple(str(args["quantities"]).split())
    interval_s = float(args["interval_s"] or 0.0)
    notes = [note(LACKS, f"{name} (no_data)") for name in str(args.get("lacks") or "").split()]
    if args.get("is_split"):
        sentence = "the board is split by MIG: its energy is all instances' and belongs to none of them"
        notes.append(note(MIG_SHARED, sentence))
    if args.get("combines_thermal"):
        sentence = "throttle_sw_thermal_ns holds every thermal violation: this exporter does not split them"
        notes.append(note(THERMAL_COMBINED, sentence))
    max_w = args.get("max_w")
    window_s = AVERAGE_WINDOW_S if args.get("is_average") else 0.0
    return SourceInfo(
        name=spec.name or board_name(args.get("index")),
        kind=KIND,
        scope=Scope(str(args["scope"])),
        quantities=quantities,
        counter_quantum_j=_COUNTER_QUANTUM_J if Quantity.ENERGY_J in quantities else 0.0,
        power_window_s=window_s if Quantity.POWER_W in quantities else None,
        power_max_w=None if max_w is None else float(max_w),
        value_age_s=interval_s,
        read_period_s=read_period_s(interval_s),
        device_id=str(args["uuid"]),
        device_name=None if args.get("model") is None else str(args["model"]),
        notes=tuple(notes),
    )
