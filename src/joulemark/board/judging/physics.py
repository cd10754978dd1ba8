"""What no device can have done: power, energy, and what a meter shows.

Each bound is that of the device in question, never one for all: a figure that is new is not therefore wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.board.judging.devices import DeviceLimits, board_named
from joulemark.board.judging.facts import RunFacts
from joulemark.board.judging.ground import Ground
from joulemark.board.judging.speed_limits import memory_energy_j, speed_grounds
from joulemark.metrics.drift import DRIFT_LIMIT_PCT
from joulemark.record.reason import Reason

OVER_LIMIT = 1.05
"""Mean power over the limit that the driver enforces: it regulates, and a sensor is off by a few per cent."""
PEAK_OVER_LIMIT = 1.5
"""One reading over it: load steps outrun the regulator for some milliseconds."""
OF_IDLE = 0.8
"""Mean power over the idle power that the same machine calibrated, which changes with temperature."""
LOWEST_OF_IDLE, LOWEST_OF_LOADED = 0.25, 0.1
"""The low end of a gauge over the power of the idle board, and of the one with a model loaded: a board that
nobody uses falls to a lower state after some seconds."""
FLAT_READINGS = 50
"""From so many readings on a gauge of milliwatts that never moves was not read."""
TAIL_OVER_RUN = 1.15
"""Mean power soon after the last answer over that of the run: the work is done by then."""
WALL_OVER_DEVICE = 1.02
"""A wall meter sees the device, its supply's losses and the machine around it."""
EXACT_WALL = 3e-4
"""0.1 W of 300: the step of a good plug. What follows a board closer than that was computed from it."""
MEMORY_SHARE = (0.85, 1.05)
"""Of a board's memory: error correction takes some off, and a driver keeps some."""
ALL_ON_BOARD = frozenset({"vllm", "sglang", "tgi"})
"""Engines that keep all weights in the boards' memory unless told otherwise; others spill over."""
REPEATED_SHARE = 0.02
"""Of stretches of streams with the same times: those of a real engine never repeat to the nanosecond."""


def physics_grounds(facts: RunFacts) -> Iterator[Ground]:
    """Yield what of a measured run its device cannot have done; nothing of one that was not measured."""
    if facts.kind != "measured":
        return
    board = board_named(facts.device)
    yield from _device(facts, board)
    yield from _meters(facts)
    if facts.energy_j is not None and facts.scope == "gpu":
        yield from _above(facts, board)
        yield from _below(facts, board)
    yield from _wall(facts)
    yield from _memory(facts)
    yield from speed_grounds(facts, board)
    if facts.repeated_share is not None and facts.repeated_share > REPEATED_SHARE:
        yield Ground(
            "repeated_answers",
            f"{100 * facts.repeated_share:.0f} % of the stretches of its streams have the very times of "
            "another stretch of it: answers stand in it more than once.",
        )
    if not facts.was_stopped and facts.state == "complete" and facts.n_requests < (facts.n_wanted or 0):
        yield Ground(
            "answers_missing",
            f"It says to be complete and has {facts.n_requests} of {facts.n_wanted} answers: the others were "
            "taken out.",
        )


def physics_notes(facts: RunFacts) -> tuple[str, ...]:
    """Return what could not be looked at, in sentences."""
    if facts.kind != "measured":
        return (f"It was {facts.kind}, not measured: there is no device whose limits it could break.",)
    notes = []
    if board_named(facts.device) is None:
        name = facts.device or "unknown"
        notes.append(f"The device ({name}) is not on file: its power and speed have no bound here.")
    elif facts.active_parameters is None or facts.bits_per_weight is None:
        notes.append("The size of the model's weights is not known: its speed has no bound here.")
    return tuple(notes)


def _n(facts: RunFacts) -> int:
    return max(facts.n_devices or 1, facts.n_scopes or 1)


def _device(facts: RunFacts, board: DeviceLimits | None) -> Iterator[Ground]:
    """Tell a device that is called by another's name."""
    if facts.meter_device and facts.device and facts.scope == "gpu" and facts.meter_device != facts.device:
        yield Ground(
            "device_unlike",
            f"It says to have run on {facts.device}, and its meter is of {facts.meter_device}.",
        )
    if board is None or facts.energy_j is None:
        return
    if facts.vram_mib is not None:
        least, most = MEMORY_SHARE
        sizes = [gib * 1024 for gib in board.memory_gib]
        if not any(least * mib <= facts.vram_mib <= most * mib for mib in sizes):
            told = " or ".join(f"{gib:g}" for gib in board.memory_gib)
            yield Ground(
                "device_unlike",
                f"Its board is called {facts.device} and has {facts.vram_mib / 1024:.1f} GiB of memory; that "
                f"board has {told} GiB ({board.source}).",
            )
    if facts.power_limit_w is not None and facts.power_limit_w > 1.02 * board.limit_w:
        yield Ground(
            "device_unlike",
            f"Its board is called {facts.device} and is limited to {facts.power_limit_w:,.0f} W; no such "
            f"board can be set above {board.limit_w:,.0f} W.",
        )


def _meters(facts: RunFacts) -> Iterator[Ground]:
    """Tell meters that contradict each other, or themselves."""
    if facts.energy_reason == Reason.METER_CONTRADICTED:
        yield Ground("drift", "Its energy counter and its power gauge cannot have seen the same.")
    elif facts.drift_pct is not None and abs(facts.drift_pct) > DRIFT_LIMIT_PCT:
        yield Ground(
            "drift",
            f"Its power over its time is {facts.drift_pct:+.1f} % off its energy counter, and "
            f"{DRIFT_LIMIT_PCT:.0f} % is the most that calibration explains.",
        )
    is_flat = facts.n_power_levels == 1 and (facts.n_power_readings or 0) >= FLAT_READINGS
    if is_flat and facts.scope == "gpu" and facts.energy_j is not None:
        yield Ground(
            "flat_power",
            f"All {facts.n_power_readings} readings of its board's power are the same number.",
        )
    tail, mean = facts.tail_power_w, facts.mean_power_w
    # a processor writes the report when the answers are there; a board has nothing more to do
    if tail is not None and mean is not None and facts.scope == "gpu" and tail > TAIL_OVER_RUN * mean:
        yield Ground(
            "misaligned",
            f"After the last answer its meters show {tail:,.0f} W, and {mean:,.0f} W while it answered: its "
            "readings are of another time than its answers.",
        )


def _above(facts: RunFacts, board: DeviceLimits | None) -> Iterator[Ground]:
    limits = [watts for watts in (facts.power_limit_w, None if board is None else board.limit_w) if watts]
    if not limits:
        return
    limit, n = min(limits), _n(facts)
    mean, high = facts.mean_power_w, facts.high_power_w
    if mean is not None and mean > OVER_LIMIT * limit * n:
        yield Ground(
            "above_limit",
            f"Its mean power is {mean:,.1f} W; {n} × {limit:,.0f} W is the limit of {_called(facts)}.",
        )
    elif high is not None and high > PEAK_OVER_LIMIT * limit:
        yield Ground(
            "above_limit",
            f"A reading shows {high:,.1f} W; {limit:,.0f} W is the limit of {_called(facts)}, and peaks "
            f"reach {PEAK_OVER_LIMIT:g} times it.",
        )


def _below(facts: RunFacts, board: DeviceLimits | None) -> Iterator[Ground]:
    mean, n = facts.mean_power_w, _n(facts)
    floor = 0.0 if board is None else board.idle_w
    if mean is not None and mean < floor * n:
        yield Ground(
            "below_idle",
            f"Its mean power is {mean:,.1f} W; {n} × {floor:,.1f} W is less than {_called(facts)} draws with "
            "a model loaded and nothing to do.",
        )
        return
    if mean is not None and facts.idle_power_w is not None and mean < OF_IDLE * facts.idle_power_w:
        yield Ground(
            "below_idle",
            f"Its mean power is {mean:,.1f} W, and with the model loaded and nothing to do the same machine "
            f"drew {facts.idle_power_w:,.1f} W.",
        )
        return
    empty, loaded = (facts.empty_idle_power_w or 0.0) / n, (facts.idle_power_w or 0.0) / n
    lowest = max(LOWEST_OF_IDLE * max(floor, empty), LOWEST_OF_LOADED * loaded)
    if facts.low_power_w is not None and facts.low_power_w < lowest:
        yield Ground(
            "below_idle",
            f"Its gauge falls to {facts.low_power_w:,.1f} W, and an idle board of this kind draws "
            f"{max(floor, empty, loaded):,.1f} W: idle power was taken off.",
        )
        return
    least_j = None if board is None else memory_energy_j(facts, board)
    if facts.energy_j is not None and least_j is not None and facts.energy_j < least_j:
        yield Ground(
            "below_memory_energy",
            f"It took {facts.energy_j:,.1f} J; an idle board whose memory delivers the model's weights "
            f"as often as its answers need takes {least_j:,.1f} J.",
        )


def _wall(facts: RunFacts) -> Iterator[Ground]:
    wall, device = facts.wall_energy_j, facts.energy_j
    if wall is not None and device is not None and wall < WALL_OVER_DEVICE * device:
        yield Ground(
            "wall_below_device",
            f"Its wall meter saw {wall:,.1f} J and the device {device:,.1f} J: a wall holds the device, its "
            "supply's losses and the machine.",
        )
    if facts.wall_residual_share is not None and facts.wall_residual_share < EXACT_WALL:
        yield Ground(
            "invented_meter",
            f"Its wall meter follows the device's power to {100 * facts.wall_residual_share:.2g} %: it was "
            "computed from it, and no meter saw a machine.",
        )


def _memory(facts: RunFacts) -> Iterator[Ground]:
    """Tell weights that the boards cannot hold, of engines that keep all of them there."""
    if facts.engine not in ALL_ON_BOARD or facts.vram_mib is None or facts.n_devices is None:
        return
    if facts.parameters is None or facts.bits_per_weight is None:
        return
    weights_mib = facts.parameters * facts.bits_per_weight / 8 / 2**20
    held_mib = facts.vram_mib * facts.n_devices
    if weights_mib > held_mib:
        yield Ground(
            "weights_do_not_fit",
            f"The weights of {facts.model} ({facts.quantization}) take {weights_mib / 1024:,.0f} GiB, and "
            f"its {facts.n_devices} board(s) hold {held_mib / 1024:,.0f} GiB. Weights that were left in the "
            "machine's memory would explain it.",
        )


def _called(facts: RunFacts) -> str:
    return facts.device or "its device"
