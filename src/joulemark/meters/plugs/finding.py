"""What discovery says of a plug: that it is there, or why not and what to do; and opening it again later."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.http.words import network_words
from joulemark.meters.plugs.password import PasswordUnreadable
from joulemark.meters.plugs.plug import Device, PlugSource
from joulemark.meters.source import Finding, SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.errors import InputError
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Quantity

Args = dict[str, str | int | float | None]
Describe = Callable[[SourceSpec], Device]
"""Asks the device that a `SourceSpec` names for its facts.

Raises `Unanswered`, `PasswordUnreadable`."""

_WRONG_DEVICE = ("not_http", "not_json", "not_found", "redirected", "too_large", "wrong_device")


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of meter is spoken of. ``probe`` is the path that a user can open to look for himself.

    ``words`` maps reasons of its own to (why, fix); ``{url}`` and ``{host}`` in a fix are filled in.
    """

    name: str
    product: str
    measures: str
    probe: str
    secret: str  # the environment variable that holds it
    secret_option: str
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def find_device(kind: Kind, endpoint: Endpoint, args: Args, describe: Describe) -> list[Finding]:
    """Ask the device and return its one finding; what the network does is never raised.

    Raises `InputError` where the file with the password cannot be used.
    """
    try:
        device = describe(SourceSpec(kind.name, args))
    except PasswordUnreadable as error:
        what = f"the file of the option {kind.secret_option} cannot be used"
        raise InputError(
            what, why=str(error), fix="name a file that has the password on its first line"
        ) from None
    except Unanswered as error:
        return [_missing(kind, endpoint, error)]
    device.close()
    info = device.info
    spec = SourceSpec(kind.name, {**args, "device": _digest(_unit(info))})
    return [Finding(kind.name, info.name, _measures(device), spec=spec, info=info)]


def open_device(spec: SourceSpec, describe: Describe, clock: Clock | None) -> PlugSource:
    """Open the device that ``spec`` names; raises `SourceLost` where it is silent or another one."""
    try:
        device = describe(spec)
        try:
            recognise(spec, _unit(device.info))
        except Unanswered:
            device.close()
            raise
    except PasswordUnreadable as error:
        raise SourceLost("password_unreadable") from error
    except Unanswered as error:
        raise SourceLost(error.reason) from error
    return PlugSource(device, clock)


def recognise(spec: SourceSpec, unit: str) -> None:
    """Raise `Unanswered` (``another_device``) where ``spec`` was made of another unit than this one."""
    if spec.args.get("device") not in (None, _digest(unit)):
        raise Unanswered("another_device")


def _unit(info: SourceInfo) -> str:
    """Return what tells a device from others; behind a '/' stands which part of it is read."""
    return str(info.device_id).partition("/")[0]


def _digest(unit: str) -> str:
    return hashlib.sha256(unit.encode()).hexdigest()[:16]


def _missing(kind: Kind, endpoint: Endpoint, error: Unanswered) -> Finding:
    why, fix = _words(kind, endpoint, error)
    fix = fix.replace("{url}", endpoint.url + kind.probe).replace("{host}", endpoint.host)
    return Finding(kind.name, kind.name, kind.measures, why=why, fix=fix)


def _measures(device: Device) -> str:
    info = device.info
    parts = []
    if Quantity.ENERGY_J in info.quantities:
        parts.append(f"an energy register (steps of {info.counter_quantum_j:,.6g} J)")
    if Quantity.POWER_W in info.quantities:
        parts.append("power")
    return f"{info.device_name or 'a meter'}: {' and '.join(parts)}, scope {info.scope.path}"


def _words(kind: Kind, endpoint: Endpoint, error: Unanswered) -> tuple[str, str]:
    look = "curl -m 3 '{url}'   # shows what answers there"
    secret = f"export {kind.secret}=…   # or the option {kind.secret_option}=FILE"
    table = {
        **dict.fromkeys(
            _WRONG_DEVICE,
            (
                f"what answers at that address is no {kind.product}",
                f"{look}; the kinds of plugs are shelly, tasmota and homeassistant",
            ),
        ),
        "password_missing": ("it wants a password", secret),
        "password_refused": ("it refuses the password", secret),
        "forbidden": ("this login may not read it", "give the user of the password the right to read it"),
        "auth_unknown": ("it wants a login that is not this model's; the password was not sent", look),
        "malformed_request": ("the password holds a line break or a control character", secret),
        **kind.words,
    }
    return table.get(error.reason) or network_words(error, endpoint.host, look)
