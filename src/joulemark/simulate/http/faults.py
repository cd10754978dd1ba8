"""What goes wrong, and when: at some requests or at some times, the same on every run with one seed.

A fault is written ``KIND`` or ``KIND:name=value,…``. Kinds:

- ``429``, ``503`` or any other status from 400 to 599: that answer (``retry_after`` seconds);
- ``refuse``: the connection is closed without a word; with times alone nobody listens in between;
- ``cut``: the connection ends after ``after`` tokens;
- ``stall``: from ``after`` tokens on nothing is sent ``for`` seconds (left out: until the client goes);
- ``error``: the stream says so after ``after`` tokens, and ends;
- ``slow``: everything is sent ``by`` seconds later.

Which requests: a share ``rate``, numbers ``at=3+7`` (chat requests from 1 on, the client's trial among
them) or every ``every``-th; in between ``from`` and ``to`` seconds after the start. Without these: all.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.record.errors import InputError

KINDS = ("refuse", "cut", "stall", "error", "slow")
_STATUS = re.compile(r"[45]\d\d")
_FIX = "write for example --fault 429:rate=0.1,retry_after=1 or --fault cut:at=3+7,after=5"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; see the module. ``status`` is that of an answer, else 0. Times in s, null: not said."""

    kind: str
    status: int = 0
    rate: float | None = None
    at: tuple[int, ...] = ()
    every: int | None = None
    from_s: float = 0.0
    to_s: float = math.inf
    after: int | None = None
    for_s: float | None = None
    by_s: float = 0.0
    retry_after_s: float | None = None

    @property
    def is_outage(self) -> bool:
        """Whether nobody listens for a time, whoever asks."""
        chosen = self.rate is not None or self.at or self.every is not None
        return self.kind == "refuse" and not chosen and self.to_s < math.inf


# name on the command line and in TOML, field, what it is
_NAMES: Mapping[str, tuple[str, type]] = {
    "rate": ("rate", float),
    "every": ("every", int),
    "from": ("from_s", float),
    "to": ("to_s", float),
    "after": ("after", int),
    "for": ("for_s", float),
    "by": ("by_s", float),
    "retry_after": ("retry_after_s", float),
}


class FaultSchedule:
    """Which fault meets which request; of several the first that was given."""

    def __init__(self, faults: Sequence[Fault] = (), seed: int = 0) -> None:
        self.faults, self._seed = tuple(faults), seed

    @property
    def outages(self) -> tuple[Fault, ...]:
        """The times in which nobody listens."""
        return tuple(fault for fault in self.faults if fault.is_outage)

    def of(self, number: int, since_start_s: float) -> Fault | None:
        """Return the fault of the chat request ``number`` (from 1), null for none."""
        for place, fault in enumerate(self.faults):
            if fault.is_outage or not fault.from_s <= since_start_s < fault.to_s:
                continue
            chosen = (
                (fault.rate is not None and self._drawn(place, number) < fault.rate)
                or number in fault.at
                or (fault.every is not None and number % fault.every == 0)
            )
            if chosen or (fault.rate is None and not fault.at and fault.every is None):
                return fault
        return None

    def _drawn(self, place: int, number: int) -> float:
        digest = hashlib.blake2b(f"{self._seed} fault {place} {number}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") * 2.0**-64


def parse_fault(text: str) -> Fault:
    """Return the fault that ``KIND:name=value,…`` says; raises ``InputError``."""
    kind, _, rest = text.strip().partition(":")
    said: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        name, equals, value = part.partition("=")
        if not equals or name in said:
            raise InputError(f"{part!r} says nothing of a fault", why="it is name=value, each once", fix=_FIX)
        said[name] = [number for number in value.split("+") if number] if name == "at" else value
    return _fault(kind, said, repr(text))


def read_faults(path: Path) -> list[Fault]:
    """Return the faults of a TOML file, each a table ``[[fault]]`` with ``kind`` and the names above."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("fault", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"the faults in {path} cannot be read", why=why or "", fix=_FIX) from error
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{path} holds no faults", why="each is a table [[fault]]", fix=_FIX)
    return [
        _fault(str(table.get("kind", "")), {k: v for k, v in table.items() if k != "kind"}, f"in {path}")
        for table in tables
    ]


def _fault(kind: str, said: Mapping[str, Any], where: str) -> Fault:
    status = int(kind) if _STATUS.fullmatch(kind) else 0
    if not status and kind not in KINDS:
        known = ", ".join(("429", "503", *KINDS))
        raise InputError(f"there is no fault {kind!r} ({where})", why=f"there are {known}", fix=_FIX)
    values: dict[str, Any] = {}
    for name, value in said.items():
        if name == "at":
            values["at"] = tuple(_number(name, entry, int, where) for entry in _list(value))
        elif name in _NAMES:
            field, wanted = _NAMES[name]
            values[field] = _number(name, value, wanted, where)
        else:
            raise InputError(
                f"a fault has no {name!r} ({where})", why=f"there are at, {', '.join(_NAMES)}", fix=_FIX
            )
    fault = Fault("status" if status else kind, status, **values)
    if fault.rate is not None and fault.rate > 1:
        raise InputError(f"a rate of {fault.rate:g} ({where})", why="it is a share from 0 to 1", fix=_FIX)
    if fault.kind == "slow" and not fault.by_s:
        raise InputError(f"slow by how much? ({where})", fix="--fault slow:by=0.2 delays by 0.2 s")
    return fault


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _number(name: str, value: Any, wanted: type, where: str) -> Any:
    try:
        number = wanted(value)
    except (TypeError, ValueError):
        number = None
    least = 1 if name in ("at", "every") else 0
    if number is None or isinstance(value, bool) or not math.isfinite(number) or number < least:
        raise InputError(
            f"{name}={value} of a fault ({where})",
            why=f"it is a {'whole ' if wanted is int else ''}number from {least} on",
            fix=_FIX,
        )
    return number
