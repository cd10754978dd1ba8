"""The file that says which power limits were in force before a calibration changed them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from joulemark.calibration.power_limits import Kind
from joulemark.files.homes import data_home
from joulemark.files.own import NotOurs, read_own
from joulemark.record.errors import InputError
from joulemark.record.meter import CEILING_UNKNOWN_W
from joulemark.record.scope import Scope

FIX = "joulemark doctor --restore   # as the user, and with the rights, of that calibration"
FORMAT: Literal["joulemark-power-limits"] = "joulemark-power-limits"
_MOST_BYTES = 1 << 20

_Watts = Annotated[float, Field(gt=0, le=CEILING_UNKNOWN_W, allow_inf_nan=False)]
_ScopePath = Annotated[str, Field(pattern=r"\Awall/psu/(?:gpu:\d+|psys/package:\d+(?:-die-\d+)?)\z")]


@dataclass(frozen=True, slots=True)
class LimitBefore:
    """A limit before it was changed, and all the values that a calibration was going to set (W)."""

    kind: Kind
    address: str
    scope: _ScopePath
    previous_w: _Watts
    planned_w: tuple[_Watts, ...]

    @property
    def label(self) -> str:
        """The device's short name."""
        return Scope(self.scope).label


@dataclass(frozen=True, slots=True)
class RestoreFile:
    """What lies in the file: of which boot and process, and when it was written."""

    format: Literal["joulemark-power-limits"]
    boot_id: str | None
    pid: int
    written_utc: datetime
    limits: tuple[LimitBefore, ...]


def restore_path() -> Path:
    """Return where the file lies while limits are changed."""
    return data_home() / "restore" / "power-limits.json"


def read_restore_file() -> RestoreFile:
    """Return what the file says. Raises `InputError`, also where it may be somebody else's words.

    Root may be told to read it in a user's folder, so only what the reader wrote itself is believed.
    """
    path = restore_path()
    by_hand = f"look at the limits (`nvidia-smi -q -d POWER`), set them by hand, then: rm {path}"
    try:
        return TypeAdapter(RestoreFile).validate_json(read_own(path, most_bytes=_MOST_BYTES))
    except NotOurs as error:
        why, fix = str(error.strerror), f"{FIX}\n       or {by_hand}"
    except OSError as error:
        why, fix = error.strerror or str(error), by_hand
    except ValidationError as error:
        why, fix = _first_fault(error), by_hand
    raise InputError(
        f"{path} cannot be read, so what the power limits were is not known", why=why, fix=fix
    ) from None


def _first_fault(error: ValidationError) -> str:
    """Say which field is wrong and how, without what stands in it: it would reach a terminal."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place or 'the file'}: {first['type'].replace('_', ' ')}"
