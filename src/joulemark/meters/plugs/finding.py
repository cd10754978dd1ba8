"""What discovery says of a plug: that it is there, or why not and what to do; and opening it again later."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from joulemark.meters.plugs.connection import Unanswered
from joulemark.meters.plugs.endpoint import Endpoint
from joulemark.meters.plugs.password import PasswordUnreadable
from joulemark.meters.plugs.plug import Device, PlugSource
from joulemark.meters.source import Finding, SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.errors import InputError

Args = dict[str, str | int | float | None]
Describe = Callable[[Args], Device]
"""Asks the device that the arguments of a `SourceSpec` name for its facts.

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
        device = describe(args)
    except PasswordUnreadable as error:
        what = f"the file of the option {kind.secret_option} cannot be used"
        raise InputError(what, why=str(error), fix="put the password on its first line") from None
    except Unanswered as error:
        return [_missing(kind, endpoint, str(error))]
    device.close()
    info = device.info
    spec = SourceSpec(kind.name, {**args, "device": _identity(device)})
    return [Finding(kind.name, info.name, _measures(device), spec=spec, info=info)]


def open_device(spec: SourceSpec, describe: Describe, clock: Clock | None) -> PlugSource:
    """Open the device that ``spec`` names; raises `SourceLost` where it is silent or another one."""
    try:
        device = describe(spec.args)
    except PasswordUnreadable as error:
        raise SourceLost("password_unreadable") from error
    except Unanswered as error:
        raise SourceLost(str(error)) from error
    if spec.args.get("device") not in (None, _identity(device)):
        device.close()
        raise SourceLost("another_device")
    return PlugSource(device, clock)


def _identity(device: Device) -> str:
    """Return what tells this device from another one at the same address, without naming it."""
    return hashlib.sha256(str(device.info.device_id).encode()).hexdigest()[:16]


def _missing(kind: Kind, endpoint: Endpoint, reason: str) -> Finding:
    why, fix = _words(kind, reason)
    fix = fix.replace("{url}", endpoint.url + kind.probe).replace("{host}", endpoint.host)
    return Finding(kind.name, kind.name, kind.measures, why=why, fix=fix)


def _measures(device: Device) -> str:
    info = device.info
    parts = []
    if "energy_j" in info.quantities:
        parts.append(f"an energy register (steps of {info.counter_quantum_j:,.6g} J)")
    if "power_w" in info.quantities:
        parts.append("power")
    return f"{info.device_name or 'a meter'}: {' and '.join(parts)}, scope {info.scope.path}"


def _words(kind: Kind, reason: str) -> tuple[str, str]:
    if reason in kind.words:
        return kind.words[reason]
    look = "curl -m 3 '{url}'   # shows what answers there"
    if reason in _WRONG_DEVICE:
        return (
            f"what answers at that address is no {kind.product}",
            f"{look}; the kinds of plugs are shelly, tasmota and homeassistant",
        )
    secret = f"export {kind.secret}=…   # or the option {kind.secret_option}=FILE"
    common = {
        "name_unknown": ("no device of that name is known in this network", "use its IP address"),
        "connection_refused": ("that address takes no connection on that port", look),
        "unreachable": ("that address cannot be reached from this machine", "ping {host}"),
        "timeout": ("it did not answer within 2 s: off, asleep or in another network", look),
        "closed": ("it hung up without an answer", look),
        "cut_off": ("it hung up in the middle of its answer", look),
        "password_missing": ("it wants a password", secret),
        "password_refused": ("it refuses the password", secret),
        "forbidden": ("this login may not read it", "give the user of the password the right to read it"),
        "auth_unknown": ("it wants a kind of login that Joulemark does not speak", look),
        "malformed_request": ("the password holds a line break or a control character", secret),
        "tls_failed": (
            "the certificate of its https is not trusted",
            "use http:// in your own network, or name its certificate: export SSL_CERT_FILE=FILE",
        ),
    }
    return common.get(reason, (f"it answered with {reason}", look))
