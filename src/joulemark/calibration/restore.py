"""Power limits are put back: on exit, on an error, on a signal, and by `doctor --restore` after ``kill -9``.

Before the first change a file says what was in force. It is removed when that is in force again; while it
lies around without a living calibration, the limits are somebody's leftover.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import orjson

from joulemark.calibration.durable import remove_private, write_private
from joulemark.calibration.lock import calibration_lock, is_locked
from joulemark.calibration.power_limits import PowerLimit, power_limits, read_limit_w, set_limit_w
from joulemark.calibration.restore_file import (
    FIX,
    FORMAT,
    LimitBefore,
    RestoreFile,
    read_restore_file,
    restore_path,
)
from joulemark.files.boot import boot_id
from joulemark.record.errors import InputError

_SAME_W = 0.5  # devices round what they are told


def leftover() -> str | None:
    """Return a sentence on limits that a calibration left changed; null where there are none.

    A calibration that is running has its file rightly.
    """
    path = restore_path()
    if not path.exists() or is_locked():
        return None
    try:
        file = read_restore_file()
    except InputError as error:
        return f"{error.what}: {error.why}"
    was = ", ".join(f"{limit.label} {limit.previous_w:g} W" for limit in file.limits)
    when = file.written_utc.isoformat(timespec="seconds")
    return (
        f"A calibration of {when} was killed before it put the power limits back (before it: {was}). "
        "Joules measured now are those of another limit: `joulemark doctor --restore` mends it."
    )


@contextlib.contextmanager
def held_limits(limits: Sequence[PowerLimit], planned_w: Sequence[Sequence[float]]) -> Iterator[None]:
    """Let the body change ``limits`` to the ``planned_w`` of each; whatever ends it, they are put back.

    Raises `InputError` where the file cannot be written (then nothing may be changed) and where a limit could
    not be put back (then the file stays).
    """
    path = restore_path()
    if path.exists():
        raise InputError("power limits of an earlier calibration are to be put back first", fix=FIX)
    before = tuple(
        LimitBefore(
            one.kind,
            one.address,
            one.scope,
            one.in_force_w,
            tuple(round(w, 3) for w in planned),
        )
        for one, planned in zip(limits, planned_w, strict=True)
    )
    file = RestoreFile(FORMAT, boot_id(), os.getpid(), datetime.now(UTC), before)
    write_private(path, orjson.dumps(asdict(file), option=orjson.OPT_INDENT_2))
    try:
        yield
    finally:
        with _undisturbed():
            _put_back(file, to_default=False)
            remove_private(path)


def restore(*, to_default: bool = False) -> list[str]:
    """Put back what a killed calibration left, and say of each device what was done; empty where nothing was.

    ``to_default``: to the factory's limit instead of the one before. Raises `InputError` where that fails or
    a calibration is running.
    """
    path = restore_path()
    if not path.exists():
        return []
    with calibration_lock(), _undisturbed():
        file = read_restore_file()
        if file.boot_id is not None and file.boot_id != boot_id():
            said = ["The machine was started anew since: its limits are those that it starts with."]
        else:
            said = _put_back(file, to_default=to_default)
        remove_private(path)
    return said


def _put_back(file: RestoreFile, *, to_default: bool) -> list[str]:
    """Put every limit back and read it again; tries all of them before it raises for one."""
    said: list[str] = []
    failures: list[str] = []
    here = {(one.kind, one.address): one for one in power_limits()}
    for limit in file.limits:
        try:
            device = here.get((limit.kind, limit.address))
            said.append(f"{limit.label}: {_put_one_back(limit, device, to_default=to_default)}")
        except InputError as error:
            failures.append(f"{limit.label}: {error.what} ({error.why}); it was {limit.previous_w:g} W")
    if failures:
        raise InputError("a power limit could not be put back", why="; ".join(failures), fix=FIX)
    return said


def _put_one_back(limit: LimitBefore, device: PowerLimit | None, *, to_default: bool) -> str:
    """Put the limit of a ``device`` that is here back: what is written to is never the file's own choice."""
    if device is None:
        raise InputError(
            "it is not written to", why="this machine shows no such device with a power limit now"
        )
    now_w, wanted_w = device.in_force_w, limit.previous_w
    if to_default and device.default_w is not None:
        wanted_w = device.default_w
    if device.highest_w is not None and wanted_w > device.highest_w + _SAME_W:
        raise InputError(f"{wanted_w:g} W is not set", why=f"the device takes {device.highest_w:g} W at most")
    if abs(now_w - wanted_w) <= _SAME_W:
        return f"{now_w:g} W is in force"
    ours = (*limit.planned_w, limit.previous_w)
    if not any(abs(now_w - w) <= _SAME_W for w in ours):
        return f"somebody has set {now_w:g} W since: left as it is (before the calibration: {wanted_w:g} W)"
    set_limit_w(device.kind, device.address, wanted_w)
    again_w = read_limit_w(device.kind, device.address)
    if abs(again_w - wanted_w) > _SAME_W:
        raise InputError(
            f"it reads {again_w:g} W after {wanted_w:g} W was set", why="the device did not take it"
        )
    return f"{wanted_w:g} W put back (was left at {now_w:g} W)"


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep requests to end waiting while limits are put back; they are heard afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    before = {n: signal.getsignal(n) for name in names if (n := getattr(signal, name, None)) is not None}
    for number in before:
        # A masked signal would reach another thread, and Python would still act on it in this one.
        signal.signal(number, lambda heard_number, _frame: heard.append(heard_number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    for number in dict.fromkeys(heard):
        signal.raise_signal(number)
