"""The boards on a page of NVIDIA's DCGM exporter: which series belong together, and what they are worth.

Field names are DCGM's (dcgm_fields.h). Energy is millijoules since the driver was loaded. The throttle
times are nanoseconds, although help texts of older exporters say microseconds. ``POWER_USAGE`` is NVML's
trailing average, one second long on Ampere and newer; ``POWER_USAGE_INSTANT`` is what its name says. A
value of at least 2⁴⁷ (a float) or 2⁶³ − 16 (an integer) means that DCGM has none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from joulemark.meters.http.words import cleaned
from joulemark.meters.prometheus.exposition import Exposition, Sample
from joulemark.record.telemetry import Quantity

_PREFIX = "DCGM_FI_DEV_"
_BLANK_FLOAT = 2.0**47
_BLANK_INT32 = float(0x7FFFFFF0)
_INSTANT = "POWER_USAGE_INSTANT"
_USAGE = "POWER_USAGE"
_LONGEST_INDEX = 6
_LIMITS = ("POWER_MGMT_LIMIT_MAX",)

# DCGM field, quantity, factor; where two fields give one quantity the first that is there is taken.
_FIELDS: tuple[tuple[str, Quantity, float], ...] = (
    ("TOTAL_ENERGY_CONSUMPTION", Quantity.ENERGY_J, 1e-3),
    ("GPU_TEMP", Quantity.TEMPERATURE_C, 1.0),
    ("SM_CLOCK", Quantity.SM_CLOCK_MHZ, 1.0),
    ("MEM_CLOCK", Quantity.MEMORY_CLOCK_MHZ, 1.0),
    ("GPU_UTIL", Quantity.UTILIZATION_PCT, 1.0),
    ("FB_USED", Quantity.MEMORY_USED_MIB, 1.0),
    ("FAN_SPEED", Quantity.FAN_PCT, 1.0),
    ("PSTATE", Quantity.PSTATE, 1.0),
    ("ENFORCED_POWER_LIMIT", Quantity.POWER_LIMIT_W, 1.0),
    ("POWER_MGMT_LIMIT", Quantity.POWER_LIMIT_W, 1.0),
    ("CLOCKS_EVENT_REASONS", Quantity.THROTTLE_REASONS, 1.0),
    ("CLOCK_THROTTLE_REASONS", Quantity.THROTTLE_REASONS, 1.0),
    ("CLOCKS_EVENT_REASON_SW_POWER_CAP_NS", Quantity.THROTTLE_POWER_CAP_NS, 1.0),
    ("POWER_VIOLATION", Quantity.THROTTLE_POWER_CAP_NS, 1.0),
    ("CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS", Quantity.THROTTLE_SW_THERMAL_NS, 1.0),
    ("THERMAL_VIOLATION", Quantity.THROTTLE_SW_THERMAL_NS, 1.0),
    ("CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS", Quantity.THROTTLE_HW_THERMAL_NS, 1.0),
    ("CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS", Quantity.THROTTLE_POWER_BRAKE_NS, 1.0),
)
_OF_AN_INSTANCE = frozenset({"GPU_UTIL", "FB_USED"})  # a MIG instance's own, not the board's
WANTED = frozenset(_PREFIX + name for name in (*(row[0] for row in _FIELDS), _INSTANT, _USAGE, *_LIMITS))


@dataclass(slots=True)
class DcgmBoard:
    """What a page says of one board; ``values`` are in our units.

    ``index`` is DCGM's number of it on its machine, null where the page has none, and ``host`` the machine,
    empty where the page does not say. ``blank`` are the quantities that the page names without a value.
    ``is_average`` tells that ``power_w`` is a trailing average; ``combines_thermal``, that the thermal time
    holds every cause.
    """

    uuid: str
    index: int | None = None
    host: str = ""
    model: str | None = None
    is_split: bool = False
    is_average: bool = False
    combines_thermal: bool = False
    power_max_w: float | None = None
    values: dict[str, float] = field(default_factory=dict)
    blank: set[str] = field(default_factory=set)


def boards_on(page: Exposition) -> dict[str, DcgmBoard]:
    """Return the boards of a page by UUID, in the page's order."""
    series: dict[str, dict[str, Sample]] = {}
    boards: dict[str, DcgmBoard] = {}
    for sample in page.samples:
        uuid = cleaned(sample.labels.get("UUID", ""))
        if sample.name not in WANTED or not uuid:
            continue
        if uuid not in boards:
            boards[uuid] = _board(uuid, sample.labels)
        board = boards[uuid]
        instance = bool(sample.labels.get("GPU_I_ID"))
        board.is_split = board.is_split or instance
        name = sample.name.removeprefix(_PREFIX)
        if instance and name in _OF_AN_INSTANCE:
            continue
        # Instances and pods that share a board repeat its series; of those the first with a value counts.
        held = series.setdefault(uuid, {})
        if name not in held or _is_blank(held[name].value):
            held[name] = sample
    for uuid, board in boards.items():
        _fill(board, series.get(uuid, {}))
    return boards


def _board(uuid: str, labels: Mapping[str, str]) -> DcgmBoard:
    index, model = labels.get("gpu", ""), labels.get("modelName")
    return DcgmBoard(
        uuid,
        int(index) if index.isascii() and index.isdigit() and len(index) <= _LONGEST_INDEX else None,
        cleaned(labels.get("Hostname", "")),
        None if model is None else cleaned(model),
    )


def _fill(board: DcgmBoard, held: Mapping[str, Sample]) -> None:
    fields = [*_FIELDS, *_power_fields(held)]
    for name, quantity, factor in fields:
        if name not in held or quantity.value in board.values:
            continue
        if _is_blank(held[name].value):
            board.blank.add(quantity.value)
            continue
        board.values[quantity.value] = held[name].value * factor
        board.combines_thermal = board.combines_thermal or name == "THERMAL_VIOLATION"
    board.blank -= board.values.keys()
    board.is_average = _INSTANT not in held
    for name in _LIMITS:
        if name in held and not _is_blank(held[name].value) and held[name].value > 0:
            board.power_max_w = held[name].value


def _power_fields(held: Mapping[str, Sample]) -> list[tuple[str, Quantity, float]]:
    if _INSTANT in held:
        return [(_INSTANT, Quantity.POWER_W, 1.0), (_USAGE, Quantity.POWER_AVERAGE_W, 1.0)]
    return [(_USAGE, Quantity.POWER_W, 1.0)]


def _is_blank(value: float) -> bool:
    return not math.isfinite(value) or value < 0 or value in _BLANKS or value >= 2.0**62


_BLANKS = frozenset(base + i for base in (_BLANK_FLOAT, _BLANK_INT32) for i in range(16))
