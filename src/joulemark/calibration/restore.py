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
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from joulemark.calibration.durable import remove_private, write_private
from joulemark.calibration.lock import calibration_lock, is_locked
from joulemark.calibration.power_limits import PowerLimit, read_limit_w, set_limit_w
from joulemark.files.boot import boot_id
from joulemark.files.homes import data_home
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope

FIX = "joulemark doctor --restore   # as the user, and with the rights, of that calibration"
_FORMAT = "joulemark-power-limits"
_SAME_W = 0.5  # devices round what they are told


@dataclass(frozen=True, slots=True)
class LimitBefore:
    """A limit before it was changed, and all the values that a calibration was going to set (W)."""

    kind: str
    address: str
    scope: str
    previous_w: float
    default_w: float | None
    planned_w: tuple[float, ...]

    @property
    def label(self) -> str:
        """The device's short name."""
        return Scope(self.scope).label


@dataclass(frozen=True, slots=True)
class RestoreFile:
    """What lies in the file: of which boot and process, and when it was written."""

    format: str
    boot_id: str | None
    pid: int
    written_utc: str
    limits: tuple[LimitBefore, ...]


def restore_path() -> Path:
    """Return where the file lies while limits are changed."""
    return data_home() / "restore" / "power-limits.json"


def leftover() -> str | None:
    """Return a sentence on limits that a calibration left changed; null where there are none.

    A calibration that is running has its file rightly.
    """
    path = restore_path()
    if not path.exists() or is_locked():
        return None
    try:
        file = _read(path)
    except InputError as error:
        return f"{error.what}: {error.why}"
    was = ", ".join(f"{limit.label} {limit.previous_w:g} W" for limit in file.limits)
    return (
        f"A calibration of {file.written_utc} was killed before it put the power limits back (before it: "
        f"{was}). Joules measured now are those of another limit: `joulemark doctor --restore` mends it."
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
            one.default_w,
            tuple(round(w, 3) for w in planned),
        )
        for one, planned in zip(limits, planned_w, strict=True)
    )
    now = datetime.now(UTC).isoformat(timespec="seconds")
    file = RestoreFile(_FORMAT, boot_id(), os.getpid(), now, before)
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
        file = _read(path)
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
    for limit in file.limits:
        wanted_w = limit.previous_w
        if to_default and limit.default_w is not None:
            wanted_w = limit.default_w
        try:
            said.append(f"{limit.label}: {_put_one_back(limit, wanted_w)}")
        except InputError as error:
            failures.append(f"{limit.label}: {error.what} ({error.why}); it was {limit.previous_w:g} W")
    if failures:
        raise InputError("a power limit could not be put back", why="; ".join(failures), fix=FIX)
    return said


def _put_one_back(limit: LimitBefore, wanted_w: float) -> str:
    now_w = read_limit_w(limit.kind, limit.address)
    if abs(now_w - wanted_w) <= _SAME_W:
        return f"{now_w:g} W is in force"
    ours = (*limit.planned_w, limit.previous_w)
    if not any(abs(now_w - w) <= _SAME_W for w in ours):
        return f"somebody has set {now_w:g} W since: left as it is (before the calibration: {wanted_w:g} W)"
    set_limit_w(limit.kind, limit.address, wanted_w)
    again_w = read_limit_w(limit.kind, limit.address)
    if abs(again_w - wanted_w) > _SAME_W:
        raise InputError(
            f"it reads {again_w:g} W after {wanted_w:g} W was set", why="the device did not take it"
        )
    return f"{wanted_w:g} W put back (was left at {now_w:g} W)"


def _read(path: Path) -> RestoreFile:
    try:
        file = TypeAdapter(RestoreFile).validate_json(path.read_bytes())
        if file.format != _FORMAT:
            raise ValueError(f"its format is {file.format!r}")
    except (OSError, ValidationError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read, so what the power limits were is not known",
            why=str(error).splitlines()[0],
            fix=f"look at the limits (`nvidia-smi -q -d POWER`), set them by hand, then: rm {path}",
        ) from error
    return file


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
