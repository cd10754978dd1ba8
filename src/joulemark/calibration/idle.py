"""A window in which the machine does nothing: power is steady, and nobody else is at work."""

from __future__ import annotations

import os

from joulemark.calibration.document import Window
from joulemark.calibration.idle_window import longer, says_nothing
from joulemark.calibration.quiet import Account, NotIdle, busy_words, computing_on_boards
from joulemark.calibration.watch import settle, watch
from joulemark.live.meter_set import MeterSet
from joulemark.live.used import shares
from joulemark.record.errors import InputError

FORCED = "measured although the machine was not idle (--force)"
LOAD_NOT_SEEN = "what other processes did on the processors was not seen"
NOT_SETTLED = "power had not become steady after {:g} s"
PID_UNKNOWN = "the engine's process is not known, so others on its board were not looked for"


async def measure_idle(
    meters: MeterSet,
    when: str,
    *,
    engine_runs: bool,
    engine_pid: int | None,
    settle_s: float,
    duration_s: float,
    force: bool,
) -> Window:
    """Wait until power is steady, for ``settle_s`` at most, and measure for ``duration_s``.

    ``when`` tells which idle it is, in words. Raises `NotIdle` where something else is at work, which
    ``force`` makes a flag, and `InputError` where no meter gave a power that says something.
    """
    ours = [os.getpid(), *([engine_pid] if engine_pid is not None else [])]
    settled = await settle(meters, settle_s)
    before = Account.of(ours)
    seen = await watch(meters, duration_s)
    own_s = Account.of(ours).since(before)
    share, _ = shares(meters.timeline(seen.t0, seen.t1), seen.t0, seen.t1, own_s)
    computing: list[str] = []
    flags = []
    if engine_runs and engine_pid is None:
        flags.append(PID_UNKNOWN)
    else:
        computing = computing_on_boards(meters.sources, ours, engine_runs=engine_runs)
    busy = busy_words(share.value, computing)
    if busy and not force:
        raise NotIdle(
            f"the machine is not idle {when}",
            why="; ".join(busy),
            fix="end what works on it, or keep the figure as it is with --force",
        )
    flags += [f"{FORCED}: {'; '.join(busy)}"] if busy else []
    flags += [f"{LOAD_NOT_SEEN}: {share.detail}"] if share.value is None else []
    flags += [] if settled else [NOT_SETTLED.format(settle_s)]
    window = seen.window().model_copy(
        update={"settled": settled, "foreign_cpu_share": share.value, "flags": flags}
    )
    require_power(window, when)
    return window


def require_power(window: Window, when: str) -> None:
    """Raise `InputError` where no meter gave a power, or none whose bound is narrower than the power."""
    if not window.powers:
        why = "; ".join(f"{name}: {said}" for name, said in window.reasons.items())
        raise InputError(f"no meter gave a power {when}", why=why, fix=longer(3 * window.duration_s))
    if all(says_nothing((power.mean_w, power.lo_w, power.hi_w)) for power in window.powers):
        told = [
            f"{p.source}: {p.mean_w:,.1f} W, from {p.lo_w:,.1f} to {p.hi_w:,.1f} W" for p in window.powers
        ]
        widest = max((p.hi_w - p.lo_w) / max(p.mean_w, 1e-9) for p in window.powers)
        raise InputError(
            f"no meter could tell the idle power {when}: the bound is wider than the power",
            why="; ".join(told),
            fix=longer(2 * widest * window.duration_s),
        )
