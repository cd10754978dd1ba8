"""Shelly plugs and meters over their local HTTP interface.

``GET /shelly`` tells who it is and of which generation, and needs no password (`identity`): it is asked
before any login. The first generation has a register in watt-minutes (`shelly_gen1`); later ones share one
interface (`shelly_rpc`: a register in Wh with three decimals).
"""

from __future__ import annotations

import os

from joulemark.meters.address import MeterAddress
from joulemark.meters.http.deadline import Deadline
from joulemark.meters.http.endpoint import parse_endpoint
from joulemark.meters.plugs.client import Client
from joulemark.meters.plugs.finding import Args, Kind, find_device, open_device, recognise
from joulemark.meters.plugs.identity import Identity
from joulemark.meters.plugs.password import read_password
from joulemark.meters.plugs.plug import Device, PlugSource
from joulemark.meters.plugs.shelly_gen1 import describe_gen1
from joulemark.meters.plugs.shelly_rpc import describe_rpc
from joulemark.meters.source import Finding, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.scope import WALL, Scope

PASSWORD, USER = "JOULEMARK_SHELLY_PASSWORD", "JOULEMARK_SHELLY_USER"
_EXAMPLE = "shelly:192.168.1.20 or shelly:plug.lan:80?id=1"
_KIND = Kind(
    name="shelly",
    product="Shelly",
    measures="a Shelly plug: energy and power of what is plugged into it",
    probe="/shelly",
    secret=PASSWORD,
    secret_option="password_file",
    words={
        "no_component": (
            "it has no meter with that number",
            "name one that it has, the first is ?id=0; curl -m 3 '{url}' shows the model",
        ),
        "no_meter": ("this model switches, but measures nothing", "use a model with a meter (PM, EM, Plug)"),
    },
)


def find_shelly(address: MeterAddress) -> list[Finding]:
    """Ask the device at ``address`` (options ``id``, ``scope``, ``password_file``); raises `InputError`."""
    address.require_options({"id", "scope", "password_file"})
    endpoint = parse_endpoint(address.address, _EXAMPLE)
    args: Args = {
        "address": endpoint.url,
        "id": address.number("id", 0),
        "scope": address.scope(Scope(WALL)).path,
        "password_file": address.options.get("password_file"),
    }
    return find_device(_KIND, endpoint, args, _describe)


def open_shelly(spec: SourceSpec, clock: Clock | None = None) -> PlugSource:
    """Open the meter that ``spec`` names; raises `SourceLost` where it does not answer or is another one."""
    return open_device(spec, _describe, clock)


def _describe(spec: SourceSpec) -> Device:
    args = spec.args
    file = args.get("password_file")
    password = read_password(PASSWORD, None if file is None else str(file))
    endpoint = parse_endpoint(str(args["address"]), _EXAMPLE)
    name, scope, number = spec.name or "shelly", Scope(str(args["scope"])), int(args["id"] or 0)
    client = Client(endpoint, user=os.environ.get(USER) or "admin", password=password)
    try:
        facts = client.identify(Deadline())
        identity = Identity.of(facts)
        recognise(spec, identity.unit)
        describe = describe_gen1 if identity.scheme == "basic" else describe_rpc
        return describe(client, facts, name, scope, number)
    except BaseException:
        client.close()
        raise
